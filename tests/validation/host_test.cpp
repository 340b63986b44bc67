// SPDX-License-Identifier: Apache-2.0
// The bars that predictions of host-bound steps are held to.
#include "sim/validation/host.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

const HostStudy& host_study() {
  static const HostStudy all =
      predict_host(source_directory(), read_host_steps(source_directory()), 1, [] {});
  return all;
}

TEST(HostSteps, AreWithinTheBarOnHalvesThatWereLeftOut) {
  EXPECT_EQ(host_study().rows.size(), 72U);
  EXPECT_EQ(host_study().halves.size(), 20U);
  EXPECT_LE(held_out(host_study(), &HostHalf::simulated).mean, 0.14);
}

TEST(HostSteps, AreCloserThanWithoutAHostAndThanTheSerialSum) {
  const double simulated = held_out(host_study(), &HostHalf::simulated).mean;
  EXPECT_LT(simulated, 0.5 * held_out(host_study(), &HostHalf::without_host).mean);
  EXPECT_LT(simulated, held_out(host_study(), &HostHalf::serial).mean);
}

TEST(HostSteps, AreLeftOutOfTheHalfThatPredictsThem) {
  for (const HostHalf& half : host_study().halves) {
    EXPECT_EQ(std::set(half.others.begin(), half.others.end()).size(), 36U);
    EXPECT_EQ(half.simulated.count, 36);
  }
}

TEST(HostSteps, TakeTheLongerTheSlowerTheHost) {
  for (const HostStepRow& row : host_study().rows) {
    double before = row.without_host();
    for (const double issue_s : {10e-6, 20e-6, 50e-6, 70e-6, 110e-6}) {
      EXPECT_GE(row.simulated(issue_s), before * (1 - 1e-9)) << row.row;
      before = row.simulated(issue_s);
      EXPECT_GE(row.serial(issue_s), row.launches * issue_s);
    }
  }
}

}  // namespace
}  // namespace sim::validation
