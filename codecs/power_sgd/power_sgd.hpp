// SPDX-License-Identifier: Apache-2.0
// PowerSGD (arXiv 1905.13727, algorithms 1 and 2): a matrix travels as two thin factors, found by
// one step of subspace iteration, so that the ranks' factors add up in a plain all_reduce. For n x
// m values M, with r columns in each factor:
//
//   M = values + residual
//   P = M Q             n x r, mean over the ranks; then orthonormal columns
//   Q = M^T P           m x r, mean over the ranks; kept for the next step (warm start)
//   sent = P Q^T,  residual = M - sent
//
// If M - sent is not finite, the residual stays unchanged, and so does Q for the next step.
//
// Matrices are row-major, factors column-major, all in float32. Vectors, and matrices whose factors
// have at least half their size (n m <= 2 r (n + m)), travel unchanged. On the wire: P, then Q, r
// (n + m) float32. Not a row of the registry, since the shape matters.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr float kPowerSgdEpsilon = 1e-8f;      // added to norms
inline constexpr std::size_t kPowerSgdLeastGain = 2;  // times fewer values than the matrix

struct PowerSgd {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t rank = 1;

  [[nodiscard]] std::size_t elements() const { return rows * columns; }
};

[[nodiscard]] bool travels_as_factors(const PowerSgd& shape);
// Of both all_reduces together, for each rank's contribution.
[[nodiscard]] std::size_t power_sgd_bytes(const PowerSgd& shape);

// The factor Q of the first step: independent N(0, 1) by the Box-Muller transform of the Philox
// words of codecs/random/random.hpp, four values per block. Ranks must agree on the key.
[[nodiscard]] std::vector<float> power_sgd_start(const PowerSgd& shape, const RandomKey& key);

// Makes the columns of a factor of `rows` rows orthonormal, from the first on (modified
// Gram-Schmidt): each is divided by its norm + epsilon, and its component is removed from the later
// ones. A column that depends on others is reduced to rounding errors, which the division scales up
// to unit length: a factor rank above the matrix's own rank costs accuracy, as in the authors'
// code.
void orthonormalise(std::size_t rows, std::span<float> factor);

// P = M Q, Q = M^T P and P Q^T.
void project(const PowerSgd& shape, std::span<const float> matrix, std::span<const float> q,
             std::span<float> p);
void project_back(const PowerSgd& shape, std::span<const float> matrix, std::span<const float> p,
                  std::span<float> q);
void expand(const PowerSgd& shape, std::span<const float> p, std::span<const float> q,
            std::span<float> matrix);

struct PowerSgdState {
  std::vector<float> q;                      // first that of power_sgd_start()
  std::vector<std::vector<float>> residual;  // of each rank
};
[[nodiscard]] PowerSgdState power_sgd_state(const PowerSgd& shape, std::size_t ranks,
                                            const RandomKey& key);
// The whole exchange in memory: returns what every rank installs as the mean.
[[nodiscard]] std::vector<float> all_reduce_power_sgd(const PowerSgd& shape,
                                                      std::span<const std::vector<float>> values,
                                                      PowerSgdState& state);

}  // namespace codecs
