// SPDX-License-Identifier: Apache-2.0
// The table of what NCCL's protocols reach over links: laws that hold for each of its rows.
#include "sim/topology/nccl_transports.hpp"

#include <gtest/gtest.h>

namespace sim {
namespace {

// The flags that LL and LL128 send with their data take their share of the bandwidth.
TEST(NvlinkTransports, ReachLessTheMoreFlagsTheySend) {
  for (const NcclTransport* one : nvlink_transports()) {
    SCOPED_TRACE(one->name);
    EXPECT_LE(one->simple.efficiency, 1);
    double most = one->simple.efficiency;
    for (const auto& pace : {one->ll128, one->ll}) {
      if (!pace) continue;
      EXPECT_LT(pace->efficiency, most);
      EXPECT_GT(pace->efficiency, 0);
      most = pace->efficiency;
    }
    if (one->pairs && one->ll_pairs) {
      EXPECT_LT(one->ll_pairs->efficiency, one->pairs->efficiency);
      EXPECT_LT(one->ll_pairs->latency, one->pairs->latency);
    }
  }
}

}  // namespace
}  // namespace sim
