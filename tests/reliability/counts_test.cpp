// SPDX-License-Identifier: Apache-2.0
// Spares that suffice, and likely counts of failures: against tables and laws, and for every double.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sim/base/units.hpp"
#include "sim/reliability/renewal.hpp"

namespace sim {
namespace {

// A failure each 3 hours, half of them of hardware.
Renewal spared_job() {
  return {.failure_rate = 1 / (3 * kHour_s),
          .hardware_rate = 0.5 / (3 * kHour_s),
          .stall_s = 40,
          .write_s = 120,
          .detection_s = 300,
          .restart_s = 600,
          .repair_s = 6 * kHour_s,
          .spares = 3};
}

// Tables of Erlang's formula: 1 server at load 1 loses half, 2 servers a fifth, 10 at load 5 0.0184.
TEST(ErlangB, IsThatOfTheTables) {
  EXPECT_DOUBLE_EQ(erlang_b(1, 1), 0.5);
  EXPECT_DOUBLE_EQ(erlang_b(2, 1), 0.2);
  EXPECT_NEAR(erlang_b(10, 5), 0.0184, 5e-5);
  EXPECT_EQ(erlang_b(3, 0), 0);
}

// Where a domain's nodes come into the reach of the spares, one more spare may mean more waiting.
TEST(EnoughSpares, AreTheFewestOnEitherSideOfADomain) {
  for (const int nodes : {1, 4, 16}) {
    for (const double repair_s : {kHour_s, 24 * kHour_s}) {
      Renewal job = spared_job();
      job.domain_rate = 0.2 * job.failure_rate;
      job.domain_nodes = nodes;
      job.repair_s = repair_s;
      const int spares = enough_spares(job, 0.001, 1000).value();
      for (job.spares = 0; job.spares < spares; ++job.spares) {
        EXPECT_GT(time_shares(job, 600).repair, 0.001) << nodes << " " << job.spares;
      }
      EXPECT_LE(time_shares(job, 600).repair, 0.001) << nodes;
    }
  }
}

TEST(EnoughSpares, AreNoneWhereTheMostAreTooFew) {
  Renewal job = spared_job();
  const int spares = enough_spares(job, 0.001, 100).value();
  EXPECT_FALSE(enough_spares(job, 0.001, spares - 1));
  for (const double repair_s : {1e15, 1e300, std::numeric_limits<double>::infinity()}) {
    job.repair_s = repair_s;
    EXPECT_FALSE(enough_spares(job, 0.001, 65536)) << repair_s;
  }
}

TEST(EnoughSpares, AreTheFewest) {
  Renewal job = spared_job();
  job.spares = enough_spares(job, 0.001, 100).value();
  EXPECT_LE(time_shares(job, 600).repair, 0.001);
  --job.spares;
  EXPECT_GT(time_shares(job, 600).repair, 0.001);
}

// Poisson tables: P(N <= 6) = 0.130 and P(N <= 14) = 0.917 at a mean of 10, 0.067 and 0.864 one
// below. At 1000, the normal approximation is good to one.
TEST(LikelyCount, IsPoissonsWithoutSpread) {
  const CountRange ten = likely_count(10, 0);
  EXPECT_EQ(ten.low, 6);
  EXPECT_EQ(ten.high, 14);
  const CountRange many = likely_count(1000, 0);
  EXPECT_NEAR(many.low, 1000 - 1.2816 * std::sqrt(1000), 1);
  EXPECT_NEAR(many.high, 1000 + 1.2816 * std::sqrt(1000), 1);
  EXPECT_EQ(likely_count(0, 0.5).high, 0);
}

// Of many, the rate's own law: quantiles of a log-normal one.
TEST(LikelyCount, FollowsTheRatesOfManyFailures) {
  const CountRange many = likely_count(1e5, 0.5);
  EXPECT_NEAR(many.low / (1e5 * std::exp(-1.2816 * 0.5)), 1, 0.005);
  EXPECT_NEAR(many.high / (1e5 * std::exp(1.2816 * 0.5)), 1, 0.005);
}

// Whole numbers are not all doubles from 2^53 on.
TEST(LikelyCount, EndsForEveryMean) {
  for (const double mean : {0x1p52, 0x1p53, 1e17, 1e30, 1e150}) {
    const CountRange exact = likely_count(mean, 0), uncertain = likely_count(mean, 0.5);
    EXPECT_NEAR(exact.low / mean, 1, 1e-6) << mean;
    EXPECT_NEAR(exact.high / mean, 1, 1e-6) << mean;
    EXPECT_NEAR(uncertain.low / (mean * std::exp(-1.2816 * 0.5)), 1, 0.005) << mean;
    EXPECT_NEAR(uncertain.high / (mean * std::exp(1.2816 * 0.5)), 1, 0.005) << mean;
  }
  for (const double mean : {std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::infinity(), std::nan("")}) {
    for (const double spread : {0.0, 0.5, 3.0}) {
      const CountRange range = likely_count(mean, spread);
      EXPECT_GE(range.high, range.low) << mean << " " << spread;
    }
  }
}

}  // namespace
}  // namespace sim
