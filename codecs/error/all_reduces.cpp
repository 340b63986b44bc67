// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/all_reduces.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/dgc/dgc.hpp"
#include "codecs/group/group.hpp"
#include "codecs/loco/loco.hpp"
#include "codecs/one_bit/one_bit.hpp"
#include "codecs/power_sgd/power_sgd.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

using Shape = AllReduceShape;
using ByRank = std::span<const std::vector<float>>;
using Wires = std::vector<std::byte>;  // laid end to end
using Values = std::vector<float>;

// Each rank encodes a wire, by encode(gradient, key, wire); all decode all of them, by
// decode(wires, mean).
template <typename Encode, typename Decode>
AllReduceStep all_gather(std::size_t wire_bytes, Encode encode, Decode decode) {
  return [=](ByRank of_rank, std::uint32_t step) mutable {
    Wires wires(of_rank.size() * wire_bytes);
    for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
      const RandomKey key{.step = step, .rank = static_cast<std::uint32_t>(rank)};
      encode(of_rank[rank], key, std::span(wires).subspan(rank * wire_bytes, wire_bytes));
    }
    Values mean(of_rank.front().size());
    decode(wires, mean);
    return mean;
  };
}

auto encode_fed_back(const Codec& codec, const Feedback& feedback, const Shape& shape) {
  return [codec, feedback, residuals = std::vector(shape.ranks, Values(shape.elements()))](
             std::span<const float> gradient, const RandomKey& key,
             std::span<std::byte> wire) mutable {
    encode_with_feedback(codec, feedback, gradient, key, residuals[key.rank], wire);
  };
}

auto mean_of_groups(const Format& format, const Shape& shape) {
  return [format, shape](std::span<const std::byte> wires, std::span<float> mean) {
    const std::size_t bytes = wires.size() / shape.ranks;
    Values values(mean.size());
    for (std::size_t rank = 0; rank < shape.ranks; ++rank) {
      decode_groups(format, wires.subspan(rank * bytes, bytes), values);
      for (std::size_t i = 0; i < values.size(); ++i) mean[i] += values[i];
    }
    for (float& value : mean) value /= static_cast<float>(shape.ranks);
  };
}

// DeepSpeed's LoCo-Zero++.
constexpr Loco kLoco{.wire = {.element = Element::int4, .scale = Scale::amax_full, .group = 2048}};

std::size_t loco_bytes(const Shape& shape) { return encoded_bytes(kLoco.wire, shape.elements()); }

AllReduceStep start_loco(const Shape& shape, std::uint64_t) {
  const std::size_t bytes = encoded_bytes(residual_format(kLoco), shape.elements());
  const auto encode = [residuals = std::vector(shape.ranks, Wires(bytes))](
                          std::span<const float> gradient, const RandomKey& key,
                          std::span<std::byte> wire) mutable {
    encode_loco(kLoco, gradient, key, residuals[key.rank], wire);
  };
  return all_gather(loco_bytes(shape), encode, mean_of_groups(kLoco.wire, shape));
}

AllReduceStep start_loco_float32(const Shape& shape, std::uint64_t) {
  return all_gather(loco_bytes(shape), encode_fed_back(int4_full_g2048, kLoco.feedback, shape),
                    mean_of_groups(kLoco.wire, shape));
}

OneBit one_bit_shape(const Shape& shape) {
  return {.elements = shape.elements(), .ranks = shape.ranks};
}
// A wire for each server, and one back to each rank.
std::size_t one_bit_bytes(const Shape& shape) {
  return 2 * shape.ranks * one_bit_shape(shape).wire_bytes();
}

template <bool kFeedback>
AllReduceStep start_one_bit(const Shape& shape, std::uint64_t) {
  const OneBit one_bit = one_bit_shape(shape);
  const OneBitState empty{.worker = Values(one_bit.elements),
                          .server = Values(one_bit.shard_elements())};
  return [=, states = std::vector(shape.ranks, empty)](ByRank of_rank, std::uint32_t) mutable {
    if (!kFeedback) states.assign(states.size(), empty);
    return all_reduce_one_bit(one_bit, of_rank, states);
  };
}

std::size_t sparseloco_bytes(const Shape& shape) {
  return encoded_bytes(sparseloco.format, shape.elements());
}

template <Average kAverage, bool kFeedback>
AllReduceStep start_sparseloco(const Shape& shape, std::uint64_t) {
  const Feedback feedback{.carry = kFeedback ? 0.95f : 0.0f};
  const auto decode = [peers = shape.ranks](std::span<const std::byte> wires,
                                            std::span<float> averages) {
    aggregate(sparseloco.format, {.average = kAverage}, wires, peers, averages);
  };
  return all_gather(sparseloco_bytes(shape), encode_fed_back(sparseloco, feedback, shape), decode);
}

constexpr Dgc kDgc{};                                                       // the paper's
constexpr Dgc kAccumulation{.density = 0.01, .momentum = 0, .stride = 10};  // without momentum

template <const Dgc& kMethod>
std::size_t dgc_bytes(const Shape& shape) {
  return dgc_wire(kMethod, shape.elements()).bytes;
}

template <const Dgc& kMethod>
AllReduceStep start_dgc(const Shape& shape, std::uint64_t) {
  struct State {
    Values momentum, gathered;
  };
  const State empty{Values(shape.elements()), Values(shape.elements())};
  const auto encode = [states = std::vector(shape.ranks, empty)](
                          std::span<const float> gradient, const RandomKey& key,
                          std::span<std::byte> wire) mutable {
    State& state = states[key.rank];
    encode_dgc(kMethod, gradient, {state.momentum, state.gathered}, wire);
  };
  const auto decode = [ranks = shape.ranks](std::span<const std::byte> wires,
                                            std::span<float> means) {
    decode_mean_dgc(kMethod, wires, ranks, means);
  };
  return all_gather(dgc_bytes<kMethod>(shape), encode, decode);
}

template <std::size_t kRank>
PowerSgd matrix_of(const Shape& shape) {
  return {.rows = shape.rows, .columns = shape.columns, .rank = kRank};
}

template <std::size_t kRank>
std::size_t factor_bytes(const Shape& shape) {
  return power_sgd_bytes(matrix_of<kRank>(shape));
}

template <std::size_t kRank>
AllReduceStep start_power_sgd(const Shape& shape, std::uint64_t seed) {
  const PowerSgd matrix = matrix_of<kRank>(shape);
  return [matrix, state = power_sgd_state(matrix, shape.ranks, {.seed = seed})](
             ByRank of_rank, std::uint32_t) mutable {
    return all_reduce_power_sgd(matrix, of_rank, state);
  };
}

constexpr std::array kAllReduces{
    AllReduce{"loco", "LoCo: INT4 in groups of 2048, residual in INT8", start_loco, loco_bytes},
    AllReduce{"loco_float32", "LoCo with a float32 residual", start_loco_float32, loco_bytes},
    AllReduce{"one_bit_adam", "1-bit Adam's signs to servers and back, feedback in both directions",
              start_one_bit<true>, one_bit_bytes},
    AllReduce{"one_bit_adam_unfed", "one_bit_adam without feedback", start_one_bit<false>,
              one_bit_bytes},
    AllReduce{"sparseloco_peers", "SparseLoCo, feedback decay 0.95, mean over the peers",
              start_sparseloco<Average::peers, true>, sparseloco_bytes},
    AllReduce{"sparseloco_senders",
              "SparseLoCo, feedback decay 0.95, mean over the senders of each index",
              start_sparseloco<Average::senders, true>, sparseloco_bytes},
    AllReduce{"sparseloco_unfed", "SparseLoCo without feedback, mean over the peers",
              start_sparseloco<Average::peers, false>, sparseloco_bytes},
    AllReduce{"dgc", "DGC: one value in 1000, momentum 0.9; compared with momentum SGD",
              start_dgc<kDgc>, dgc_bytes<kDgc>, kDgc.momentum},
    AllReduce{"dgc_1_percent", "DGC: one value in 100, without momentum", start_dgc<kAccumulation>,
              dgc_bytes<kAccumulation>},
    AllReduce{"power_sgd_r1", "rank-1 PowerSGD", start_power_sgd<1>, factor_bytes<1>},
    AllReduce{"power_sgd_r2", "rank-2 PowerSGD", start_power_sgd<2>, factor_bytes<2>},
    AllReduce{"power_sgd_r4", "rank-4 PowerSGD", start_power_sgd<4>, factor_bytes<4>},
};

}  // namespace

std::span<const AllReduce> all_reduces() { return kAllReduces; }

const AllReduce& all_reduce_named(std::string_view name) {
  std::string known;
  for (const AllReduce& method : kAllReduces) {
    if (method.name == name) return method;
    known += known.empty() ? "" : ", ";
    known += method.name;
  }
  throw std::out_of_range("unknown all_reduce '" + std::string(name) + "'; known: " + known);
}

}  // namespace codecs
