// SPDX-License-Identifier: Apache-2.0
#include "codecs/method.hpp"

#include <array>

#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

constexpr double kFloat = sizeof(float);

double values(const StepShape& shape) { return kFloat * static_cast<double>(shape.elements); }
double wires(const StepShape& shape, std::size_t wire) {
  return static_cast<double>(shape.ranks) * static_cast<double>(wire);
}

std::size_t loco_wire(const StepShape& shape) {
  return encoded_bytes(measured_loco().wire, shape.elements);
}
double loco_encode(const StepShape& shape) {
  const std::size_t residual = encoded_bytes(residual_format(measured_loco()), shape.elements);
  return values(shape) + 2 * static_cast<double>(residual) + static_cast<double>(loco_wire(shape));
}

// The norms come before the sum; the parameters are read and written.
std::size_t sparse_peer(const StepShape& shape) {
  return encoded_bytes(sparseloco.format, shape.elements);
}
double sparse_aggregate(const StepShape& shape) {
  return 2 * wires(shape, sparse_peer(shape)) + 2 * values(shape);
}

std::size_t one_bit_wire(const StepShape& shape) { return one_bit_of(shape).wire_bytes(); }
// Values and residual for the scale, and again for the signs and what they lose.
double one_bit_encode(const StepShape& shape) {
  return 5 * values(shape) + wires(shape, one_bit_wire(shape));
}
// The same of the shard, whose values are the wires'.
double one_bit_reduce(const StepShape& shape) {
  const double wire = static_cast<double>(one_bit_wire(shape));
  return 2 * wires(shape, one_bit_wire(shape)) + 3 * values(shape) / wires(shape, 1) + wire;
}
double one_bit_decode(const StepShape& shape) {
  return wires(shape, one_bit_wire(shape)) + values(shape);
}

std::size_t dgc_wire_bytes(const StepShape& shape) { return dgc_wire({}, shape.elements).bytes; }
// Gradient, momentum and gathered gradient; the last once more to count what the threshold lets
// through, and written as the second is.
double dgc_encode(const StepShape& shape) {
  return 6 * values(shape) + static_cast<double>(dgc_wire_bytes(shape));
}
double dgc_decode(const StepShape& shape) {
  return wires(shape, dgc_wire_bytes(shape)) + values(shape);
}

std::size_t p_bytes(const StepShape& shape) {
  const PowerSgd matrix = power_sgd_of(shape);
  return matrix.rows * matrix.rank * sizeof(float);
}
std::size_t q_bytes(const StepShape& shape) {
  const PowerSgd matrix = power_sgd_of(shape);
  return matrix.columns * matrix.rank * sizeof(float);
}
std::size_t both_bytes(const StepShape& shape) { return power_sgd_bytes(power_sgd_of(shape)); }
double power_sgd_p(const StepShape& shape) {
  return 3 * values(shape) + static_cast<double>(both_bytes(shape));
}
// P is made orthonormal in its place.
double power_sgd_q(const StepShape& shape) {
  return values(shape) + static_cast<double>(both_bytes(shape) + p_bytes(shape));
}
double power_sgd_finish(const StepShape& shape) {
  return 3 * values(shape) + static_cast<double>(both_bytes(shape));
}

constexpr std::array kSteps{
    MethodStep{"loco", "encode", false, false, loco_wire, loco_encode},
    MethodStep{"sparseloco", "aggregate", true, false, sparse_peer, sparse_aggregate},
    MethodStep{"one_bit_adam", "encode", true, false, one_bit_wire, one_bit_encode},
    MethodStep{"one_bit_adam", "reduce", true, false, one_bit_wire, one_bit_reduce},
    MethodStep{"one_bit_adam", "decode", true, false, one_bit_wire, one_bit_decode},
    MethodStep{"dgc", "encode", false, false, dgc_wire_bytes, dgc_encode},
    MethodStep{"dgc", "decode_mean", true, false, dgc_wire_bytes, dgc_decode},
    MethodStep{"power_sgd", "p", false, true, p_bytes, power_sgd_p},
    MethodStep{"power_sgd", "q", false, true, q_bytes, power_sgd_q},
    MethodStep{"power_sgd", "finish", false, true, both_bytes, power_sgd_finish},
};

}  // namespace

std::span<const MethodStep> all_method_steps() { return kSteps; }

Loco measured_loco() {
  return {.wire = {.element = Element::int4, .scale = Scale::amax_full, .group = 2048}};
}

OneBit one_bit_of(const StepShape& shape) {
  const OneBit exchange{.elements = shape.elements, .ranks = shape.ranks};
  require_shards(exchange);
  return exchange;
}

PowerSgd power_sgd_of(const StepShape& shape) {
  require(shape.columns > 0 && shape.elements % shape.columns == 0, "columns divide the matrix");
  const PowerSgd matrix{
      .rows = shape.elements / shape.columns, .columns = shape.columns, .rank = shape.factor_rank};
  require(matrix.rank > 0 && travels_as_factors(matrix),
          "factors that are smaller than the matrix");
  return matrix;
}

}  // namespace codecs
