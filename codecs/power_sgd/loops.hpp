// SPDX-License-Identifier: Apache-2.0
// PowerSGD's formulas as plain loops in float32 or float64, with every sum in order: kernels sum in
// other orders, and their error relative to float64 is at most twice that of these float32 loops.
#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include "codecs/power_sgd/power_sgd.hpp"

namespace codecs {

template <typename T>
struct PowerSgdLoops {
  PowerSgd shape;
  std::vector<std::vector<T>> residual;  // of each rank
  std::vector<T> p, q;

  PowerSgdLoops(const PowerSgd& of, std::size_t ranks, const std::vector<float>& start)
      : shape(of),
        residual(ranks, std::vector<T>(of.elements(), 0)),
        q(start.begin(), start.end()) {}

  T& p_at(std::size_t row, std::size_t k) { return p[k * shape.rows + row]; }
  T& q_at(std::size_t column, std::size_t k) { return q[k * shape.columns + column]; }

  void orthonormalise() {
    for (std::size_t k = 0; k < shape.rank; ++k) {
      T squares = 0;
      for (std::size_t i = 0; i < shape.rows; ++i) squares += p_at(i, k) * p_at(i, k);
      const T divisor = std::sqrt(squares) + T{kPowerSgdEpsilon};
      for (std::size_t i = 0; i < shape.rows; ++i) p_at(i, k) /= divisor;
      for (std::size_t j = k + 1; j < shape.rank; ++j) {
        T dot = 0;
        for (std::size_t i = 0; i < shape.rows; ++i) dot += p_at(i, k) * p_at(i, j);
        for (std::size_t i = 0; i < shape.rows; ++i) p_at(i, j) -= dot * p_at(i, k);
      }
    }
  }

  // The result that every rank installs.
  std::vector<T> step(const std::vector<std::vector<float>>& values) {
    const T ranks = static_cast<T>(values.size());
    p.assign(shape.rows * shape.rank, 0);
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      for (std::size_t i = 0; i < shape.elements(); ++i) residual[rank][i] += values[rank][i];
      for (std::size_t i = 0; i < p.size() * shape.columns; ++i) {
        const std::size_t row = i / shape.columns % shape.rows, column = i % shape.columns;
        const std::size_t k = i / shape.elements();
        p_at(row, k) += residual[rank][row * shape.columns + column] * q_at(column, k) / ranks;
      }
    }
    orthonormalise();
    q.assign(q.size(), 0);
    for (const std::vector<T>& matrix : residual) {
      for (std::size_t i = 0; i < p.size() * shape.columns; ++i) {
        const std::size_t row = i / shape.columns % shape.rows, column = i % shape.columns;
        const std::size_t k = i / shape.elements();
        q_at(column, k) += matrix[row * shape.columns + column] * p_at(row, k) / ranks;
      }
    }
    std::vector<T> sent(shape.elements(), 0);
    for (std::size_t i = 0; i < sent.size(); ++i) {
      for (std::size_t k = 0; k < shape.rank; ++k) {
        sent[i] += p_at(i / shape.columns, k) * q_at(i % shape.columns, k);
      }
      for (std::vector<T>& matrix : residual) matrix[i] -= sent[i];
    }
    return sent;
  }
};

// Euclidean norm.
template <typename T>
[[nodiscard]] double distance(const std::vector<T>& values, const std::vector<double>& exact) {
  double sum = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) sum += std::pow(values[i] - exact[i], 2);
  return std::sqrt(sum);
}

}  // namespace codecs
