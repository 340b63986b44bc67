// The transform as a kernel of its own, in place: what fusing it into an encode saves is this
// kernel's pass over memory. codecs/cuda/kernels.hpp says what all launchers promise.
#pragma once

#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// Throws std::invalid_argument unless the count is a multiple of 32.
void hadamard_async(Tensor<float> values, cudaStream_t stream);

}  // namespace codecs::cuda
