// SPDX-License-Identifier: Apache-2.0
// The table of what NCCL's protocols reach over links: laws that hold for each of its rows.
#include "sim/topology/nccl_transports.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/collectives/protocols.hpp"
#include "sim/fit/constants.hpp"
#include "sim/topology/ranks.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

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

// Without a switch nothing sums on the way, though the transport knows what such sums reach.
TEST(NvlinkTransports, SumInASwitchWhereThereIsOne) {
  const auto file = source_directory() / "topologies/hgx_h100_x4.toml";
  const Cluster mesh = read_cluster(file);
  EXPECT_FALSE(mesh.nvlink.nvls.has_value());
  EXPECT_DOUBLE_EQ(gpu_rate(mesh) / nvlink_rate(mesh), 3);  // a link to each of three others
  const std::vector<Setting> switched{{"nvlink.kind", "switched"}};
  EXPECT_TRUE(read_cluster(file, switched).nvlink.nvls.has_value());
  const std::vector<Setting> sums{{"nvlink.nvls_efficiency", "0.6"},
                                  {"nvlink.nvls_latency", "50 us"}};
  const std::string error = input_error_of([&] { static_cast<void>(read_cluster(file, sums)); });
  EXPECT_NE(error.find("nodes of kind \"full_mesh\" have no switch that adds"), error.npos)
      << error;
}

Cluster over_tcp(const std::string& nics, std::vector<Setting> more = {}) {
  more.push_back({"network.transport", "tcp"});
  more.push_back({"network.nic_bandwidth", nics});
  return read_cluster(source_directory() / "topologies/aws_p4d.toml", more);
}

// Headers take 90 of 1538 B of a slow line; of a fast one, hosts copy 5 GB/s whatever it carries.
TEST(NetworkTransports, OverTcpReachWhatHeadersAndCopiesLeave) {
  for (const double gbps : {1, 10, 25, 40, 50, 100, 400}) {
    const Cluster cluster = over_tcp(fmt::format("{} Gbps", gbps));
    const double line = gbps * 1e9 / 8;
    EXPECT_NEAR(nic_rate(cluster).base(), std::min(line * 1448 / 1538, 5e9), 1e-6 * line) << gbps;
    EXPECT_NEAR(paces_of(cluster).network.back().value().efficiency * line,
                nic_rate(cluster).base(), 1e-6 * line);
  }
}

// A share that was measured, by the file's author or from a log, contains the copies.
TEST(NetworkTransports, OverTcpReachWhatWasMeasured) {
  EXPECT_DOUBLE_EQ(nic_rate(over_tcp("100 Gbps", {{"network.efficiency", "0.8"}})).base(), 10e9);
  const Cluster capped =
      over_tcp("100 Gbps", {{"network.efficiency", "0.8"}, {"network.copy_bandwidth", "7 GBps"}});
  EXPECT_DOUBLE_EQ(nic_rate(capped).base(), 7e9);
  Cluster fitted = over_tcp("100 Gbps");
  const fit::Constant& efficiency =
      *std::ranges::find(fit::all_constants(), "network.efficiency", &fit::Constant::key);
  EXPECT_DOUBLE_EQ(efficiency.get(fitted).value(), 0.4);
  efficiency.set(fitted, 0.6);
  EXPECT_DOUBLE_EQ(nic_rate(fitted).base(), 7.5e9);
}

}  // namespace
}  // namespace sim
