// SPDX-License-Identifier: Apache-2.0
// Codec: how a vector of numbers becomes bytes on the wire. A codec is a value: a name, a format
// with its parameters and its layout's sizes, and the functions of its folder. The simulator only
// asks a codec for sizes and for its kernels' memory traffic; tests and error tables also run its
// reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "codecs/format.hpp"

namespace codecs {

// The key of the random bits of stochastic rounding: the same key gives the same bytes on CPU and
// GPU, and ranks differ, so that their errors do not add up coherently. Each element has its own
// bits, so a tensor encoded in pieces draws the same bits as when encoded whole.
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
// Its name in tables of times, "decode_reduce"; and the operation of a name, or nothing.
[[nodiscard]] std::string_view name_of(Operation operation);
[[nodiscard]] std::optional<Operation> operation_named(std::string_view name);

// The least bytes that a kernel must move through GPU memory, per element of its output (of its
// input for encode and encode_difference).
struct Traffic {
  double read = 0;
  double written = 0;
  // Instructions of passes that move next to nothing, on GPUs, between those that do.
  double instructions = 0;
};

struct KernelShape {
  Operation operation = Operation::encode;
  Format wire = {};           // read by the decodes, written by the encodes
  Format wire_out = {};       // decode_reduce_encode only: its output
  int inputs = 1;             // wires to sum
  int value_bytes = 4;        // per value read or written: 4 for float32, 2 for bfloat16
  double residual_bytes = 4;  // per element of encode_feedback's residual
};

// Bytes that even a fused kernel must move: the layout's. For what a composition of kernels moves, see
// composed().
[[nodiscard]] Traffic memory_traffic(const KernelShape& shape);
// Of a kernel that moves its values and wires once. With a scale for the whole tensor, alone or
// above the groups' scales, an encode reads its values, or the wires that it sums, twice.
// value_bytes applies to the new values of encode_difference, whose old values are bfloat16, and to
// the values that decode_add reads and writes.
[[nodiscard]] Traffic streamed_traffic(const KernelShape& shape);

// Whether GPUs have a kernel of the codec's own for this operation: always, but for encode_feedback and
// decode_add of some formats. Those are composed: codecs/cuda/feedback.hpp and decode_add.hpp.
[[nodiscard]] bool is_fused(const KernelShape& shape);
// What a composition does: kernels, whose values are float32, and passes over memory.
struct Composition {
  std::vector<KernelShape> kernels = {};
  std::vector<Traffic> passes = {};
};
// A pass adds the residual to the values, the sum is encoded and decoded, and a pass keeps what was lost; or
// what is decoded is added in a pass. Throws std::invalid_argument for other operations.
[[nodiscard]] Composition composed(const KernelShape& shape);

// The sizes of a layout, as functions of its folder.
struct Layout {
  // Bytes on the wire of `elements` values: payload, scales and padding. 0 elements are 0 bytes.
  std::size_t (*bytes)(const Format&, std::size_t elements) = nullptr;
  // The same per element, for large counts.
  double (*bytes_per_element)(const Format&) = nullptr;
  // Of a kernel that reads this layout, or of an encode that writes it.
  Traffic (*traffic)(const KernelShape&) = streamed_traffic;
  // Whether its codecs also work with groups of this size, from 32 to 2^20; null: their own alone.
  bool (*takes_group)(const Format&, std::size_t group) = nullptr;
  // Of is_fused(), for encode_feedback and decode_add; null: no.
  bool (*fuses_feedback)(const Format&) = nullptr;
  bool (*fuses_add)(const Format&, int value_bytes) = nullptr;
  bool summable = false;         // wires of several ranks can be added up in flight
  std::string_view suffix = {};  // of the names of formats without a row: "_enumerated"
};

struct Codec {
  std::string_view name;     // "int4_g2048"
  std::string_view summary;  // one line for `list`
  Format format = {};
  // Fills exactly encoded_bytes(format, values.size()) bytes of `wire`; both functions throw
  // std::invalid_argument if the sizes of wire and values disagree.
  void (*encode)(const Format&, std::span<const float> values, const RandomKey&,
                 std::span<std::byte> wire) = nullptr;
  void (*decode)(const Format&, std::span<const std::byte> wire, std::span<float> values) = nullptr;
};

// For a caller's breach of a function's contract: throws std::invalid_argument unless `condition`
// holds.
void require(bool condition, const char* why);

// Every shipped codec, in the order of `list`.
[[nodiscard]] std::span<const Codec* const> all_codecs();
// Throws std::out_of_range with a text that lists the known codecs.
[[nodiscard]] const Codec& codec_named(std::string_view name);

}  // namespace codecs
