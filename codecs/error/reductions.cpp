// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/reductions.hpp"

#include "codecs/feedback/feedback.hpp"
#include "codecs/loco/loco.hpp"

namespace codecs {
namespace {

using Values = std::vector<float>;

// What one rank encodes of one part, step after step.
class Sender {
 public:
  Sender(const Codec& codec, Carried carried, std::size_t elements)
      : codec_(&codec), carried_(carried) {
    if (carried == Carried::float32) residual_.resize(elements);
    if (carried == Carried::loco) {
      codes_.resize(encoded_bytes(residual_format({.wire = codec.format}), elements));
    }
  }

  // What the receivers decode.
  Values send(std::span<const float> values, const RandomKey& key) {
    std::vector<std::byte> wire(encoded_bytes(codec_->format, values.size()));
    switch (carried_) {
      case Carried::nothing:
        codec_->encode(codec_->format, values, key, wire);
        break;
      case Carried::float32:
        encode_with_feedback(*codec_, {}, values, key, residual_, wire);
        break;
      case Carried::loco:
        encode_loco({.wire = codec_->format}, values, key, codes_, wire);
        break;
    }
    Values decoded(values.size());
    codec_->decode(codec_->format, wire, decoded);
    return decoded;
  }

 private:
  const Codec* codec_;
  Carried carried_;
  Values residual_;
  std::vector<std::byte> codes_;
};

void add(std::span<const float> values, std::span<float> sum) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
}

// All ranks in memory. Ranks of a group sum each other's parts; sums are then cut into pieces, one
// for each group.
class Exchange {
 public:
  Exchange(const Reduction& of, const RankShape& shape, std::size_t elements, std::uint64_t seed)
      : again_(encodes_again(of.hops)),
        groups_(of.hops == Hops::two_level ? shape.nodes : 1),
        group_ranks_(shape.ranks() / groups_),
        part_(of.hops == Hops::gather ? elements : elements / group_ranks_),
        piece_(part_ / groups_),
        parts_(elements / part_),
        seed_(seed) {
    require(elements % (16 * shape.ranks()) == 0, "whole blocks of random bits for every rank");
    const Codec& first = codec_named(of.first);
    first_.assign(shape.ranks() * parts_, Sender(first, of.carried, part_));
    if (!again_) return;
    second_.assign(shape.ranks() * groups_, Sender(codec_named(of.again), of.carried, piece_));
  }

  Values operator()(std::span<const Values> of_rank, std::uint32_t step) {
    Values mean(part_ * parts_);
    for (std::size_t part = 0; part < parts_; ++part) {
      for (std::size_t group = 0; group < groups_; ++group) {
        const Values sum = sum_of(of_rank, group, part, step);
        add(again_ ? sent_again(sum, group * group_ranks_ + part, step) : sum,
            std::span(mean).subspan(part * part_, part_));
      }
    }
    for (float& value : mean) value /= static_cast<float>(of_rank.size());
    return mean;
  }

 private:
  Values sum_of(std::span<const Values> of_rank, std::size_t group, std::size_t part,
                std::uint32_t step) {
    Values sum(part_);
    for (std::size_t i = 0; i < group_ranks_; ++i) {
      const std::size_t rank = group * group_ranks_ + i;
      const RandomKey key{.seed = seed_,
                          .step = step,
                          .rank = static_cast<std::uint32_t>(rank),
                          .first_element = part * part_};
      add(first_[rank * parts_ + part].send(std::span(of_rank[rank]).subspan(part * part_, part_),
                                            key),
          sum);
    }
    return sum;
  }

  Values sent_again(std::span<const float> sum, std::size_t rank, std::uint32_t step) {
    Values sent;
    for (std::size_t piece = 0; piece < groups_; ++piece) {
      const RandomKey key{.seed = seed_,
                          .step = step,
                          .tensor = 1,
                          .rank = static_cast<std::uint32_t>(rank),
                          .first_element = piece * piece_};
      const Values decoded =
          second_[rank * groups_ + piece].send(sum.subspan(piece * piece_, piece_), key);
      sent.insert(sent.end(), decoded.begin(), decoded.end());
    }
    return sent;
  }

  bool again_;
  std::size_t groups_, group_ranks_;
  std::size_t part_, piece_;  // elements
  std::size_t parts_;
  std::uint64_t seed_;
  std::vector<Sender> first_;   // by rank, then part
  std::vector<Sender> second_;  // by rank, then piece
};

MeasuredReduction row(const Reduction& of) {
  const std::string name = reduction_name(of.hops, of.first, of.again);
  return {.name = of.carried == Carried::nothing ? name : fed_name(name, of.carried),
          .on_two_levels = of.hops == Hops::two_level,
          .start = [of](const RankShape& shape, std::size_t elements, std::uint64_t seed) {
            return start_reduction(of, shape, elements, seed);
          }};
}

// A method of all_reduces.hpp, of matrices that are as nearly square as powers of two allow.
MeasuredReduction row(std::string_view method) {
  return {.name = std::string(method),
          .start = [method](const RankShape& shape, std::size_t elements, std::uint64_t seed) {
            std::size_t rows = 1;
            while (rows * rows * 4 <= elements) rows *= 2;
            return all_reduce_named(method).start(
                {.rows = rows, .columns = elements / rows, .ranks = shape.ranks()}, seed);
          }};
}

Reduction once(Hops hops, std::string_view codec) { return {.hops = hops, .first = codec}; }
Reduction twice(Hops hops, std::string_view first, std::string_view again) {
  return {.hops = hops, .first = first, .again = again};
}
Reduction fed(Reduction reduction, Carried carried) {
  reduction.carried = carried;
  return reduction;
}

constexpr std::string_view kSigns = "sign_g2048", kLocoCodes = "int4_full_g2048";

}  // namespace

AllReduceStep start_reduction(const Reduction& reduction, const RankShape& shape,
                              std::size_t elements, std::uint64_t seed) {
  return Exchange(reduction, shape, elements, seed);
}

// SDP4Bit (arXiv 2410.15526) has 8 bits inside nodes and 4 between them, with the Hadamard transform
// or without, and compares with 4 bits on both levels; ZeRO++ (arXiv 2306.10209) has 4 on both.
std::vector<MeasuredReduction> measured_reductions() {
  return {row(twice(Hops::two_level, "int8_g128_sr", "int4_g128_sr")),
          row(twice(Hops::two_level, "int8_g128_hadamard_sr", "int4_g128_hadamard_sr")),
          row(twice(Hops::two_level, "int4_g128_sr", "int4_g128_sr")),
          row(twice(Hops::two_level, "int4_g128_hadamard_sr", "int4_g128_hadamard_sr")),
          row(twice(Hops::two_level, "int4_full_g2048", "int4_full_g2048")),
          row(twice(Hops::two_level, "int4_full_g128", "int4_full_g128")),
          row(twice(Hops::two_level, "int8_g512", "int8_g512")),
          row(once(Hops::all_to_all, "int8_minmax_g1024_sr")),
          row(once(Hops::all_to_all, "fp8_e5m2_g128")),
          row(once(Hops::all_to_all, "mxfp4_sr")),
          row(twice(Hops::there_and_back, "int8_g512_sr", "int8_g512_sr")),
          row(twice(Hops::there_and_back, "int4_minmax_g512_sr", "int4_minmax_g512_sr")),
          row(twice(Hops::there_and_back, kSigns, kSigns)),
          row(once(Hops::gather, "topk64")),
          row(once(Hops::gather, "random_k64_unscaled")),
          row("one_bit_adam"),
          row("power_sgd_r4")};
}

// What PowerSGD feeds back depends on the shape of each matrix: it is a row of all_reduces() alone.
std::vector<MeasuredReduction> fed_reductions() {
  return {row(fed(twice(Hops::two_level, kLocoCodes, kLocoCodes), Carried::loco)),
          row(fed(once(Hops::all_to_all, kLocoCodes), Carried::loco)),
          row(fed(twice(Hops::there_and_back, kSigns, kSigns), Carried::float32)),
          row(fed(once(Hops::gather, "topk64"), Carried::float32)),
          row(fed(once(Hops::gather, "random_k64_unscaled"), Carried::float32)),
          row("one_bit_adam")};
}

}  // namespace codecs
