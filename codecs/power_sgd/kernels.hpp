// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of PowerSGD; codecs/cuda/kernels.hpp states the contract of all launchers, except
// for equal bytes: sums run in other orders than the reference's, so errors are at most twice those
// of plain loops in float32. Given the same all_reduced factors, every GPU of a kind computes the
// same bits.
//
// A step of each rank; both factors are averaged over the ranks in place:
//
//   power_sgd_p_async        all_reduce of p, rows x rank values
//   power_sgd_q_async        all_reduce of next_q, columns x rank values
//   power_sgd_finish_async
//
// Passes over the matrix: M = values + residual 12 bytes per element, P and Q 4 bytes each, sent
// and residual 12 bytes together.
//
// If a step is not finite, residual and q stay unchanged: M has its own memory, which may be that
// of the values.
#pragma once

#include "codecs/cuda/cublas.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/power_sgd/power_sgd.hpp"

namespace codecs::cuda {

inline constexpr std::size_t kMostPowerSgdRank = 32;

// A rank's data for a matrix, and the flag of Encoding. Residual and q persist from step to step.
struct PowerSgdBuffers {
  float* residual = nullptr;  // rows x columns, zeros before the first step
  float* matrix = nullptr;    // rows x columns: M during a step, what is sent after it
  float* p = nullptr;         // rows x rank
  float* q = nullptr;         // columns x rank, from power_sgd_start_async() before the first step
  float* next_q = nullptr;    // columns x rank: q of the next step
  unsigned* nonfinite = nullptr;
};

// The reference's values, up to the last digit of the device's logarithm and sine.
void power_sgd_start_async(const PowerSgd& shape, const RandomKey& key, float* q,
                           cudaStream_t stream);

// M = values + residual, P = M Q. `multiply` computes in float32, as load_cublas()'s does.
void power_sgd_p_async(const PowerSgd& shape, const float* values, const PowerSgdBuffers& buffers,
                       const Multiply& multiply, cudaStream_t stream);
// Orthonormal P, Q = M^T P. One block makes P orthonormal: a single matrix leaves most of a GPU
// idle, so distribute matrices over several streams.
void power_sgd_q_async(const PowerSgd& shape, const PowerSgdBuffers& buffers,
                       const Multiply& multiply, cudaStream_t stream);
// sent = P Q^T in place of M, each of `rank` products added by a fused multiply-add; if both are
// finite, residual = M - sent and q = next_q.
void power_sgd_finish_async(const PowerSgd& shape, const PowerSgdBuffers& buffers,
                            cudaStream_t stream);

// Makes the columns of a factor of `rows` rows orthonormal, like orthonormalise().
void orthonormalise_async(std::size_t rows, std::size_t columns, float* factor,
                          cudaStream_t stream);

}  // namespace codecs::cuda
