// SPDX-License-Identifier: Apache-2.0
#include "codecs/codec.hpp"

#include <stdexcept>

namespace codecs {

void require(bool condition, const char* why) {
  if (!condition) throw std::invalid_argument(why);
}

Traffic memory_traffic(const KernelShape& shape) { return shape.wire.layout->traffic(shape); }

bool fuses_feedback(const Format& format) {
  return format.layout->fuses_feedback != nullptr && format.layout->fuses_feedback(format);
}

ComposedFeedback composed_feedback(const KernelShape& shape) {
  constexpr double kSent = sizeof(float);
  const double both = shape.value_bytes + shape.residual_bytes;
  return {.add = {.read = both, .written = kSent},
          .encode = {.operation = Operation::encode, .wire = shape.wire},
          .decode = {.operation = Operation::decode, .wire = shape.wire},
          // What was sent is made again of both.
          .keep = {.read = both + kSent, .written = shape.residual_bytes}};
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
