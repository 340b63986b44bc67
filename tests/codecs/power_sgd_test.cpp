// SPDX-License-Identifier: Apache-2.0
// PowerSGD: bytes, subspaces, and what error feedback keeps.
#include "codecs/power_sgd/power_sgd.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr PowerSgd kPowerSgd{.rows = 40, .columns = 60, .rank = 3};

double matrix_norm(std::span<const float> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// u v^T summed over `rank` random pairs.
std::vector<float> matrix_of_rank(std::size_t rank, std::uint64_t seed) {
  std::vector<float> matrix(kPowerSgd.elements(), 0.0f);
  for (std::size_t k = 0; k < rank; ++k) {
    const auto u = normal_values(kPowerSgd.rows, seed + 2 * k);
    const auto v = normal_values(kPowerSgd.columns, seed + 2 * k + 1);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      matrix[i] += u[i / kPowerSgd.columns] * v[i % kPowerSgd.columns];
    }
  }
  return matrix;
}

// Two factors of 4 columns for 4096 x 4096: 4 (4096 + 4096) values of 4 bytes.
TEST(PowerSgd, SendsTwoFactorsWhereTheyAreSmaller) {
  EXPECT_EQ(power_sgd_bytes({4096, 4096, 4}), 4u * 8192 * 4);
  EXPECT_EQ(power_sgd_bytes({1, 4096, 1}), 4096u * 4);
  EXPECT_EQ(power_sgd_bytes({4, 4, 1}), 16u * 4);  // 2 * 8 values are not fewer than 16
  EXPECT_TRUE(travels_as_factors({5, 4, 1}));      // 2 * 9 are fewer than 20
}

TEST(PowerSgd, StartsFromStandardNormals) {
  const PowerSgd shape{.rows = 1, .columns = 100'001, .rank = 2};
  const std::vector<float> q = power_sgd_start(shape, {.seed = 3});
  double sum = 0, squares = 0, fourth = 0;
  for (const double x : q) {
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  const auto n = static_cast<double>(q.size());
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96 / n));
  EXPECT_EQ(q, power_sgd_start(shape, {.seed = 3}));
  EXPECT_NE(q, power_sgd_start(shape, {.seed = 4}));
}

TEST(PowerSgd, FactorsBecomeOrthonormal) {
  std::vector<float> p = normal_values(120);
  orthonormalise(40, p);
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < 3; ++b) {
      double dot = 0;
      for (std::size_t i = 0; i < 40; ++i) dot += double{p[a * 40 + i]} * p[b * 40 + i];
      EXPECT_NEAR(dot, a == b ? 1 : 0, 1e-6);
    }
  }
}

TEST(PowerSgd, IsExactForMatricesOfItsRank) {
  PowerSgdState state = power_sgd_state(kPowerSgd, 1, {});
  const std::vector<std::vector<float>> values{matrix_of_rank(3, 10)};
  const std::vector<float> sent = all_reduce_power_sgd(kPowerSgd, values, state);
  EXPECT_LT(matrix_norm(state.residual[0]), 1e-5 * matrix_norm(values[0]));
  EXPECT_NEAR(matrix_norm(sent), matrix_norm(values[0]), 1e-5 * matrix_norm(values[0]));
}

// A projection loses the part outside its subspace, so never more than there was; and the warm
// start makes the same matrix lose less, step after step, without feedback.
TEST(PowerSgd, WarmStartsImproveTheSubspace) {
  PowerSgdState state = power_sgd_state(kPowerSgd, 1, {});
  std::vector<float> matrix = matrix_of_rank(3, 10);
  const std::vector<float> noise = normal_values(kPowerSgd.elements(), 5);
  for (std::size_t i = 0; i < matrix.size(); ++i) matrix[i] += noise[i];
  double before = matrix_norm(matrix), first = 0;
  for (int step = 0; step < 8; ++step) {
    state.residual[0].assign(kPowerSgd.elements(), 0.0f);
    (void)all_reduce_power_sgd(kPowerSgd, std::vector<std::vector<float>>{matrix}, state);
    EXPECT_LE(matrix_norm(state.residual[0]), before * (1 + 1e-6));
    before = matrix_norm(state.residual[0]);
    if (step == 0) first = before;
  }
  EXPECT_LT(before, 0.99 * first);
}

// Telescoping: what was installed, summed, is the mean of the values summed less that of the last
// residuals.
TEST(PowerSgd, SendsAllButTheLastResiduals) {
  constexpr std::size_t kRanks = 3;
  PowerSgdState state = power_sgd_state(kPowerSgd, kRanks, {});
  std::vector<double> balance(kPowerSgd.elements());
  for (std::uint64_t step = 0; step < 20; ++step) {
    std::vector<std::vector<float>> values;
    for (std::uint64_t rank = 0; rank < kRanks; ++rank) {
      values.push_back(normal_values(kPowerSgd.elements(), 1 + 10 * step + rank));
    }
    const std::vector<float> sent = all_reduce_power_sgd(kPowerSgd, values, state);
    for (std::size_t i = 0; i < balance.size(); ++i) {
      for (const auto& of_rank : values) balance[i] += of_rank[i] / double{kRanks};
      balance[i] -= sent[i];
    }
  }
  for (std::size_t i = 0; i < balance.size(); ++i) {
    double kept = 0;
    for (const auto& residual : state.residual) kept += residual[i] / double{kRanks};
    ASSERT_NEAR(balance[i], kept, 20 * 0x1p-19);
  }
}

TEST(PowerSgd, VectorsTravelAsTheyAre) {
  const PowerSgd shape{.rows = 1, .columns = 100, .rank = 1};
  PowerSgdState state = power_sgd_state(shape, 2, {});
  const std::vector<float> a = normal_values(100, 1), b = normal_values(100, 2);
  const std::vector<float> mean = all_reduce_power_sgd(shape, std::vector{a, b}, state);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(mean[i], (a[i] + b[i]) / 2);
}

TEST(PowerSgd, KeepsZerosAndRefusesOtherShapes) {
  PowerSgdState state = power_sgd_state(kPowerSgd, 1, {});
  const std::vector<std::vector<float>> zeros{std::vector<float>(kPowerSgd.elements())};
  EXPECT_EQ(all_reduce_power_sgd(kPowerSgd, zeros, state), zeros[0]);
  EXPECT_THROW((void)all_reduce_power_sgd(
                   kPowerSgd, std::vector<std::vector<float>>{normal_values(10)}, state),
               std::invalid_argument);
}

}  // namespace
}  // namespace codecs
