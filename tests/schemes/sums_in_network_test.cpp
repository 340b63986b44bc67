// SPDX-License-Identifier: Apache-2.0
// Sums in the network's switches: of gradients as they are, not of encoded ones.
#include "sim/base/error.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Cluster cluster_whose_switches_add() {
  Cluster cluster = small_cluster();
  cluster.network.sharp = LinkPace{10_us, 0.9};
  cluster.collectives.algorithm = &algorithms::sharp;
  return cluster;
}

double seconds_of(const char* name) {
  const Scheme& scheme = scheme_named(name);
  return step_time(cluster_whose_switches_add(), deep_model(), defined(scheme), scheme);
}

TEST(SumsInNetwork, AreOfNumbersAlone) {
  for (const char* plain : {"data_parallel", "sharded", "random_k", "power_sgd"}) {
    EXPECT_GT(seconds_of(plain), 0) << plain;
  }
  for (const char* encoded : {"sdp4bit", "int8_all_reduce", "zeropp", "top_k", "ef_sign"}) {
    EXPECT_THROW(seconds_of(encoded), InputError) << encoded;
  }
}

TEST(SumsInNetwork, SpareEachNicHalfOfARingsBytes) {
  const auto sent = [](const CollectiveAlgorithm& algorithm) {
    Cluster cluster = cluster_whose_switches_add();
    cluster.collectives.algorithm = &algorithm;
    const Scheme& scheme = scheme_named("data_parallel");
    const Schedule schedule = plan(cluster, deep_model(), defined(scheme), scheme);
    return mean(sent_bytes(schedule, Phase::gradient_comm).inter_node);
  };
  // A part of the buffer up to the switch, instead of 2 (n - 1) / n of it by one ring of eight ranks.
  EXPECT_NEAR(sent(algorithms::sharp) / sent(algorithms::ring), 1 / (2 * 7.0 / 8), 1e-6);
}

}  // namespace
}  // namespace sim
