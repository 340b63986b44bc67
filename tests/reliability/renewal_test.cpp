// SPDX-License-Identifier: Apache-2.0
// Closed forms of failing jobs against their derivations' limits, and against a simulation of each
// event.
#include "sim/reliability/renewal.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/reliability/simulate_job.hpp"

namespace sim {
namespace {

constexpr double kYear_s = 365 * kDay_s;

double sum_of(const TimeShares& shares) {
  return shares.goodput + shares.checkpoints + shares.detection + shares.restart + shares.repair +
         shares.recomputed;
}

// A failure each 3 hours, half of them of hardware.
Renewal usual_job() {
  return {.failure_rate = 1 / (3 * kHour_s),
          .hardware_rate = 0.5 / (3 * kHour_s),
          .stall_s = 40,
          .write_s = 120,
          .detection_s = 300,
          .restart_s = 600,
          .repair_s = 6 * kHour_s,
          .spares = 3};
}

std::vector<Renewal> jobs() {
  const Renewal usual = usual_job();
  Renewal synchronous = usual, unspared = usual, domains = usual;
  synchronous.write_s = 0;
  unspared.spares = 0;
  unspared.repair_s = kHour_s;
  domains.domain_rate = 0.05 * usual.failure_rate;
  domains.domain_nodes = 16;
  Renewal slow = usual;  // restarts that often fail
  slow.restart_s = 2 * kHour_s;
  slow.hardware_rate = 0;
  return {usual, synchronous, unspared, domains, slow};
}

TEST(Renewal, SharesSumToOne) {
  for (const Renewal& job : jobs()) {
    for (const double interval_s : {1.0, 600.0, 7200.0, 1e7}) {
      EXPECT_NEAR(sum_of(time_shares(job, interval_s)), 1, 1e-12);
    }
  }
}

// 50 years of each job in ten parts, whose spread is the error of their mean.
TEST(Renewal, SimulatedSharesAreTheClosedForms) {
  constexpr int kParts = 10;
  for (const Renewal& job : jobs()) {
    for (const double interval_s : {300.0, 1500.0}) {
      const TimeShares expected = time_shares(job, interval_s);
      std::vector<TimeShares> simulated;
      for (std::uint64_t seed = 1; seed <= kParts; ++seed) {
        simulated.push_back(simulate_job(job, interval_s, 5 * kYear_s, seed).shares);
      }
      for (double TimeShares::*share :
           {&TimeShares::goodput, &TimeShares::checkpoints, &TimeShares::detection,
            &TimeShares::restart, &TimeShares::repair, &TimeShares::recomputed}) {
        double sum = 0, squares = 0;
        for (const TimeShares& one : simulated) {
          sum += one.*share;
          squares += one.*share * one.*share;
        }
        const double mean = sum / kParts;
        const double error =
            std::sqrt(std::max(0.0, squares / kParts - mean * mean) / (kParts - 1));
        // While a failure is not yet noticed no other one comes, so that they are spaced more evenly
        // than Erlang's formula has it: the waiting is a tenth shorter.
        const double approximate = share == &TimeShares::repair ? 0.1 : 0.003;
        EXPECT_NEAR(mean, expected.*share, 4 * error + expected.*share * approximate) << interval_s;
      }
    }
  }
}

TEST(Renewal, SimulatedInterruptionsAreTheClosedForm) {
  for (const Renewal& job : jobs()) {
    const double expected = interruption_rate(job) * 50 * kYear_s;
    const auto count = static_cast<double>(simulate_job(job, 900, 50 * kYear_s, 7).interruptions);
    EXPECT_NEAR(count, expected, 5 * std::sqrt(expected) + expected / 200);
  }
}

// Without detection and delays of writing: Daly 2006, equation 20: M exp(R/M) (exp((t + d)/M) - 1)
// for each interval t.
TEST(Renewal, IsDalysCompleteModel) {
  const Renewal job{.failure_rate = 1e-4, .stall_s = 60, .restart_s = 500};
  for (const double t : {100.0, 1000.0, 30'000.0}) {
    const double daly_s = 1e4 * std::exp(500e-4) * (std::exp((t + 60) * 1e-4) - 1);
    EXPECT_NEAR(time_shares(job, t).goodput, t / daly_s, 1e-12);
  }
}

// Saved each microsecond for nothing, a failure costs detection and restart alone.
TEST(Renewal, LosesOnlyTheRestartWhenAllIsSaved) {
  const Renewal job{.failure_rate = 1e-4, .detection_s = 100, .restart_s = 200};
  const double up = std::exp(-200e-4) / (1 + 100e-4);
  EXPECT_NEAR(time_shares(job, 1e-6).goodput, up, 1e-9);
}

// Without spares, the repair is waited for: (1/f + d) exp(f R) of a cycle, and its exp(f R) failures
// each wait.
TEST(Renewal, WaitsForRepairsWithoutSpares) {
  const Renewal job{
      .failure_rate = 1e-4, .hardware_rate = 1e-4, .detection_s = 50, .repair_s = 3000};
  EXPECT_NEAR(time_shares(job, 10).repair, 3000 / (1e4 + 50 + 3000), 1e-12);
  EXPECT_NEAR(interruption_rate(job), 1 / (1e4 + 50 + 3000), 1e-15);
}

TEST(Renewal, NeverFailingLosesItsCheckpointsAlone) {
  const Renewal job{.stall_s = 100, .write_s = 50, .detection_s = 60, .restart_s = 60};
  EXPECT_DOUBLE_EQ(time_shares(job, 900).goodput, 0.9);
  EXPECT_DOUBLE_EQ(time_shares(job, best_interval_s(job, 1)).goodput, 1);
  EXPECT_EQ(interruption_rate(job), 0);
}

// So often that none restarts: shares stay finite, and sum to 1.
TEST(Renewal, FailingWithoutEndKeepsNothing) {
  const TimeShares shares =
      time_shares({.failure_rate = 1, .detection_s = 10, .restart_s = 1e6}, 1e6);
  EXPECT_EQ(shares.goodput, 0);
  EXPECT_NEAR(sum_of(shares), 1, 1e-12);
}

TEST(BestInterval, HasTheHighestGoodput) {
  for (const double stall_s : {1e-5, 0.1, 10.0, 600.0, 20'000.0, 1e6}) {
    const Renewal job{.failure_rate = 1e-4, .stall_s = stall_s};
    const double best_s = best_interval_s(job, 0);
    const double most = time_shares(job, best_s).goodput;
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1, 2.0}) {
      EXPECT_GT(most, time_shares(job, best_s * factor).goodput) << stall_s << " " << factor;
    }
  }
}

// Where a stall is short next to the time between failures: Daly's series has an error of the fourth
// power of the root of half of their ratio, Young's formula of the first.
TEST(BestInterval, IsDalysAndYoungsWhereTheyHold) {
  for (const double stall_s : {0.01, 1.0, 100.0}) {
    const Renewal job{.failure_rate = 1e-4, .stall_s = stall_s};
    const double best_s = best_interval_s(job, 0);
    const double root = std::sqrt(stall_s * 1e-4 / 2);
    EXPECT_NEAR(daly_interval_s(job) / best_s, 1, root * root * root);
    EXPECT_NEAR(young_interval_s(job) / best_s, 1, root);
  }
}

// Where they do not hold: the stall as long as the time between failures. The root of y = 1 -
// exp(-y - 1), times the mean time.
TEST(BestInterval, IsExactWhereDalysIsNot) {
  const Renewal job{.failure_rate = 1e-4, .stall_s = 1e4};
  const double y = best_interval_s(job, 0) * 1e-4;
  EXPECT_NEAR(y, 1 - std::exp(-y - 1), 1e-12);
}

// No checkpoint begins before the last one is safe, and none within a step.
TEST(BestInterval, IsBoundByTheStepAndTheWrite) {
  const Renewal job{.failure_rate = 1e-4, .stall_s = 0.01, .write_s = 500};
  EXPECT_DOUBLE_EQ(best_interval_s(job, 1), 500 - 0.01);
  EXPECT_DOUBLE_EQ(best_interval_s(job, 1000), 1000);
}

// The vertex of the parabola through the simulated goodput over log(interval), of the same failures
// for every interval.
double simulated_best_s(const Renewal& job, double around_s, std::uint64_t seed) {
  std::vector<double> x, y;
  for (int i = -6; i <= 6; ++i) {
    x.push_back(i * std::log(3.0) / 6);
    y.push_back(
        simulate_job(job, around_s * std::exp(x.back()), 40 * kYear_s, seed).shares.goodput);
  }
  // Least squares of a + b x + c x^2 over points that lie evenly around 0.
  double n = 0, x2 = 0, x4 = 0, sy = 0, sxy = 0, sx2y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    n += 1;
    x2 += x[i] * x[i];
    x4 += std::pow(x[i], 4);
    sy += y[i];
    sxy += x[i] * y[i];
    sx2y += x[i] * x[i] * y[i];
  }
  const double c = (n * sx2y - x2 * sy) / (n * x4 - x2 * x2);
  return around_s * std::exp(-(sxy / x2) / (2 * c));
}

// The parabola's own bias is that of the closed form over the same points; what is left is chance.
TEST(BestInterval, OfTheSimulationIsDalys) {
  const Renewal job{.failure_rate = 1 / (4 * kHour_s), .stall_s = 60, .restart_s = 300};
  const double daly_s = daly_interval_s(job);
  constexpr int kSeeds = 8;
  double sum = 0, squares = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const double logarithm = std::log(simulated_best_s(job, daly_s, seed) / daly_s);
    sum += logarithm;
    squares += logarithm * logarithm;
  }
  const double mean = sum / kSeeds;
  const double error = std::sqrt((squares / kSeeds - mean * mean) / (kSeeds - 1));
  EXPECT_LT(error, 0.05);
  EXPECT_NEAR(mean, 0, 3 * error + 0.02);
}

TEST(SimulateJob, TakesFarBelowASecondForAYear) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_GT(simulate_job(usual_job(), 600, kYear_s, 1).interruptions, 0);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(taken.count(), 0.3);
}

TEST(SimulateJob, IsTheSameForTheSameSeed) {
  const SimulatedJob one = simulate_job(usual_job(), 600, kYear_s, 1);
  EXPECT_EQ(one.interruptions, simulate_job(usual_job(), 600, kYear_s, 1).interruptions);
  EXPECT_NE(one.shares.goodput, simulate_job(usual_job(), 600, kYear_s, 2).shares.goodput);
}

}  // namespace
}  // namespace sim
