// The kernels of the SDP4Bit schemes, with the numbers of inputs that clusters have, and what
// operations.cpp shares with them.
#pragma once

#include "apps/calibrate/operations.hpp"
#include "codecs/cuda/registry.hpp"

namespace calibrate {

[[nodiscard]] codecs::RandomKey key_at(std::size_t first);
[[nodiscard]] const codecs::cuda::CudaCodec& cuda_codec(const codecs::Codec& codec);

// Wires of the workspace: `inputs` encodings of its first `elements` values, each with the random
// bits of its own rank.
void encode_inputs(const codecs::cuda::CudaCodec& row, const Workspace& workspace, int inputs,
                   std::size_t elements, cudaStream_t stream);

void add_weight_operations(const Workspace& workspace, std::size_t elements,
                           std::vector<Measured>& all);
// `elements` are those of all inputs together: of a rank's gradient.
void add_gradient_operations(const Workspace& workspace, std::size_t elements,
                             std::vector<Measured>& all);

}  // namespace calibrate
