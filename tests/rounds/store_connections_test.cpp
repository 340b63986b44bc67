// SPDX-License-Identifier: Apache-2.0
// Connections of a site to the storage, where they are slower than its line.
#include <gtest/gtest.h>

#include <string>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr int kSites = 4;

// Sites of one table, of which one stands for all, or of a table each. Only their connections limit them.
WideArea area_with_store(bool one_table) {
  WideArea area = equal_sites(one_table ? kSites : 1, 1000 * kGB, 10_ms);
  area.transport.rdma = {.buffer = 4_MiB, .channels = 16};
  area.store = Store{.upload = Bandwidth::from_base(kUnlimited),
                     .download = Bandwidth::from_base(kUnlimited),
                     .latency = 10_ms};
  while (!one_table && area.sites.size() < kSites) {
    area.sites.push_back(area.sites.front());
    area.sites.back().name = "site_" + std::to_string(area.sites.size());
  }
  return area;
}

double round_s(bool one_table, double bytes) {
  const RoundShape shape = equal_rounds(&exchanges::store, kSites, 10, bytes);
  return simulate_round(area_with_store(one_table), shape).round_s;
}

TEST(StoreConnections, AreSharedByAllThatASiteDownloads) {
  const double bytes = 30 * kGB;
  EXPECT_NEAR(round_s(true, bytes), round_s(false, bytes), 1e-6);
  const double of_lines_s = (1 + 3) * bytes / (1000 * kGB);
  EXPECT_GT(round_s(true, bytes), 10 + 10 * of_lines_s);
}

}  // namespace
}  // namespace sim
