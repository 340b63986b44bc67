// SPDX-License-Identifier: Apache-2.0
// The wire of codecs/sparse/sparse.hpp as kernels see it: where a chunk's records are, the bits of
// one entry, and what a code stands for.
#pragma once

#include <cuda_fp16.h>

#include <limits>

#include "codecs/cuda/wide_sums.cuh"
#include "codecs/group/group.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/subsets/subsets.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cuda {

// Sizes are those of SparseWire.
struct SparseShape {
  std::size_t elements = 0;
  std::size_t chunks = 0;
  std::size_t indices = 0;
  std::size_t codes = 0;
  std::size_t scales = 0;
  std::size_t bytes = 0;
  unsigned index_bits = 0;
  unsigned index_words = 0;
  unsigned code_bits = 0;
  unsigned code_words = 0;
  unsigned scale_words = 0;
  unsigned keep = 0;
  unsigned last_kept = 0;  // of the last chunk
  unsigned chunk_elements = 0;
  unsigned last_elements = 0;
  unsigned rank_bits = 0;  // of enumerated indices
  unsigned last_rank_bits = 0;
  Element element = Element::fp32;
};

// Of the indices of a chunk of so many elements; 0 unless they are enumerated.
inline unsigned rank_bits(const Format& format, std::size_t elements) {
  if (!is_enumerated(format)) return 0;
  return static_cast<unsigned>(subset_bits(elements, kept(format, elements)));
}

inline SparseShape sparse_shape(const Format& format, std::size_t elements) {
  const SparseWire wire = sparse_wire(format, elements);
  const std::size_t last = wire.chunks == 0 ? 0 : chunk_elements(format, wire, wire.chunks - 1);
  return {.elements = elements,
          .chunks = wire.chunks,
          .indices = wire.indices,
          .codes = wire.codes,
          .scales = wire.scales,
          .bytes = wire.bytes,
          .index_bits = static_cast<unsigned>(wire.index_bits),
          .index_words = static_cast<unsigned>(wire.index_words),
          .code_bits = static_cast<unsigned>(bits_of(format.element)),
          .code_words = static_cast<unsigned>(wire.code_words),
          .scale_words = static_cast<unsigned>(wire.scale_words),
          .keep = static_cast<unsigned>(format.keep),
          .last_kept = static_cast<unsigned>(kept(format, last)),
          .chunk_elements = static_cast<unsigned>(format.group),
          .last_elements = static_cast<unsigned>(last),
          .rank_bits = rank_bits(format, format.group),
          .last_rank_bits = rank_bits(format, last),
          .element = format.element};
}

__device__ inline unsigned kept_in(const SparseShape& shape, std::size_t chunk) {
  return chunk + 1 == shape.chunks ? shape.last_kept : shape.keep;
}

// One chunk's record in one part of the wire.
struct Record {
  std::uint32_t* words = nullptr;
  unsigned count = 0;  // of words; the last chunk's take the part's padding too
};

__device__ inline Record index_record(const SparseShape& shape, std::size_t chunk,
                                      std::byte* wire) {
  const std::size_t at = shape.indices + chunk * shape.index_words * sizeof(std::uint32_t);
  const bool last = chunk + 1 == shape.chunks;
  return {reinterpret_cast<std::uint32_t*>(wire + at),
          last ? static_cast<unsigned>((shape.codes - at) / 4) : shape.index_words};
}
__device__ inline Record code_record(const SparseShape& shape, std::size_t chunk, std::byte* wire) {
  const std::size_t at = shape.codes + chunk * shape.code_words * sizeof(std::uint32_t);
  const bool last = chunk + 1 == shape.chunks;
  return {reinterpret_cast<std::uint32_t*>(wire + at),
          last ? static_cast<unsigned>((shape.scales - at) / 4) : shape.code_words};
}
__device__ inline Record scale_record(const SparseShape& shape, std::size_t chunk,
                                      std::byte* wire) {
  const std::size_t at = shape.scales + chunk * shape.scale_words * sizeof(std::uint32_t);
  const bool last = chunk + 1 == shape.chunks;
  return {reinterpret_cast<std::uint32_t*>(wire + at),
          last ? static_cast<unsigned>((shape.bytes - at) / 4) : shape.scale_words};
}

// Word `w` of a record of `entries` numbers of `bits` bits each; get(e) is number e.
template <typename Get>
__device__ std::uint32_t record_word(unsigned w, unsigned bits, unsigned entries, Get get) {
  const unsigned first = w * 32;
  unsigned e = first / bits;
  if (e >= entries) return 0;
  std::uint32_t word = get(e) >> (first - e * bits);
  for (unsigned at = (e + 1) * bits - first; at < 32 && ++e < entries; at += bits) {
    word |= get(e) << at;
  }
  return word;
}

// Number e of a record.
__device__ inline std::uint32_t record_bits(const std::uint32_t* words, unsigned e, unsigned bits) {
  const unsigned first = e * bits;
  const unsigned w = first / 32, shift = first % 32;
  const std::uint32_t low = __ldg(words + w);
  const std::uint32_t high = shift + bits > 32 ? __ldg(words + w + 1) : 0u;
  const std::uint32_t value = __funnelshift_r(low, high, shift);
  return bits == 32 ? value : value & ((1u << bits) - 1u);
}

// The header of a codebook2 wire.
struct DeviceCodebook {
  float shift = 0;
  float scale = 1;
  float values[4] = {};
};

// What turns the values of one chunk into codes and back.
struct ValueCoder {
  Element element = Element::fp32;
  float threshold = 0;  // of sign_magnitude2's higher magnitude
  float low = 0;
  float high = 0;
  DeviceCodebook book = {};
};

__device__ inline std::uint32_t codebook_code(const DeviceCodebook& book, float value) {
  const float place = rintf(__fadd_rn(__fdiv_rn(value - book.shift, book.scale), 2.0f));
  if (place >= 3) return 3;
  if (place >= 2) return 2;
  return place >= 1 ? 1 : 0;  // NaN: 0
}

__device__ inline std::uint32_t encode_value(const ValueCoder& coder, float value) {
  const std::uint32_t negative = value < 0 ? 1 : 0;
  switch (coder.element) {
    case Element::codebook2:
      return codebook_code(coder.book, value);
    case Element::sign:
      return negative;
    case Element::sign_magnitude2:
      return negative | (fabsf(value) >= coder.threshold ? 2u : 0u);
    case Element::fp16:
      return __half_as_ushort(__float2half_rn(value));
    case Element::bf16:
      return as_bf16(value).bits;
    default:
      return value == value ? __float_as_uint(value) : kNaNScale;
  }
}

__device__ inline float book_value(const DeviceCodebook& book, std::uint32_t code) {
  const float low = (code & 1u) != 0 ? book.values[1] : book.values[0];
  const float high = (code & 1u) != 0 ? book.values[3] : book.values[2];
  return (code >= 2 ? high : low) + book.shift;
}

__device__ inline float decode_value(const ValueCoder& coder, std::uint32_t code) {
  const float sign = (code & 1u) != 0 ? -1.0f : 1.0f;
  switch (coder.element) {
    case Element::codebook2:
      return book_value(coder.book, code);
    case Element::sign:
      return sign * coder.low;
    case Element::sign_magnitude2:
      return sign * (code >= 2 ? coder.high : coder.low);
    case Element::fp16:
      return __half2float(__ushort_as_half(static_cast<unsigned short>(code)));
    case Element::bf16:
      return as_float(Bf16{static_cast<std::uint16_t>(code)});
    default:
      return __uint_as_float(code);
  }
}

__device__ inline DeviceCodebook device_codebook(const std::byte* wire) {
  const auto* words = reinterpret_cast<const float*>(wire);
  return {.shift = words[0], .scale = words[1], .values = {words[2], words[3], words[4], words[5]}};
}

// The coder that decodes chunk `chunk` of a wire.
__device__ inline ValueCoder chunk_coder(const SparseShape& shape, const std::byte* wire,
                                         std::size_t chunk) {
  ValueCoder coder{.element = shape.element};
  if (shape.element == Element::codebook2) coder.book = device_codebook(wire);
  const auto* scales = reinterpret_cast<const float*>(wire + shape.scales);
  if (shape.scale_words > 0) coder.low = __ldg(scales + chunk * shape.scale_words);
  if (shape.scale_words > 1) coder.high = __ldg(scales + chunk * shape.scale_words + 1);
  return coder;
}

// The decoded value of entry e of chunk `chunk`.
__device__ inline float load_value(const SparseShape& shape, const std::byte* wire,
                                   std::size_t chunk, const ValueCoder& coder, unsigned e) {
  const auto* codes = reinterpret_cast<const std::uint32_t*>(wire + shape.codes);
  return decode_value(coder, record_bits(codes + chunk * shape.code_words, e, shape.code_bits));
}

// The same of a chunk of which a thread reads few entries: of a codebook only that value is loaded.
__device__ inline float load_value(const SparseShape& shape, const std::byte* wire,
                                   std::size_t chunk, unsigned e) {
  if (shape.element != Element::codebook2) {
    return load_value(shape, wire, chunk, chunk_coder(shape, wire, chunk), e);
  }
  const auto* codes = reinterpret_cast<const std::uint32_t*>(wire + shape.codes);
  const std::uint32_t code = __ldg(codes + chunk * shape.code_words + e / 16) >> (e % 16 * 2) & 3u;
  const auto* header = reinterpret_cast<const float*>(wire);
  return __ldg(header + 2 + code) + __ldg(header);
}

// Entry e of chunk `chunk`: its index in the chunk, which is not enumerated, and its decoded value.
__device__ inline Entry load_entry(const SparseShape& shape, const std::byte* wire,
                                   std::size_t chunk, unsigned e) {
  const auto* indices = reinterpret_cast<const std::uint32_t*>(wire + shape.indices);
  return {record_bits(indices + chunk * shape.index_words, e, shape.index_bits),
          load_value(shape, wire, chunk, e)};
}

// 0 where nothing was counted, NaN where something counted was not finite.
__device__ inline float mean_of(double sum, double count) {
  if (!is_finite(sum)) return __uint_as_float(kNaNScale);
  return count > 0 ? __double2float_rn(__ddiv_rn(sum, count)) : 0.0f;
}

}  // namespace codecs::cuda
