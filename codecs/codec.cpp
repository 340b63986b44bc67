// SPDX-License-Identifier: Apache-2.0
#include "codecs/codec.hpp"

#include <stdexcept>

namespace codecs {

void require(bool condition, const char* why) {
  if (!condition) throw std::invalid_argument(why);
}

Traffic memory_traffic(const KernelShape& shape) { return shape.wire.layout->traffic(shape); }

bool is_fused(const KernelShape& shape) {
  const Layout& layout = *shape.wire.layout;
  switch (shape.operation) {
    case Operation::encode_feedback:
      return layout.fuses_feedback != nullptr && layout.fuses_feedback(shape.wire);
    case Operation::decode_add:
      return layout.fuses_add != nullptr && layout.fuses_add(shape.wire, shape.value_bytes);
    default:
      return true;
  }
}

Composition composed(const KernelShape& shape) {
  constexpr double kFloat = sizeof(float);
  const double value = shape.value_bytes, residual = shape.residual_bytes;
  const KernelShape decode{.operation = Operation::decode, .wire = shape.wire};
  switch (shape.operation) {
    case Operation::encode_feedback:
      return {.kernels = {{.operation = Operation::encode, .wire = shape.wire}, decode},
              // What was sent is made again of both.
              .passes = {{.read = value + residual, .written = kFloat},
                         {.read = value + residual + kFloat, .written = residual}}};
    case Operation::decode_add:
      return {.kernels = {decode}, .passes = {{.read = kFloat + value, .written = value}}};
    default:
      throw std::invalid_argument("an operation that has a kernel of its own");
  }
}

namespace {

// An encode reads once more where a scale depends on the whole tensor.
double encode_passes(const Format& wire) {
  const bool of_tensor = wire.group == kWholeTensor || wire.scale == Scale::e4m3_tensor;
  return of_tensor && wire.scale != Scale::none ? 2 : 1;
}

}  // namespace

Traffic streamed_traffic(const KernelShape& shape) {
  const double wire = encoded_bytes_per_element(shape.wire);
  const double value = shape.value_bytes;
  const double passes = encode_passes(shape.wire);
  switch (shape.operation) {
    case Operation::encode:
      return {.read = passes * value, .written = wire};
    case Operation::encode_difference:
      return {.read = passes * (value + 2), .written = wire};
    case Operation::encode_feedback:
      return {.read = passes * (value + shape.residual_bytes),
              .written = shape.residual_bytes + wire};
    case Operation::decode:
      return {.read = wire, .written = value};
    case Operation::decode_add:
      return {.read = wire + value, .written = value};
    case Operation::decode_reduce:
      return {.read = shape.inputs * wire, .written = value};
    case Operation::decode_reduce_encode:
      return {.read = encode_passes(shape.wire_out) * shape.inputs * wire,
              .written = encoded_bytes_per_element(shape.wire_out)};
  }
  throw std::invalid_argument("an operation outside the enumeration");
}

}  // namespace codecs
