// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/kernels.hpp"

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/schemes/formats.hpp"
#include "sim/times/calibration_rows.hpp"

namespace sim {
namespace {

using codecs::Operation;

const codecs::MethodStep* step_of(const GradientExchange& exchange, const char* name) {
  return exchange.method == nullptr ? nullptr : step_named(exchange.method->name, name);
}

// A step of the exchange's method over `elements` that `ranks` share; they are padded to what each
// rank's shard has to be a multiple of.
CodecUse method_step(const GradientExchange& exchange, const char* name, double elements,
                     int ranks) {
  const codecs::MethodStep* step = step_of(exchange, name);
  require(step != nullptr, "a scheme's method has the steps that it launches");
  constexpr double kShardMultiple = 128;  // codecs/one_bit/one_bit.hpp
  const double multiple = kShardMultiple * ranks;
  const double padded = std::ceil(elements / multiple) * multiple;
  return {.elements = padded,
          .step = step,
          .shape = {.elements = static_cast<std::size_t>(padded),
                    .ranks = step->takes_ranks ? static_cast<std::size_t>(ranks) : 1}};
}

CodecUse encode_of(const GradientExchange& exchange, const Wire& wire, double elements, int ranks) {
  if (step_of(exchange, "encode") != nullptr)
    return method_step(exchange, "encode", elements, ranks);
  if (exchange.residual_bytes > 0) {
    return {.operation = Operation::encode_feedback,
            .wire = wire,
            .residual_bytes = exchange.residual_bytes,
            .elements = elements};
  }
  return {.operation = Operation::encode, .wire = wire, .elements = elements};
}

}  // namespace

CodecUse weight_encode(const WeightExchange& exchange, double elements, int value_bytes) {
  return {.operation = exchange.difference ? Operation::encode_difference : Operation::encode,
          .wire = exchange.wire,
          .value_bytes = value_bytes,
          .elements = elements};
}

CodecUse weight_decode(const WeightExchange& exchange, double elements) {
  return {.operation = exchange.difference ? Operation::decode_add : Operation::decode,
          .wire = exchange.wire,
          .value_bytes = 2,
          .elements = elements};
}

std::vector<CodecUse> gradient_encode(const GradientExchange& exchange, const Wire& wire,
                                      double elements, int ranks) {
  std::vector<CodecUse> kernels;
  // The transform alone reads and writes FP32, as an encoder of FP32 does.
  if (wire.format.rotation == codecs::Rotation::hadamard && !exchange.fused_hadamard) {
    kernels.push_back(
        {.operation = Operation::encode, .wire = {formats::kFp32}, .elements = elements});
  }
  kernels.push_back(encode_of(exchange, wire, elements, ranks));
  return kernels;
}

std::vector<CodecUse> gradient_encode_sum(const GradientExchange& exchange, const Wire& from,
                                          const Wire& to, int inputs, double elements, int ranks) {
  if (step_of(exchange, "reduce") != nullptr) {
    return {method_step(exchange, "reduce", elements * ranks, ranks)};
  }
  if (exchange.residual_bytes > 0) {  // the sum has a residual of its own
    return {gradient_sum(from, inputs, elements), encode_of(exchange, to, elements, ranks)};
  }
  return {{.operation = Operation::decode_reduce_encode,
           .wire = from,
           .wire_out = to,
           .inputs = inputs,
           .elements = elements}};
}

CodecUse gradient_sum(const Wire& wire, int inputs, double elements) {
  return {
      .operation = Operation::decode_reduce, .wire = wire, .inputs = inputs, .elements = elements};
}

CodecUse gradient_decode(const GradientExchange& exchange, double elements, int ranks) {
  if (step_of(exchange, "decode") != nullptr)
    return method_step(exchange, "decode", elements, ranks);
  return {.operation = Operation::decode, .wire = exchange.between, .elements = elements};
}

CodecUse activation_encode(const Wire& wire, double elements) {
  return {.operation = Operation::encode, .wire = wire, .value_bytes = 2, .elements = elements};
}

CodecUse activation_decode(const Wire& wire, double elements) {
  return {.operation = Operation::decode, .wire = wire, .value_bytes = 2, .elements = elements};
}

bool products_take(const Parallelism& p, const Wire& wire) {
  using codecs::Element;
  using codecs::Scale;
  if (wire.card) return false;
  const codecs::Format& format = wire.format;
  const bool eight = format.element == Element::e4m3;
  switch (p.matrices) {
    case MatrixPrecision::bf16:
    case MatrixPrecision::fp8_rowwise:  // weights are gathered in BF16: rows differ by product
    case MatrixPrecision::fp8_rowwise_gw_hp:
      return false;
    case MatrixPrecision::fp8:
      return eight && format.group == codecs::kWholeTensor;
    case MatrixPrecision::mxfp8:
      return eight && format.group == 32 && codecs::bytes_of(format.scale) == 1;
    case MatrixPrecision::nvfp4:
      return format.element == Element::e2m1 && format.scale == Scale::e4m3_tensor;
  }
  return false;
}

}  // namespace sim
