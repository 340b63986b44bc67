// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "codecs/power_sgd/power_sgd.hpp"
#include "codecs/random/random.hpp"

namespace codecs {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Factor = Eigen::MatrixXf;

Eigen::Index index(std::size_t count) { return static_cast<Eigen::Index>(count); }

Eigen::Map<const Matrix> as_matrix(const PowerSgd& shape, std::span<const float> values) {
  require(values.size() == shape.elements(), "a matrix has rows times columns values");
  return {values.data(), index(shape.rows), index(shape.columns)};
}

Eigen::Map<const Factor> as_factor(std::size_t rows, std::span<const float> values) {
  require(rows > 0 && values.size() % rows == 0, "a factor is whole columns");
  return {values.data(), index(rows), index(values.size() / rows)};
}
Eigen::Map<Factor> as_factor(std::size_t rows, std::span<float> values) {
  require(rows > 0 && values.size() % rows == 0, "a factor is whole columns");
  return {values.data(), index(rows), index(values.size() / rows)};
}

// (0, 1]: the logarithm of no value is infinite.
double uniform(std::uint32_t word) { return (word + 1.0) * 0x1p-32; }

std::vector<float> mean_of(std::span<const std::vector<float>> values) {
  std::vector<float> mean(values.front().size(), 0.0f);
  for (const std::vector<float>& of_rank : values) {
    require(of_rank.size() == mean.size(), "every rank has as many values");
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += of_rank[i];
  }
  for (float& value : mean) value /= static_cast<float>(values.size());
  return mean;
}

void replace_where_finite(std::span<const float> by, std::span<float> kept) {
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (std::isfinite(by[i])) kept[i] = by[i];
  }
}

}  // namespace

bool travels_as_factors(const PowerSgd& shape) {
  return kPowerSgdLeastGain * shape.rank * (shape.rows + shape.columns) < shape.elements();
}

std::size_t power_sgd_bytes(const PowerSgd& shape) {
  const std::size_t values =
      travels_as_factors(shape) ? shape.rank * (shape.rows + shape.columns) : shape.elements();
  return values * sizeof(float);
}

std::vector<float> power_sgd_start(const PowerSgd& shape, const RandomKey& key) {
  std::vector<float> q(shape.columns * shape.rank);
  for (std::size_t i = 0; i < q.size(); i += 4) {
    const std::uint64_t block = i / 4;
    const std::array<std::uint32_t, 4> words =
        philox({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                key.tensor, key.rank},
               philox_key(key));
    for (std::size_t k = 0; k < 4 && i + k < q.size(); ++k) {
      const double radius = std::sqrt(-2 * std::log(uniform(words.at(k / 2 * 2))));
      const double angle = 2 * std::numbers::pi * uniform(words.at(k / 2 * 2 + 1));
      q[i + k] = static_cast<float>(radius * (k % 2 == 0 ? std::cos(angle) : std::sin(angle)));
    }
  }
  return q;
}

void orthonormalise(std::size_t rows, std::span<float> factor) {
  Eigen::Map<Factor> p = as_factor(rows, factor);
  for (Eigen::Index i = 0; i < p.cols(); ++i) {
    p.col(i) /= p.col(i).norm() + kPowerSgdEpsilon;
    for (Eigen::Index j = i + 1; j < p.cols(); ++j) p.col(j) -= p.col(i).dot(p.col(j)) * p.col(i);
  }
}

void project(const PowerSgd& shape, std::span<const float> matrix, std::span<const float> q,
             std::span<float> p) {
  as_factor(shape.rows, p) = as_matrix(shape, matrix) * as_factor(shape.columns, q);
}

void project_back(const PowerSgd& shape, std::span<const float> matrix, std::span<const float> p,
                  std::span<float> q) {
  as_factor(shape.columns, q) = as_matrix(shape, matrix).transpose() * as_factor(shape.rows, p);
}

void expand(const PowerSgd& shape, std::span<const float> p, std::span<const float> q,
            std::span<float> matrix) {
  require(matrix.size() == shape.elements(), "a matrix has rows times columns values");
  Eigen::Map<Matrix>(matrix.data(), index(shape.rows), index(shape.columns)) =
      as_factor(shape.rows, p) * as_factor(shape.columns, q).transpose();
}

PowerSgdState power_sgd_state(const PowerSgd& shape, std::size_t ranks, const RandomKey& key) {
  return {.q = power_sgd_start(shape, key),
          .residual = std::vector(ranks, std::vector<float>(shape.elements()))};
}

std::vector<float> all_reduce_power_sgd(const PowerSgd& shape,
                                        std::span<const std::vector<float>> values,
                                        PowerSgdState& state) {
  require(!values.empty() && values.size() == state.residual.size(), "values of each rank");
  if (!travels_as_factors(shape)) return mean_of(values);
  std::vector<std::vector<float>> matrices = state.residual;  // M, until the end
  std::vector<std::vector<float>> factors(values.size());
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    require(values[rank].size() == shape.elements(), "a matrix has rows times columns values");
    for (std::size_t i = 0; i < shape.elements(); ++i) matrices[rank][i] += values[rank][i];
    factors[rank].resize(shape.rows * shape.rank);
    project(shape, matrices[rank], state.q, factors[rank]);
  }
  std::vector<float> p = mean_of(factors);
  orthonormalise(shape.rows, p);
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    factors[rank].resize(shape.columns * shape.rank);
    project_back(shape, matrices[rank], p, factors[rank]);
  }
  const std::vector<float> q = mean_of(factors);
  replace_where_finite(q, state.q);
  std::vector<float> sent(shape.elements());
  expand(shape, p, q, sent);
  for (std::size_t rank = 0; rank < values.size(); ++rank) {
    for (std::size_t i = 0; i < sent.size(); ++i) matrices[rank][i] -= sent[i];
    replace_where_finite(matrices[rank], state.residual[rank]);
  }
  return sent;
}

}  // namespace codecs
