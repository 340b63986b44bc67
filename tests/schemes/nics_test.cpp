// SPDX-License-Identifier: Apache-2.0
// The network that ZeRO++ varied: 1 to 8 of a DGX-2's NICs.
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "tests/schedule/collective_rows.hpp"
#include "tests/schemes/sample_step.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

Cluster dgx2_pair(int nics) {
  const std::vector<Setting> settings{{"network.nics_per_node", std::to_string(nics)}};
  return part_of(read_cluster(source_directory() / "topologies/dgx2_v100_x24.toml", settings), 2,
                 16);
}

TEST(Dgx2, GathersAsFastAsTheNicsThatItHas) {
  // 31 of 32 shards leave a node over k NICs, of 12.5 GB/s less what InfiniBand loses. Of 8, that is
  // still less than NVLink has.
  constexpr double kBytes = 1 << 30;
  for (const int nics : {1, 2, 4, 8}) {
    const Cluster cluster = without_fixed_times(dgx2_pair(nics));
    const Schedule schedule = schedule_of(collective_named("all_gather"), cluster,
                                          all_ranks(cluster), kBytes, Detail::folded);
    const double seconds = simulate(schedule, cluster).makespan_s;
    EXPECT_NEAR(seconds / (kBytes * 31 / 32 / (nics * nic_rate(cluster).base())), 1, 1e-6)
        << nics << " NICs";
  }
}

TEST(Dgx2, FewerNicsLengthenAStep) {
  double longer = std::numeric_limits<double>::infinity();
  for (const int nics : {1, 2, 4, 8}) {
    const double step = step_time(dgx2_pair(nics), deep_model(), {}, scheme_named("sharded"));
    EXPECT_LT(step, longer) << nics << " NICs";
    longer = step;
  }
}

}  // namespace
}  // namespace sim
