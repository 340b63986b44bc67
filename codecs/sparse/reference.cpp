// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "codecs/group/group.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/subsets/subsets.hpp"

namespace codecs {
namespace {

constexpr std::size_t kWordBits = 32;

std::size_t words_of(std::size_t bits) { return (bits + kWordBits - 1) / kWordBits; }

std::size_t scale_words_of(Element element) {
  switch (element) {
    case Element::sign:
      return 1;
    case Element::sign_magnitude2:
      return 2;
    default:
      return 0;
  }
}

void require_sparse_format(const Format& format) {
  require(format.group >= kSmallestChunk && format.group <= kLargestChunk,
          "a chunk has from 2 to 8192 elements");
  require(format.keep > 0 && format.keep % 2 == 0 && format.keep <= format.group,
          "an even number of a chunk's elements travels");
  const Element e = format.element;
  require(e == Element::codebook2 || e == Element::sign_magnitude2 || e == Element::sign ||
              e == Element::fp32 || e == Element::fp16 || e == Element::bf16,
          "sparse values are fp32, fp16, bf16, codebook2, sign_magnitude2 or sign");
}

std::size_t code_bits(const Format& format) {
  return static_cast<std::size_t>(bits_of(format.element));
}

// Of a chunk's indices: where so many elements of it have a slot.
std::size_t index_record_bits(const Format& format, std::size_t chunk, std::size_t slot_count) {
  if (is_enumerated(format)) return subset_bits(chunk, std::min(chunk, slot_count));
  const auto bits = static_cast<std::size_t>(std::bit_width(format.group - 1));
  return words_of(slot_count * bits) * kWordBits;
}

// Of one chunk.
SparseWire record_sizes(const Format& format) {
  SparseWire wire;
  wire.index_bits = static_cast<std::size_t>(std::bit_width(format.group - 1));
  wire.index_words = words_of(format.keep * wire.index_bits);
  wire.code_words = words_of(format.keep * code_bits(format));
  wire.scale_words = scale_words_of(format.element);
  wire.index_record_bits = index_record_bits(format, format.group, format.keep);
  return wire;
}

// Offsets of the first bit of chunk `index` in the wire.
std::size_t first_index_bit(const SparseWire& wire, std::size_t index) {
  return wire.indices * 8 + index * wire.index_record_bits;
}
std::size_t first_code_bit(const SparseWire& wire, std::size_t index) {
  return wire.codes * 8 + index * wire.code_words * kWordBits;
}

}  // namespace

std::size_t slots(const Format& format, std::size_t chunk_elements) {
  const std::size_t twice = 2 * format.group;
  return 2 * ((format.keep * chunk_elements + twice - 1) / twice);
}

std::size_t kept(const Format& format, std::size_t chunk_elements) {
  return std::min(slots(format, chunk_elements), chunk_elements);
}

std::size_t chunk_elements(const Format& format, const SparseWire& wire, std::size_t index) {
  return std::min(format.group, wire.coded_elements - index * format.group);
}

SparseWire sparse_wire(const Format& format, std::size_t elements) {
  require_sparse_format(format);
  SparseWire wire = record_sizes(format);
  if (elements == 0) return wire;
  wire.chunks = (elements + format.group - 1) / format.group;
  wire.coded_elements = format.rotation == Rotation::none ? elements : wire.chunks * format.group;
  const std::size_t whole = wire.chunks - 1;
  const std::size_t rest = chunk_elements(format, wire, whole);
  const std::size_t last = slots(format, rest);
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  wire.indices = format.element == Element::codebook2 ? kCodebookHeaderBytes : 0;
  const std::size_t index_bits =
      whole * wire.index_record_bits + index_record_bits(format, rest, last);
  wire.codes = wire.indices + aligned((index_bits + 7) / 8);
  wire.scales =
      wire.codes + aligned((whole * wire.code_words + words_of(last * code_bits(format))) * kWord);
  wire.bytes = wire.scales + aligned(wire.chunks * wire.scale_words * kWord);
  return wire;
}

namespace {

std::size_t sparse_bytes(const Format& format, std::size_t elements) {
  return sparse_wire(format, elements).bytes;
}

double sparse_bytes_per_element(const Format& format) {
  require_sparse_format(format);
  const SparseWire wire = record_sizes(format);
  const std::size_t words = wire.code_words + wire.scale_words;
  const std::size_t bits = wire.index_record_bits + words * kWordBits;
  return static_cast<double>(bits) / 8 / static_cast<double>(format.group);
}

// A tensor's codebook takes a pass over all values before they are coded, and what is lost is known
// only after it. Where few travel, the further passes are over those.
double passes_of_codebook(const Format& format, Operation operation) {
  if (format.element != Element::codebook2 || format.keep < format.group) return 0;
  switch (operation) {
    case Operation::encode:
    case Operation::encode_difference:
    case Operation::decode_reduce_encode:
      return 1;
    case Operation::encode_feedback:
      return 2;
    default:
      return 0;
  }
}

// Of kernels that rank the indices of 64 of 4096, and that find them: in their machine code for sm_90
// (codecs/top_k/enumerated.cuh), for each element. Both go with the words of a rank, and ranking with the
// share that is ranked.
constexpr double kRanked = 95, kFound = 120;

double rank_instructions(const Format& format, bool finds) {
  if (!is_enumerated(format) || format.keep == format.group) return 0;
  const double words = static_cast<double>(record_sizes(format).index_record_bits) / 472;
  const double share = 64.0 * static_cast<double>(format.keep) / static_cast<double>(format.group);
  return words * (finds ? kFound : kRanked * share);
}

Traffic enumerated_traffic(const KernelShape& shape) {
  Traffic traffic = streamed_traffic(shape);
  switch (shape.operation) {
    case Operation::encode:
    case Operation::encode_difference:
    case Operation::encode_feedback:
      traffic.instructions = rank_instructions(shape.wire, false);
      break;
    case Operation::decode_reduce_encode:
      traffic.instructions = rank_instructions(shape.wire_out, false);
      [[fallthrough]];
    default:
      traffic.instructions += shape.inputs * rank_instructions(shape.wire, true);
  }
  const bool again = shape.operation == Operation::decode_reduce_encode;
  traffic.read *= 1 + passes_of_codebook(again ? shape.wire_out : shape.wire, shape.operation);
  return traffic;
}

// What is not sent stays: the kernels that choose write it at once.
bool fuses_sparse_feedback(const Format&) { return true; }

}  // namespace

constexpr Layout kSparseLayout{.bytes = sparse_bytes,
                               .bytes_per_element = sparse_bytes_per_element,
                               .fuses_feedback = fuses_sparse_feedback};
constexpr Layout kEnumeratedLayout{.bytes = sparse_bytes,
                                   .bytes_per_element = sparse_bytes_per_element,
                                   .traffic = enumerated_traffic,
                                   .fuses_feedback = fuses_sparse_feedback,
                                   .suffix = "_enumerated"};

bool is_enumerated(const Format& format) { return format.layout == &kEnumeratedLayout; }

std::uint32_t get_bits(std::span<const std::byte> bytes, std::size_t first, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto byte = std::to_integer<std::uint32_t>(bytes[(first + i) / 8]);
    value |= (byte >> ((first + i) % 8) & 1u) << i;
  }
  return value;
}

void put_bits(std::uint32_t value, std::size_t first, std::size_t count,
              std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bit = (value >> i & 1u) << ((first + i) % 8);
    bytes[(first + i) / 8] |= static_cast<std::byte>(bit);
  }
}

void store_record(const Format& format, std::size_t elements, std::size_t index,
                  const SparseRecord& record, std::span<std::byte> wire) {
  const SparseWire layout = sparse_wire(format, elements);
  const std::size_t first = first_index_bit(layout, index);
  const bool ranked = is_enumerated(format);
  if (ranked) put_subset(record.indices, chunk_elements(format, layout, index), first, wire);
  for (std::size_t i = 0; i < record.indices.size(); ++i) {
    if (!ranked) {
      put_bits(record.indices[i], first + i * layout.index_bits, layout.index_bits, wire);
    }
    put_bits(record.codes[i], first_code_bit(layout, index) + i * code_bits(format),
             code_bits(format), wire);
  }
}

SparseRecord load_record(const Format& format, std::size_t elements, std::size_t index,
                         std::span<const std::byte> wire) {
  const SparseWire layout = sparse_wire(format, elements);
  const std::size_t first = first_index_bit(layout, index);
  const std::size_t chunk = chunk_elements(format, layout, index);
  const std::size_t count = kept(format, chunk);
  const bool ranked = is_enumerated(format);
  SparseRecord record;
  if (ranked) record.indices = get_subset(chunk, count, first, wire);
  for (std::size_t i = 0; i < count; ++i) {
    if (!ranked) {
      record.indices.push_back(get_bits(wire, first + i * layout.index_bits, layout.index_bits));
    }
    record.codes.push_back(
        get_bits(wire, first_code_bit(layout, index) + i * code_bits(format), code_bits(format)));
  }
  return record;
}

double lane_sum(std::span<const double> values, std::size_t lanes) {
  std::vector<double> sums(lanes, 0.0);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i % lanes] += values[i];
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

}  // namespace codecs
