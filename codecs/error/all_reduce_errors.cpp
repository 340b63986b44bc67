// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <cmath>

#include "codecs/error/all_reduces.hpp"

namespace codecs {
namespace {

Eigen::Map<const Eigen::ArrayXf> values_of(const std::vector<float>& values) {
  return {values.data(), static_cast<Eigen::Index>(values.size())};
}

}  // namespace

AllReduceErrors all_reduce_errors(const AllReduce& method, const AllReduceShape& shape,
                                  std::span<const std::vector<float>> gradients,
                                  std::uint64_t seed) {
  return all_reduce_errors(method.start(shape, seed), method.momentum, shape.ranks, gradients);
}

AllReduceErrors all_reduce_errors(const AllReduceStep& exchange, float momentum, std::size_t ranks,
                                  std::span<const std::vector<float>> gradients) {
  require(!gradients.empty() && gradients.size() % ranks == 0, "a gradient of every rank");
  const std::size_t steps = gradients.size() / ranks;
  Eigen::ArrayXd dense = Eigen::ArrayXd::Zero(std::ssize(gradients.front()));
  Eigen::ArrayXd owed = dense, sum = dense;
  AllReduceErrors errors;
  double residuals = 0, squares = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto of_rank = gradients.subspan(step * ranks, ranks);
    dense *= momentum;
    for (const std::vector<float>& gradient : of_rank) {
      dense += values_of(gradient).cast<double>() / static_cast<double>(ranks);
    }
    sum += dense;
    owed += dense;
    const double given = owed.square().sum();
    owed -= values_of(exchange(of_rank, static_cast<std::uint32_t>(step))).cast<double>();
    const double lost = owed.square().sum();
    errors.contraction += (1 - lost / given) / static_cast<double>(steps);
    if (step == 0) errors.first_step = std::sqrt(lost / given);
    if (step >= steps - (steps + 3) / 4) {
      residuals += lost;
      squares += dense.square().sum();
    }
  }
  errors.residual = std::sqrt(residuals / squares);
  errors.running_sum = std::sqrt(owed.square().sum() / sum.square().sum());
  return errors;
}

}  // namespace codecs
