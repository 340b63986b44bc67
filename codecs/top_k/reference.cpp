// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "codecs/bf16/bf16.hpp"
#include "codecs/group/group.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

using Chunks = std::vector<std::vector<Entry>>;

float nan_of(std::uint32_t bits) { return std::bit_cast<float>(bits); }

constexpr std::uint16_t kHalfNaN = 0x7FFF;

std::uint16_t half_bits(float value) { return std::isnan(value) ? kHalfNaN : Eigen::half(value).x; }

template <typename Term>
double chunk_sum(const std::vector<Entry>& entries, Term term) {
  std::vector<double> terms;
  for (const Entry& entry : entries) terms.push_back(term(entry.value));
  return lane_sum(terms, kChunkLanes);
}

template <typename Term>
double tensor_sum(const Chunks& chunks, Term term) {
  std::vector<double> sums;
  for (const auto& chunk : chunks) sums.push_back(chunk_sum(chunk, term));
  return lane_sum(sums, kTensorLanes);
}

// 0 where nothing was counted, NaN where something counted was not finite.
float mean(double sum, double count) {
  if (!std::isfinite(sum)) return nan_of(kNaNScale);
  return count > 0 ? static_cast<float>(sum / count) : 0.0f;
}

std::uint32_t codebook_code(const Codebook& book, float value) {
  const float place = std::rint((value - book.shift) / book.scale + 2.0f);
  if (place >= 3) return 3;
  if (place >= 2) return 2;
  return place >= 1 ? 1 : 0;  // NaN: 0
}

Codebook codebook_of(const Chunks& chunks) {
  const double count = tensor_sum(chunks, [](float) { return 1.0; });
  const double sum = tensor_sum(chunks, [](double v) { return v; });
  const double squares = tensor_sum(chunks, [](double v) { return v * v; });
  if (!std::isfinite(squares)) return {.shift = nan_of(kNaNScale)};
  Codebook book{.shift = mean(sum, count)};
  const double spread = std::max(squares - sum * sum / count, 0.0);
  const auto scale =
      static_cast<float>(double{kCodebookSigmas} * std::sqrt(spread / std::max(count - 1, 1.0)));
  if (scale > 0 && std::isfinite(scale)) book.scale = scale;
  for (std::uint32_t code = 0; code < book.values.size(); ++code) {
    const auto in_bin = [&](float v) { return codebook_code(book, v) == code; };
    const double members = tensor_sum(chunks, [&](float v) { return in_bin(v) ? 1.0 : 0.0; });
    const double total = tensor_sum(
        chunks, [&](float v) { return in_bin(v) ? static_cast<double>(v - book.shift) : 0.0; });
    book.values[code] = mean(total, members);
  }
  return book;
}

void store_codebook(const Codebook& book, std::span<std::byte> wire) {
  std::memcpy(wire.data(), &book, sizeof(Codebook));
}

// What the codes of one chunk mean; of sign `low` alone.
struct Magnitudes {
  float threshold = 0;  // of high
  float low = 0;
  float high = 0;
};

Magnitudes magnitudes_of(Element element, const std::vector<Entry>& entries) {
  const double sum = chunk_sum(entries, [](double v) { return std::abs(v); });
  const float all = mean(sum, static_cast<double>(entries.size()));
  if (element == Element::sign || std::isnan(all)) return {all, all, all};
  const auto mean_where = [&](bool high) {
    const auto counts = [&](double v) { return (std::abs(v) >= all) == high; };
    const double members = chunk_sum(entries, [&](double v) { return counts(v) ? 1.0 : 0.0; });
    return mean(chunk_sum(entries, [&](double v) { return counts(v) ? std::abs(v) : 0.0; }),
                members);
  };
  return {all, mean_where(false), mean_where(true)};
}

// The code of a value under the scales of its chunk or tensor.
struct Coder {
  Element element = Element::fp32;
  Codebook book = {};
  Magnitudes magnitudes = {};

  [[nodiscard]] std::uint32_t encode(float value) const;
  [[nodiscard]] float decode(std::uint32_t code) const;
};

std::uint32_t Coder::encode(float value) const {
  const std::uint32_t negative = value < 0 ? 1 : 0;
  switch (element) {
    case Element::codebook2:
      return codebook_code(book, value);
    case Element::sign:
      return negative;
    case Element::sign_magnitude2:
      return negative | (std::abs(value) >= magnitudes.threshold ? 2u : 0u);
    case Element::fp16:
      return half_bits(value);
    case Element::bf16:
      return to_bf16(value).bits;
    default:
      return std::isnan(value) ? kNaNScale : std::bit_cast<std::uint32_t>(value);
  }
}

float Coder::decode(std::uint32_t code) const {
  const float sign = (code & 1u) != 0 ? -1.0f : 1.0f;
  switch (element) {
    case Element::codebook2:
      return book.values[code] + book.shift;
    case Element::sign:
      return sign * magnitudes.low;
    case Element::sign_magnitude2:
      return sign * (code >= 2 ? magnitudes.high : magnitudes.low);
    case Element::fp16:
      return Eigen::half_impl::half_to_float(
          Eigen::half_impl::raw_uint16_to_half(static_cast<std::uint16_t>(code)));
    case Element::bf16:
      return to_float(Bf16{static_cast<std::uint16_t>(code)});
    default:
      return std::bit_cast<float>(code);
  }
}

void store_scales(const SparseWire& layout, std::size_t index, const Magnitudes& magnitudes,
                  std::span<std::byte> wire) {
  const std::size_t words = layout.scale_words;
  std::memcpy(wire.data() + layout.scales + index * words * sizeof(float), &magnitudes.low,
              words * sizeof(float));
}

Magnitudes load_scales(const SparseWire& layout, std::size_t index,
                       std::span<const std::byte> wire) {
  Magnitudes magnitudes;
  const std::size_t words = layout.scale_words;
  std::memcpy(&magnitudes.low, wire.data() + layout.scales + index * words * sizeof(float),
              words * sizeof(float));
  return magnitudes;
}

void require_top_k_wire(const Format& format, std::size_t elements, std::size_t bytes) {
  require(format.rotation == Rotation::none, "top-k of values as they are");
  require(bytes == encoded_bytes(format, elements), "a wire is encoded_bytes() long");
}

}  // namespace

Codebook load_codebook(std::span<const std::byte> wire) {
  Codebook book;
  std::memcpy(&book, wire.data(), sizeof(Codebook));
  return book;
}

std::vector<Entry> select_largest(std::span<const float> chunk, std::size_t count) {
  std::vector<std::uint32_t> order(chunk.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(order.begin(), end, order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const std::uint32_t x = magnitude_bits(chunk[a]), y = magnitude_bits(chunk[b]);
    return x != y ? x > y : a < b;
  });
  std::sort(order.begin(), end);
  std::vector<Entry> entries;
  for (auto i = order.begin(); i != end; ++i) entries.push_back({*i, chunk[*i]});
  return entries;
}

std::vector<Entry> decode_chunk(const Format& format, std::size_t elements, std::size_t index,
                                std::span<const std::byte> wire) {
  Coder coder{.element = format.element,
              .magnitudes = load_scales(sparse_wire(format, elements), index, wire)};
  if (format.element == Element::codebook2) coder.book = load_codebook(wire);
  const SparseRecord record = load_record(format, elements, index, wire);
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < record.indices.size(); ++i) {
    entries.push_back({record.indices[i], coder.decode(record.codes[i])});
  }
  return entries;
}

void encode_top_k(const Format& format, std::span<const float> values, const RandomKey&,
                  std::span<std::byte> wire) {
  require_top_k_wire(format, values.size(), wire.size());
  std::ranges::fill(wire, std::byte{0});
  const SparseWire layout = sparse_wire(format, values.size());
  Chunks chunks;
  for (std::size_t index = 0; index < layout.chunks; ++index) {
    const auto chunk = values.subspan(index * format.group, chunk_elements(format, layout, index));
    chunks.push_back(select_largest(chunk, kept(format, chunk.size())));
  }
  Coder coder{.element = format.element};
  if (format.element == Element::codebook2 && layout.chunks > 0) {
    coder.book = codebook_of(chunks);
    store_codebook(coder.book, wire);
  }
  for (std::size_t index = 0; index < layout.chunks; ++index) {
    if (layout.scale_words > 0) {
      coder.magnitudes = magnitudes_of(format.element, chunks[index]);
      store_scales(layout, index, coder.magnitudes, wire);
    }
    SparseRecord record;
    for (const Entry& entry : chunks[index]) {
      record.indices.push_back(entry.index);
      record.codes.push_back(coder.encode(entry.value));
    }
    store_record(format, values.size(), index, record, wire);
  }
}

void decode_reduce_top_k(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums) {
  require_top_k_wire(format, sums.size(), inputs == 0 ? 0 : wires.size() / inputs);
  std::ranges::fill(sums, 0.0f);
  const SparseWire layout = sparse_wire(format, sums.size());
  for (std::size_t input = 0; input < inputs; ++input) {
    const auto wire = wires.subspan(input * layout.bytes, layout.bytes);
    for (std::size_t index = 0; index < layout.chunks; ++index) {
      const auto chunk = sums.subspan(index * format.group, chunk_elements(format, layout, index));
      for (const Entry& entry : decode_chunk(format, sums.size(), index, wire)) {
        // Of a wire that no encoder wrote, indices may be beyond the chunk's elements.
        if (entry.index < chunk.size()) chunk[entry.index] += entry.value;
      }
    }
  }
}

void decode_top_k(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce_top_k(format, wire, 1, values);
}

namespace {

constexpr Codec row(std::string_view name, std::string_view summary, Element element,
                    std::size_t keep) {
  return {.name = name,
          .summary = summary,
          .format = {.element = element,
                     .scale = element == Element::sign ? Scale::mean_magnitude : Scale::none,
                     .group = 4096,
                     .keep = keep,
                     .layout = &kSparseLayout},
          .encode = encode_top_k,
          .decode = decode_top_k};
}

constexpr Codec with_layout(Codec codec, const Layout& layout, std::string_view name,
                            std::string_view summary, std::size_t keep) {
  codec.name = name;
  codec.summary = summary;
  codec.format.keep = keep;
  codec.format.layout = &layout;
  return codec;
}

}  // namespace

constexpr Codec sparseloco = row(
    "sparseloco", "largest 64 of 4096, 2 bits from the tensor's codebook", Element::codebook2, 64);
constexpr Codec sparseloco_enumerated =
    with_layout(sparseloco, kEnumeratedLayout, "sparseloco_enumerated",
                "sparseloco with the indices of a chunk as one number: 7.375 bits an index", 64);
constexpr Codec codebook2 =
    with_layout(sparseloco, kEnumeratedLayout, "codebook2",
                "all values, 2 bits from the tensor's codebook: MuLoCo", 4096);
constexpr Codec topk64_sign_magnitude =
    row("topk64_sign_magnitude", "largest 64 of 4096, sign and one of the chunk's 2 magnitudes",
        Element::sign_magnitude2, 64);
constexpr Codec topk64_sign = row(
    "topk64_sign", "largest 64 of 4096, sign and the chunk's mean magnitude", Element::sign, 64);
constexpr Codec topk64 = row("topk64", "largest 64 of 4096, float32", Element::fp32, 64);

}  // namespace codecs
