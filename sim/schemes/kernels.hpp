// SPDX-License-Identifier: Apache-2.0
// The codec kernels that a scheme launches, in order, and the number of elements of each.
#pragma once

#include <vector>

#include "sim/schemes/scheme.hpp"

namespace sim {

// Encodes a shard's updated weights, stored with `value_bytes` per value.
[[nodiscard]] CodecUse weight_encode(const WeightExchange& exchange, double elements,
                                     int value_bytes);
// Decodes all gathered wires to BF16 weights; differences are added to the weights.
[[nodiscard]] CodecUse weight_decode(const WeightExchange& exchange, double elements);

// Encodes the FP32 gradient buffer into `wire`, for `ranks` that share the sum: one kernel,
// preceded by a separate pass for the Hadamard transform unless the scheme fuses it.
[[nodiscard]] std::vector<CodecUse> gradient_encode(const GradientExchange& exchange,
                                                    const Wire& wire, double elements, int ranks);
// Sums `inputs` wires `from` others and encodes the sum as `to`; `elements` counts the sums of all
// `ranks`.
[[nodiscard]] std::vector<CodecUse> gradient_encode_sum(const GradientExchange& exchange,
                                                        const Wire& from, const Wire& to,
                                                        int inputs, double elements, int ranks);
// Sums `inputs` wires into FP32.
[[nodiscard]] CodecUse gradient_sum(const Wire& wire, int inputs, double elements);
// Decodes the gathered sums of all `ranks`, or a sum made in flight.
[[nodiscard]] CodecUse gradient_decode(const GradientExchange& exchange, double elements,
                                       int ranks);

// Kernels on activations, which are BF16.
[[nodiscard]] CodecUse activation_encode(const Wire& wire, double elements);
[[nodiscard]] CodecUse activation_decode(const Wire& wire, double elements);

// Whether the matrix products take the wire's codes directly, without decoding.
[[nodiscard]] bool products_take(const Parallelism& parallelism, const Wire& wire);

}  // namespace sim
