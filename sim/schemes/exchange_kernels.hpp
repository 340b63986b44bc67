// The codec kernels that a scheme launches, and over how many elements.
#pragma once

#include <vector>

#include "sim/schemes/scheme.hpp"
#include "sim/workload/calibration.hpp"

namespace sim {

// Of a shard's updated weights, in BF16.
[[nodiscard]] KernelUse weight_encode(const Scheme& scheme, double elements);
// Of all gathered differences, added to the BF16 weights.
[[nodiscard]] KernelUse weight_decode(const Scheme& scheme, double elements);

// Of the FP32 gradient buffer into `wire`: one kernel, after a pass of its own for the Hadamard
// transform where the scheme does not fuse it.
[[nodiscard]] std::vector<KernelUse> gradient_encode(const Scheme& scheme,
                                                     const codecs::Format& wire, double elements);
// Sum of `inputs` wires from inside the node, encoded for between nodes.
[[nodiscard]] KernelUse gradient_requantize(const GradientExchange& exchange, int inputs,
                                            double elements);
// Sum of `inputs` wires into the FP32 shard.
[[nodiscard]] KernelUse gradient_sum(const codecs::Format& wire, int inputs, double elements);

}  // namespace sim
