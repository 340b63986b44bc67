// SPDX-License-Identifier: Apache-2.0
// A copy and the memory passes of an optimizer step: GPU measurements besides the codecs.
// codecs/cuda/kernels.hpp states the contract of all launchers; lengths here are multiples of
// 16 bytes.
#pragma once

#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// By as many thread blocks of 512 threads as the device holds at once.
void copy_async(const std::byte* from, std::byte* to, std::size_t bytes, cudaStream_t stream);

// Sets *sum to zero and then to the sum of the squares, in an unspecified order of terms.
void sum_of_squares_async(Tensor<const float> values, float* sum, cudaStream_t stream);

void scale_async(Tensor<float> values, float factor, cudaStream_t stream);

// Adam with decoupled weight decay (AdamW, arXiv 1711.05101, algorithm 2):
//   m = b1 m + (1 - b1) g;  v = b2 v + (1 - b2) g^2
//   w = w - rate (correction1 m / (sqrt(correction2 v) + epsilon) + decay w)
struct Adam {
  float beta1 = 0.9f, beta2 = 0.95f;
  float correction1 = 1, correction2 = 1;  // 1 / (1 - beta^step)
  float rate = 1e-4f, epsilon = 1e-8f, decay = 0.1f;
};
struct AdamState {
  float* weights = nullptr;
  float* first_moments = nullptr;
  float* second_moments = nullptr;
};
void adam_async(const Adam& adam, Tensor<const float> gradients, const AdamState& state,
                cudaStream_t stream);

}  // namespace codecs::cuda
