// SPDX-License-Identifier: Apache-2.0
// The wire of a partly sent tensor: chunks of consecutive elements, the indices of the sent
// elements, and their values' codes.
//
// Wire layout, all little-endian; each part starts on 16 bytes and is filled up with zeros:
//
//   header   codebook2 alone, 32 bytes: float32 shift, scale, codebook[4], then zeros
//   indices  for each chunk its record: the indices in the chunk, ascending, as many bits as the
//            largest needs, lowest bit first; 12-bit indices are thus two in three bytes,
//            i1 | i2 << 12
//   codes    for each chunk its record, in the order of the indices:
//            2 bits    codebook2: number in the codebook
//            2 bits    sign_magnitude2: bit 0 set if negative, bit 1 if of the higher magnitude
//            1 bit     sign: set if negative
//            16 or 32  fp16, bf16, fp32: the value
//   scales   sign: float32 mean magnitude of each chunk; sign_magnitude2: float32 lower and higher
//
// A record ends on 4 bytes. Every chunk but the last has `keep` slots and records of one length.
// The last, of m < chunk elements, has 2 ceil(keep m / (2 chunk)) slots, of which at most m are
// filled. 64 of 4096 in 2-bit codes: 96 + 16 bytes a chunk, 0.21875 bits an element.
//
// With kEnumeratedLayout the indices of each chunk are one number, as in codecs/subsets/subsets.hpp, of
// no more bits than it needs; each chunk's follows the last one's bits. 64 of 4096: 0.14648 bits an
// element. If all elements of a chunk travel, their indices take no bits.
//
// Chunks follow the order of memory, or that of the tiles of a matrix: codecs/tiles/tiles.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kCodebookHeaderBytes = 32;
inline constexpr std::size_t kSmallestChunk = 2;
inline constexpr std::size_t kLargestChunk = 8192;

// Sizes and offsets in bytes, except for records, which are in words of 4 bytes.
struct SparseWire {
  std::size_t chunks = 0;
  std::size_t coded_elements = 0;  // with a rotation's padding
  std::size_t index_bits = 0;
  std::size_t index_words = 0;  // of a whole chunk's record, unless enumerated
  std::size_t code_words = 0;
  std::size_t scale_words = 0;
  std::size_t index_record_bits = 0;  // of a whole chunk
  std::size_t indices = 0;            // offset of the part
  std::size_t codes = 0;
  std::size_t scales = 0;
  std::size_t bytes = 0;  // of all
};
// Throws std::invalid_argument unless the chunk is in [2, 8192], `keep` even and at most the chunk,
// and the element one of the above.
[[nodiscard]] SparseWire sparse_wire(const Format& format, std::size_t elements);
extern const Layout kSparseLayout;
// The same with enumerated indices.
extern const Layout kEnumeratedLayout;
[[nodiscard]] bool is_enumerated(const Format& format);

// For a chunk with this many elements: slots in the records, and how many of them are filled.
[[nodiscard]] std::size_t slots(const Format& format, std::size_t chunk_elements);
[[nodiscard]] std::size_t kept(const Format& format, std::size_t chunk_elements);
// Elements of chunk `index`.
[[nodiscard]] std::size_t chunk_elements(const Format& format, const SparseWire& wire,
                                         std::size_t index);

// Bits [first, first + count) of `bytes` as a number, lowest first; count <= 32. The range to be
// written must hold zeros.
[[nodiscard]] std::uint32_t get_bits(std::span<const std::byte> bytes, std::size_t first,
                                     std::size_t count);
void put_bits(std::uint32_t value, std::size_t first, std::size_t count,
              std::span<std::byte> bytes);

// The indices of chunk `index`, and its values' codes.
struct SparseRecord {
  std::vector<std::uint32_t> indices;
  std::vector<std::uint32_t> codes;
};
void store_record(const Format& format, std::size_t elements, std::size_t index,
                  const SparseRecord& record, std::span<std::byte> wire);
[[nodiscard]] SparseRecord load_record(const Format& format, std::size_t elements,
                                       std::size_t index, std::span<const std::byte> wire);

// A sum in an order that a block of `lanes` threads can follow: lane l adds up values l, l + lanes,
// ... in turn; then the upper half of the lanes is added to the lower, until one is left. `lanes`
// is a power of two.
[[nodiscard]] double lane_sum(std::span<const double> values, std::size_t lanes);

}  // namespace codecs
