// SPDX-License-Identifier: Apache-2.0
// NCCL's tuner beside what NCCL's own code chooses (traces/published/nccl_choices.csv).
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/csv.hpp"
#include "sim/base/number_text.hpp"
#include "sim/collectives/collective_rows.hpp"
#include "sim/collectives/nccl/group.hpp"
#include "sim/collectives/nccl/tuner.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "sim/topology/nccl_version.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace sim::nccl {
namespace {

constexpr EnumName<Path> kPaths[] = {{"nvlink", Path::nvlink},
                                     {"pcie_switch", Path::pcie_switch},
                                     {"other_gpu", Path::other_gpu},
                                     {"host_bridge", Path::host_bridge}};
constexpr EnumName<Processor> kMakes[] = {{"intel", Processor::intel}, {"amd", Processor::amd}};
constexpr EnumName<Algorithm> kNames[] = {{"tree", Algorithm::tree},
                                          {"ring", Algorithm::ring},
                                          {"nvls", Algorithm::nvls},
                                          {"nvls_tree", Algorithm::nvls_tree},
                                          {"pat", Algorithm::pat}};

Graph graph_in(const CsvRow& row, const std::string& name) {
  Graph graph{.channels = row.has(name + "_inside_GBps") ? row.integer(name + "_channels") : 0};
  if (graph.channels == 0) return graph;
  graph.inside_GBps = row.number(name + "_inside_GBps");
  graph.between_GBps = row.number(name + "_between_GBps");
  if (name == "nvls") return graph;
  graph.inside = chosen("inside", row.text(name + "_inside"), kPaths);
  graph.between = chosen("between", row.text(name + "_between"), kPaths);
  return graph;
}

Tuner tuner_in(const CsvRow& row) {
  Group group{.ranks = row.integer("ranks"),
              .nodes = row.integer("nodes"),
              .compute_capability = row.integer("compute_capability"),
              .processor = chosen("processor", row.text("processor"), kMakes),
              .channels = row.integer("channels")};
  const auto at = [&](Algorithm algorithm) -> Graph& {
    return group.graphs[static_cast<std::size_t>(algorithm)];
  };
  at(Algorithm::ring) = graph_in(row, "ring");
  at(Algorithm::tree) = graph_in(row, "tree");
  at(Algorithm::tree).chain = row.text("tree_is_chain") == "true";
  at(Algorithm::pat) = at(Algorithm::tree);
  at(Algorithm::nvls) = at(Algorithm::nvls_tree) = graph_in(row, "nvls");
  return {nccl_or_newest(row.text("nccl")), group};
}

struct Choice {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  bool operator==(const Choice&) const = default;
};

Choice choice_of(const Tuner& tuner, CollectiveKind collective, double bytes) {
  Choice best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    for (const Protocol protocol : kProtocols) {
      const auto algorithm = static_cast<Algorithm>(i);
      const auto time = expected_us(tuner, collective, algorithm, protocol, bytes);
      if (!time || *time >= least) continue;
      least = *time;
      best = {algorithm, protocol};
    }
  }
  return best;
}

// "64:tree/ll 2048:ring/simple"
struct Since {
  double bytes = 0;
  Choice choice;
};
std::vector<Since> choices_in(const CsvRow& row) {
  std::vector<Since> all;
  std::string text = row.text("choices") + " ";
  for (std::size_t begin = 0, end = 0; (end = text.find(' ', begin)) != std::string::npos;
       begin = end + 1) {
    const std::string one = text.substr(begin, end - begin);
    const auto colon = one.find(':'), slash = one.find('/');
    all.push_back({number_in<double>(one.substr(0, colon)).value(),
                   {chosen("algorithm", one.substr(colon + 1, slash - colon - 1), kNames),
                    *protocol_named(one.substr(slash + 1), "protocol")}});
  }
  return all;
}

TEST(NcclTuner, ChoosesAsTheCodeOfEachVersionDoes) {
  int points = 0, equal = 0;
  for (const CsvRow& row : read_csv(source_directory() / "traces/published/nccl_choices.csv")) {
    const Tuner tuner = tuner_in(row);
    const CollectiveKind collective = collective_named(row.text("collective")).collective;
    const std::vector<Since> known = choices_in(row);
    std::size_t at = 0;
    for (double size = 64; size < 16e9; size *= std::sqrt(2.0)) {
      const double bytes = std::floor(size * (1 + 1e-9));
      while (at + 1 < known.size() && bytes >= known[at + 1].bytes) ++at;
      ++points;
      equal += choice_of(tuner, collective, bytes) == known[at].choice ? 1 : 0;
    }
  }
  EXPECT_GT(points, 10'000);
  EXPECT_GE(equal, 0.99 * points) << equal << " of " << points;
}

TEST(NcclTuner, ExpectsTheTimesThatItsSourceGivesForEightH100) {
  // Of the table that NCCL 2.28 prints with NCCL_DEBUG_SUBSYS=TUNING: latency in us and GB/s.
  Cluster cluster = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
  std::vector<int> ranks{0, 1, 2, 3, 4, 5, 6, 7};
  const Tuner tuner{{28}, group_of(cluster, ranks, 1).value()};
  const auto expect = [&](Algorithm algorithm, Protocol protocol, double us, double rate) {
    const auto found = cost(tuner, CollectiveKind::all_reduce, algorithm, protocol);
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR(found->latency_us, us, 1e-9);
    EXPECT_NEAR(found->GBps, rate, 1e-4);
  };
  expect(Algorithm::tree, Protocol::ll, 15.2, 43.5789);
  expect(Algorithm::tree, Protocol::ll128, 31.5, 128.8);
  expect(Algorithm::tree, Protocol::simple, 64.4, 165.6);
  expect(Algorithm::ring, Protocol::ll, 15.0, 80.5714);
  expect(Algorithm::ring, Protocol::ll128, 40.6, 189.2571);
  expect(Algorithm::ring, Protocol::simple, 56.0, 205.7143);
  expect(Algorithm::nvls, Protocol::simple, 25.0, 272.0);
  EXPECT_EQ(tuner.group.channels, 24) << "as NCCL's logs of such nodes say";
  EXPECT_FALSE(cost(tuner, CollectiveKind::all_reduce, Algorithm::nvls_tree, Protocol::simple));
  EXPECT_FALSE(cost(tuner, CollectiveKind::all_gather, Algorithm::tree, Protocol::ll));
}

TEST(NcclTuner, TakesMoreChannelsForMoreBytesUpToAll) {
  const Group group{.ranks = 8, .nodes = 1, .channels = 24};
  for (const Protocol protocol : kProtocols) {
    int before = 0;
    for (double bytes = 1; bytes < 1e10; bytes *= 2) {
      const int taken = channels_taken(group, Algorithm::ring, protocol, bytes);
      EXPECT_GE(taken, std::max(before, 1));
      EXPECT_LE(taken, 24);
      before = taken;
    }
    EXPECT_EQ(before, 24);
  }
  // 8 B for each of 512 threads and each rank.
  EXPECT_EQ(channels_taken(group, Algorithm::ring, Protocol::ll, 2 * 32'768), 2);
}

TEST(NcclTuner, ReadsVersionsAsLogsWriteThem) {
  EXPECT_EQ(nccl_named("2.26.2", "x"), NcclVersion{26});
  EXPECT_EQ(nccl_named("2.18.6+cuda12.1", "x"), NcclVersion{18});
  EXPECT_EQ(nccl_named("off", "x"), std::nullopt);
  EXPECT_EQ(nccl_or_newest("2.30.3"), kNewestNccl);
  EXPECT_EQ(nccl_or_newest("-"), kNewestNccl);
  EXPECT_EQ(input_error_of([] { (void)nccl_named("2.17.1", "--nccl"); }).substr(0, 40),
            "--nccl: '2.17' is not one of: off, 2.18,");
}

TEST(NcclTuner, KnowsTheGpusOfAllClustersButAmds) {
  for (const auto& file : shipped_files("topologies", ".toml")) {
    const std::string name = read_cluster(file).gpu.name;
    EXPECT_EQ(compute_capability(name).has_value(), name.find("AMD") == std::string::npos) << name;
  }
}

}  // namespace
}  // namespace sim::nccl
