// Codec: how a vector of numbers becomes bytes on the wire. A codec is a value: a name, a format
// with its parameters, and the functions of its folder. The simulator asks a codec only for sizes
// and for the memory traffic of its kernels; tests and error tables also run its reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "codecs/format.hpp"

namespace codecs {

// Keys the random bits of stochastic rounding: the same key gives the same bytes on CPU and GPU,
// and ranks differ, so that their errors do not add up coherently. Bits belong to elements, so a
// tensor that is encoded in pieces draws the bits that it would draw whole.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
  std::uint32_t tensor = 0;
  std::uint32_t rank = 0;
  std::uint64_t first_element = 0;  // index in the tensor of the first value; a multiple of 16
};

// The kernels that a scheme can ask for.
enum class Operation {
  encode,               // values -> wire
  encode_difference,    // (new values, old values) -> wire of the difference
  encode_feedback,      // (values, residual) -> wire of their sum, residual = what it lost
  decode,               // wire -> values
  decode_add,           // wire -> values += decoded
  decode_reduce,        // R wires -> sum of their values
  decode_reduce_encode  // R wires -> wire of the sum, in another format
};

// Bytes that a kernel must move through GPU memory at the least, for one element of its output
// (of its input for encode and encode_difference).
struct Traffic {
  double read = 0;
  double written = 0;
};

struct KernelShape {
  Operation operation = Operation::encode;
  Format wire = {};           // read by the decodes, written by the encodes
  Format wire_out = {};       // of decode_reduce_encode alone: what it writes
  int inputs = 1;             // wires that are reduced
  int value_bytes = 4;        // of one value that is read or written: 4 for float32, 2 for bfloat16
  double residual_bytes = 4;  // of one element of encode_feedback's residual
};

// The bytes that a fused kernel cannot avoid. Values whose scale is of the whole tensor are read
// twice by an encode. value_bytes is of the new values of encode_difference, whose old values are
// bfloat16, and of the values that decode_add reads and writes.
[[nodiscard]] Traffic memory_traffic(const KernelShape& shape);

struct Codec {
  std::string_view name;     // "int4_g2048"
  std::string_view summary;  // one line for `list`
  Format format = {};
  // Fills exactly encoded_bytes(format, values.size()) bytes of `wire`; both functions throw
  // std::invalid_argument where the sizes of wire and values disagree.
  void (*encode)(const Format&, std::span<const float> values, const RandomKey&,
                 std::span<std::byte> wire) = nullptr;
  void (*decode)(const Format&, std::span<const std::byte> wire, std::span<float> values) = nullptr;
};

// A breach of a function's contract by its caller: throws std::invalid_argument unless `condition`.
void require(bool condition, const char* why);

// Every codec that ships, in the order in which `list` shows them.
[[nodiscard]] std::span<const Codec* const> all_codecs();
// Throws std::out_of_range whose text names the known codecs.
[[nodiscard]] const Codec& codec_named(std::string_view name);

}  // namespace codecs
