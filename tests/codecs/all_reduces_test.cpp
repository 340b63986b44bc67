// SPDX-License-Identifier: Apache-2.0
// Laws of the errors of methods with a state: what is measured from outside is what they keep
// inside.
#include "codecs/error/all_reduces.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "codecs/group/group.hpp"
#include "tests/codecs/error_table.hpp"

namespace codecs {
namespace {

constexpr AllReduceShape kOneRank{.rows = 32, .columns = 128, .ranks = 1};
constexpr AllReduceShape kFourRanks{.rows = 32, .columns = 128, .ranks = 4};
constexpr std::size_t kSteps = 64;

std::vector<std::vector<float>> gradients(const AllReduceShape& shape, std::size_t common_rank = 0,
                                          double common = 0.5) {
  return draw_steps({.distribution = &distribution_named("normal"),
                     .common = common,
                     .elements = shape.elements(),
                     .steps = kSteps * shape.ranks,
                     .seed = 3,
                     .common_rank = common_rank,
                     .rows = shape.rows});
}

std::vector<float> mean_of(std::span<const std::vector<float>> of_rank) {
  std::vector<float> mean(of_rank.front().size());
  for (const std::vector<float>& gradient : of_rank) {
    for (std::size_t i = 0; i < mean.size(); ++i) {
      mean[i] += gradient[i] / static_cast<float>(of_rank.size());
    }
  }
  return mean;
}

AllReduceStep start_dense(const AllReduceShape&, std::uint64_t) {
  return
      [](std::span<const std::vector<float>> of_rank, std::uint32_t) { return mean_of(of_rank); };
}

AllReduceStep start_velocity(const AllReduceShape& shape, std::uint64_t) {
  return [velocity = std::vector<float>(shape.elements())](
             std::span<const std::vector<float>> of_rank, std::uint32_t) mutable {
    const std::vector<float> mean = mean_of(of_rank);
    for (std::size_t i = 0; i < mean.size(); ++i) velocity[i] = 0.9f * velocity[i] + mean[i];
    return velocity;
  };
}

AllReduceStep start_nothing(const AllReduceShape& shape, std::uint64_t) {
  return [shape](std::span<const std::vector<float>>, std::uint32_t) {
    return std::vector<float>(shape.elements());
  };
}

AllReduceStep start_fed_back(const AllReduceShape& shape, std::uint64_t seed) {
  return [seed, residual = std::vector<float>(shape.elements())](
             std::span<const std::vector<float>> of_rank, std::uint32_t step) mutable {
    std::vector<std::byte> wire(encoded_bytes(int4_g128_sr.format, residual.size()));
    encode_with_feedback(int4_g128_sr, {}, of_rank.front(), {.seed = seed, .step = step}, residual,
                         wire);
    std::vector<float> received(residual.size());
    decode_groups(int4_g128_sr.format, wire, received);
    return received;
  };
}

TEST(AllReduceErrors, AreNoneWhereTheDenseResultIsReceived) {
  for (const AllReduce& method :
       {AllReduce{.start = start_dense}, AllReduce{.start = start_velocity, .momentum = 0.9f}}) {
    const auto errors = all_reduce_errors(method, kFourRanks, gradients(kFourRanks), 1);
    EXPECT_LT(errors.first_step, 1e-6);
    EXPECT_LT(errors.running_sum, 1e-5);
    EXPECT_LT(errors.residual, 1e-4);
    EXPECT_GT(errors.contraction, 1 - 1e-6);
  }
}

TEST(AllReduceErrors, AreAllOfTheSumWhereNothingIs) {
  const auto errors =
      all_reduce_errors({.start = start_nothing}, kFourRanks, gradients(kFourRanks), 1);
  EXPECT_DOUBLE_EQ(errors.first_step, 1);
  EXPECT_DOUBLE_EQ(errors.running_sum, 1);
  EXPECT_DOUBLE_EQ(errors.contraction, 0);
}

// From outside, the residual of EF-SGD is what was given less what was received.
TEST(AllReduceErrors, AreThoseOfErrorFeedbackWhereOneRankHasIt) {
  const auto steps = gradients(kOneRank);
  const AllReduceErrors outside = all_reduce_errors({.start = start_fed_back}, kOneRank, steps, 7);
  const FeedbackErrors inside = feedback_errors(int4_g128_sr, {}, steps, 7);
  EXPECT_NEAR(outside.contraction, inside.contraction, 1e-4);
  EXPECT_NEAR(outside.residual, inside.residual, 1e-4 * inside.residual);
  EXPECT_NEAR(outside.running_sum, inside.running_sum, 1e-4 * inside.running_sum);
}

TEST(DrawSteps, HaveACommonPartOfTheRankThatIsWanted) {
  constexpr AllReduceShape kShape{.rows = 64, .columns = 128};
  const auto all_common = gradients(kShape, 4, 1.0);
  const Eigen::Map<const Eigen::MatrixXf> matrix(all_common[5].data(), 128, 64);
  const Eigen::VectorXf values = Eigen::JacobiSVD<Eigen::MatrixXf>(matrix).singularValues();
  EXPECT_GT(values[3], 0.1f * values[0]);
  EXPECT_LT(values[4], 1e-5f * values[0]);
  // The mean of 4 products of two normal values, of 8192 that share 768 of them: 64 rows decide.
  EXPECT_NEAR(matrix.squaredNorm() / 8192, 1, 0.4);
  EXPECT_EQ(all_common[5], all_common[100]);
}

// Vogels et al. (arXiv 1905.13727, section 4.2): with warm start, one step of subspace iteration a
// step finds a matrix that stays; of too few columns it finds the largest part of it, and feedback
// sends the rest in turn.
TEST(PowerSgdErrors, VanishOnAMatrixOfItsRankThatStays) {
  const auto steady = gradients(kFourRanks, 2, 1.0);
  const auto of = [&](const char* name) {
    return all_reduce_errors(all_reduce_named(name), kFourRanks, steady, 1);
  };
  EXPECT_GT(of("power_sgd_r2").contraction, 0.98);
  EXPECT_LT(of("power_sgd_r2").residual, 1e-3);
  EXPECT_GT(of("power_sgd_r1").residual, 0.1);
  EXPECT_LT(of("power_sgd_r1").running_sum, 0.1);
}

// What each rank sends in a step, over the elements of its gradient: INT4 and a float32 for 2048;
// a bit each way, a float32 in 16 bytes for each wire; 32 bits for each value of both factors.
TEST(AllReduces, SendWhatTheirHeadersSay) {
  const AllReduceShape shape;
  EXPECT_EQ(all_reduce_named("loco").wire_bytes(shape), 8192 / 2 + 4 * 4u);
  EXPECT_EQ(all_reduce_named("one_bit_adam").wire_bytes(shape), 2 * 8192 / 8 + 2 * 8 * 16u);
  EXPECT_EQ(all_reduce_named("power_sgd_r4").wire_bytes(shape), 4 * 4 * (64 + 128u));
  EXPECT_THROW((void)all_reduce_named("power_sgd"), std::out_of_range);
}

// |sum of the dense method's results - sum of what was received| / |the former|, both without what
// one rank spoils: the value of one element in step kSteps / 4.
double share_owed(const AllReduce& method, std::vector<std::vector<float>> steps, float special) {
  constexpr std::size_t kSpoiled = kSteps / 4, kRanks = kFourRanks.ranks;
  const AllReduceStep exchange = method.start(kFourRanks, 1);
  steps[kSpoiled * kRanks + 1][77] = special;
  Eigen::ArrayXd dense = Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(kFourRanks.elements()));
  Eigen::ArrayXd owed = dense, sum = dense;
  for (std::size_t step = 0; step < kSteps; ++step) {
    const auto of_rank = std::span(steps).subspan(step * kRanks, kRanks);
    const auto received = exchange(of_rank, static_cast<std::uint32_t>(step));
    if (step == kSpoiled) continue;
    const auto as_array = [](const std::vector<float>& values) {
      return Eigen::Map<const Eigen::ArrayXf>(values.data(), std::ssize(values)).cast<double>();
    };
    dense = method.momentum * dense + as_array(mean_of(of_rank));
    sum += dense;
    owed += dense - as_array(received);
  }
  return std::sqrt(owed.square().sum() / sum.square().sum());
}

// What the step had to send is lost, a 64th of the sum and its noise; whatever follows arrives as
// if it had not been there.
TEST(AllReduces, OutliveNaNsAndInfinitiesOfOneRank) {
  const auto steps = gradients(kFourRanks);
  for (const AllReduce& method : all_reduces()) {
    const double usual = share_owed(method, steps, 0.5f);
    for (const float special :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      EXPECT_NEAR(share_owed(method, steps, special), usual, 0.04) << method.name;
    }
  }
}

double figure(const char* method, const char* column, const char* name) {
  return committed_errors().at("all_reduces").at(method).at(column).at(name);
}
double running_sum(const char* method, const char* column) {
  return figure(method, column, "running_sum");
}

TEST(AllReduceTable, HasEveryMethodOnBothKindsOfGradient) {
  ASSERT_EQ(committed_errors().at("all_reduces").size(), all_reduces().size());
  for (const AllReduce& method : all_reduces()) {
    EXPECT_EQ(committed_errors().at("all_reduces").at(method.name).size(), 2u) << method.name;
  }
}

TEST(AllReduceTable, FeedbackSendsInTheLongRunWhatOneStepLoses) {
  for (const char* column : {"normal", "low_rank"}) {
    EXPECT_LT(3 * running_sum("one_bit_adam", column), running_sum("one_bit_adam_unfed", column));
    EXPECT_LT(running_sum("sparseloco_peers", column), running_sum("sparseloco_unfed", column));
  }
}

// An INT8 residual is rounded to a 127th of a group's largest: a hundredth of what one step loses.
TEST(AllReduceTable, LoCosResidualInInt8LosesLittle) {
  for (const char* column : {"normal", "low_rank"}) {
    const double one_step = figure("loco", column, "first_step");
    EXPECT_LT(figure("loco", column, "running_sum"),
              figure("loco_float32", column, "running_sum") + 0.01 * one_step);
  }
}

TEST(AllReduceTable, PowerSgdSendsLowRanksBestAndMoreOfThemWithMoreColumns) {
  for (const char* method : {"power_sgd_r1", "power_sgd_r2", "power_sgd_r4"}) {
    EXPECT_LT(running_sum(method, "low_rank"), running_sum(method, "normal")) << method;
  }
  for (const char* column : {"normal", "low_rank"}) {
    EXPECT_LT(running_sum("power_sgd_r4", column), running_sum("power_sgd_r2", column));
    EXPECT_LT(running_sum("power_sgd_r2", column), running_sum("power_sgd_r1", column));
  }
}

}  // namespace
}  // namespace codecs
