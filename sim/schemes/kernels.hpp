// The codec kernels that a scheme launches, one after the other, and over how many elements.
#pragma once

#include <vector>

#include "sim/schemes/scheme.hpp"

namespace sim {

// Of a shard's updated weights, whose values have `value_bytes`.
[[nodiscard]] CodecUse weight_encode(const WeightExchange& exchange, double elements,
                                     int value_bytes);
// Of all gathered wires, to BF16 weights; of differences, added to them.
[[nodiscard]] CodecUse weight_decode(const WeightExchange& exchange, double elements);

// Of the FP32 gradient buffer into `wire`, for `ranks` that share the sum: one kernel, after a pass
// of its own for the Hadamard transform where the scheme does not fuse it.
[[nodiscard]] std::vector<CodecUse> gradient_encode(const GradientExchange& exchange,
                                                    const Wire& wire, double elements, int ranks);
// Sum of `inputs` wires `from` others, encoded again as `to`, of `elements` sums of all `ranks`.
[[nodiscard]] std::vector<CodecUse> gradient_encode_sum(const GradientExchange& exchange,
                                                        const Wire& from, const Wire& to,
                                                        int inputs, double elements, int ranks);
// Sum of `inputs` wires into FP32.
[[nodiscard]] CodecUse gradient_sum(const Wire& wire, int inputs, double elements);
// Of the gathered sums of all `ranks`, or of a sum that was made in flight.
[[nodiscard]] CodecUse gradient_decode(const GradientExchange& exchange, double elements,
                                       int ranks);

// Activations, which are BF16.
[[nodiscard]] CodecUse activation_encode(const Wire& wire, double elements);
[[nodiscard]] CodecUse activation_sum(const Wire& wire, int inputs, double elements);
[[nodiscard]] CodecUse activation_decode(const Wire& wire, double elements);

// Whether the matrix products take the wire's codes as they come, so that nobody decodes them.
[[nodiscard]] bool products_take(const Parallelism& parallelism, const Wire& wire);

}  // namespace sim
