// SPDX-License-Identifier: Apache-2.0
// The folded form of a collective against the step-by-step form: the same bytes on every link, the
// same SMs, and the same simulated time to within the tolerance. gardenhose-fold-grid measures
// more.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "sim/report/sources.hpp"
#include "tests/schedule/fold_grid.hpp"
#include "tests/schedule/fold_steps.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

constexpr double kFoldedBytes = 64 << 20;

void expect_close(const FoldTimes& times, double tolerance = kFoldTolerance) {
  EXPECT_LT(std::abs(times.difference()), tolerance)
      << times.folded_s << " s folded, " << times.step_by_step_s << " s step by step";
}

// Of groups that lie unevenly over nodes or leaves.
constexpr double kUnevenTolerance = 0.02;

// Groups of a cluster's ranks: all, one a node, the first half of each node, and groups that have
// more ranks, or other GPUs, on some nodes than on others.
std::map<std::string, std::vector<int>> groups_of(const Cluster& cluster) {
  std::map<std::string, std::vector<int>> groups{{"all", all_ranks(cluster)}};
  for (const int rank : all_ranks(cluster)) {
    const int gpu = gpu_of(cluster, rank);
    const int node = node_of(cluster, rank);
    if (gpu == 1) groups["one a node"].push_back(rank);
    if (2 * gpu < cluster.gpus_per_node) groups["half of each node"].push_back(rank);
    if (gpu <= node % 3) groups["one to three a node"].push_back(rank);
    if (gpu <= node / 5) groups["more on later nodes"].push_back(rank);
    if (rank % 3 == 0) groups["every third"].push_back(rank);
    if (gpu == node % cluster.gpus_per_node) groups["a diagonal"].push_back(rank);
  }
  return groups;
}

class FoldOn : public testing::TestWithParam<const NetworkFabric*> {
 protected:
  // Twelve nodes are three leaves, the last of two pods half full; sixteen are two full pods.
  template <class Check>
  void for_each_group(int nodes, Check check) const {
    for (const auto& [nvlink, nics] :
         {std::pair(&fabrics::switched, 1), std::pair(&fabrics::full_mesh, 4)}) {
      const Cluster cluster = sample_cluster({.nodes = nodes,
                                              .gpus = 4,
                                              .nics = nics,
                                              .fabric = GetParam(),
                                              .oversubscription = 1.5,
                                              .pod_oversubscription = 1.25,
                                              .nvlink = nvlink});
      for (const auto& [name, ranks] : groups_of(cluster)) {
        const bool mesh = nvlink->direct;
        SCOPED_TRACE(testing::Message()
                     << name << (mesh ? ", mesh, " : ", switch, ") << nics << " NICs");
        check(cluster, ranks);
      }
    }
  }
};

TEST_P(FoldOn, PutsTheSameBytesOnEveryLink) {
  const auto check = [](const Cluster& cluster, const std::vector<int>& ranks) {
    const Topology topology(cluster);
    for (const CollectiveRow& row : all_collectives()) {
      // On two full pods one of each kind of collective.
      if (cluster.nodes == 16 && row.name != "all_gather" && row.name != "all_to_all") continue;
      const auto bytes = [&](Detail detail) {
        return link_bytes(schedule_of(row, cluster, ranks, kFoldedBytes, detail), topology);
      };
      const auto folded = bytes(Detail::folded);
      const auto step_by_step = bytes(Detail::step_by_step);
      for (LinkId link = 0; link < topology.links().size(); ++link) {
        EXPECT_NEAR(folded[link], step_by_step[link], 1e-6 * kFoldedBytes)
            << row.name << " over " << topology.links()[link].name;
      }
    }
  };
  for (const int nodes : {12, 16}) for_each_group(nodes, check);
}

TEST_P(FoldOn, TakesAnSmForEachChannelOfEachRank) {
  for_each_group(12, [](const Cluster& cluster, const std::vector<int>& ranks) {
    for (const Detail detail : kDetails) {
      ScheduleBuilder builder(rank_count(cluster));
      const Communicator group = make_communicator(cluster, builder, ranks, detail);
      const Schedule schedule = std::move(builder).finish();
      const Occupancy& taken = schedule.occupancies[group.occupancy];
      const double channels = cluster.collectives.channels;
      EXPECT_EQ(taken.ranks, std::vector<std::int32_t>(ranks.begin(), ranks.end()));
      EXPECT_NEAR(taken.multiprocessor_share, channels / cluster.gpu.multiprocessors, 1e-9);
    }
  });
}

TEST_P(FoldOn, TakesTheSameTimeWhateverTheGroup) {
  for_each_group(12, [](const Cluster& cluster, const std::vector<int>& ranks) {
    for (const char* name : {"all_gather", "all_to_all"}) {  // the others are rings too
      SCOPED_TRACE(name);
      expect_close(fold_times(collective_named(name), cluster, ranks, kFoldedBytes),
                   kUnevenTolerance);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Fabric, FoldOn, testing::ValuesIn(all_network_fabrics()),
                         [](const auto& param_info) {
                           return std::string(param_info.param->name);
                         });

TEST(Fold, HoldsOnEveryShippedTopology) {
  // Also where a communicator's traffic out of a node is capped, here at less than one NIC. At most
  // 4 GPUs of a node: step by step, 72 would take minutes. Each shape once.
  std::set<std::tuple<const NvlinkFabric*, const NetworkFabric*, int, int, double, int>> shapes;
  for (const auto& file : shipped_files("topologies", ".toml")) {
    const Cluster whole = read_cluster(file);
    Cluster cluster = part_of(whole, std::min(3, whole.nodes), std::min(4, whole.gpus_per_node));
    const Network& network = cluster.network;
    if (!shapes
             .emplace(cluster.nvlink.kind, network.fabric, network.nics_per_node,
                      network.nodes_per_leaf, network.oversubscription,
                      cluster.collectives.channels)
             .second) {
      continue;
    }
    for (const auto cap : {std::optional<Bandwidth>(), std::optional(10_GBps)}) {
      cluster.fitted.communicator_bandwidth = cap;
      for (const CollectiveRow& row : all_collectives()) {
        if (cap && row.name != std::string("all_gather")) continue;  // caps know no collective
        SCOPED_TRACE(testing::Message() << file << ' ' << row.name << (cap ? ", capped" : ""));
        expect_close(fold_times(row, cluster, all_ranks(cluster), kFoldedBytes));
      }
    }
  }
}

// Two nodes of 8 GPUs whose rings cross one NIC, far slower than NVLink.
Cluster cluster_of_slow_nics() { return sample_cluster({.nodes = 2, .gpus = 8, .nics = 1}); }

TEST(Fold, SlowsAKernelBesideItAsMuch) {
  // The collective's kernel stays on the GPU when its hop over NVLink waits for the one over the NIC:
  // 8 of 100 SMs for all of its time, in which a kernel bound by them does 92 % of its work.
  const Cluster cluster = cluster_of_slow_nics();
  const std::vector<int> ranks = all_ranks(cluster);
  for (const Detail detail : kDetails) {
    ScheduleBuilder builder(rank_count(cluster));
    const Communicator group = make_communicator(cluster, builder, ranks, detail);
    all_gather(builder, group, 16 * kFoldedBytes, {.stream = Stream::weights, .label = "gather"});
    const OperationId gathered = builder.last(0, Stream::weights);
    const OperationId kernel =
        builder.work(0, Stream::compute, Phase::forward, "kernel", 0.001, 0, {});
    const Timeline timeline = simulate(std::move(builder).finish(), cluster);
    ASSERT_GT(timeline.end_s[gathered], timeline.end_s[kernel]);
    EXPECT_NEAR(timeline.end_s[kernel], 0.001 / 0.92, 1e-9);
  }
}

TEST(Fold, LeavesAsMuchOfALinkToOthers) {
  // The rings' eight channels and a message cross NIC 0 of node 0, which gives each a ninth.
  const Cluster cluster = cluster_of_slow_nics();
  for (const Detail detail : kDetails) {
    ScheduleBuilder builder(rank_count(cluster));
    const Communicator group = make_communicator(cluster, builder, all_ranks(cluster), detail);
    all_gather(builder, group, 16 * kFoldedBytes, {.stream = Stream::weights, .label = "gather"});
    const OperationId sent =
        send(cluster, builder, {.source = 3, .destination = 11, .bytes = kFoldedBytes},
             {.label = "send"});
    const double end_s = simulate(std::move(builder).finish(), cluster).end_s[sent];
    EXPECT_NEAR(end_s, 9 * kFoldedBytes / nic_rate(cluster).base(), 0.02 * end_s);
  }
}

TEST(FoldedSteps, TakeTheTimeOfStepByStepOnes) {
  StepDraw random(2);
  std::vector<double> differences;
  for (int i = 0; i < 24; ++i) {
    const StepPoint point = random.draw();
    differences.push_back(std::abs(times_of(point).difference()));
    EXPECT_LE(differences.back(), kWorstStep) << to_text(point);
  }
  EXPECT_TRUE(are_within_bars(differences));
}

TEST(FoldedSteps, AreUnfoldedWhereRanksLieUnevenlyAndTheyAreFew) {
  // Two stages of 6 ranks: four on one node and two on another. Three nodes of 4 GPUs a stage each
  // lie evenly.
  StepPoint point{.cluster = sample_cluster({.nodes = 3, .gpus = 4, .nics = 4}),
                  .model = shallow_gpt(6, 512),
                  .scheme = &scheme_named("sharded")};
  const auto flows = [&](std::optional<Detail> detail) {
    const Schedule schedule = plan_of(point, detail);
    return std::ranges::count(schedule.operations, OperationKind::flow, &Operation::kind);
  };
  for (const int pipeline : {2, 3}) {
    point.parallelism.pipeline = pipeline;
    const Schedule folded = plan_of(point, Detail::folded);
    EXPECT_EQ(folded.approximate, pipeline == 2);
    EXPECT_EQ(folded.unfolded_flows, static_cast<double>(flows(Detail::step_by_step)));
    EXPECT_EQ(flows({}), flows(pipeline == 2 ? Detail::step_by_step : Detail::folded));
  }
  // A thousand micro-batches, whose gradients ZeRO-2 reduces each.
  point.parallelism = {.pipeline = 2, .accumulation = 1000, .sharding = {.stage = 2}};
  const Schedule large = plan_of(point, {});
  EXPECT_GT(large.unfolded_flows, kMostUnfolded);
  EXPECT_TRUE(large.approximate);
}

TEST(FoldedSteps, SayTheWorstOfTheUnevenOnes) {
  const auto table = source_directory() / "tests/schedule/uneven_steps.csv";
  double worst = 0;
  for (const std::string& row : lines_of(text_of(table))) {
    const auto second = row.find(',', row.find(',') + 1);
    worst = std::max(worst, std::abs(std::strtod(row.c_str() + second + 1, nullptr)));
  }
  EXPECT_LE(worst, kUnevenError);
  EXPECT_GT(worst, kUnevenError - 0.01);
}

TEST(FoldGrid, HoldsOnAPartOfIt) {
  // A sample that takes the values of each axis in turn, of what is quickly simulated.
  constexpr std::size_t kStride = 349;
  constexpr double kMostSteps = 1500;
  const std::vector<FoldPoint> points = fold_points(full_axes());
  std::map<std::string_view, int> compared;
  for (std::size_t i = 0; i < points.size(); i += kStride) {
    const FoldPoint& point = points[i];
    if (const double steps = steps_of(point); steps == 0 || steps > kMostSteps) continue;
    SCOPED_TRACE(testing::Message()
                 << point.collective.name << " by " << point.algorithm->name << " on " << point.gpus
                 << " GPUs, " << point.fabric->name << ", " << point.bytes.count
                 << " B, oversubscription " << point.oversubscription << ", " << point.gpus_per_nic
                 << " GPUs a NIC");
    expect_close(fold_times(point));
    ++compared[point.algorithm->name];
  }
  for (const CollectiveAlgorithm* algorithm : all_algorithms()) {
    EXPECT_GT(compared[algorithm->name], 0) << algorithm->name;
  }
}

TEST(FoldGrid, RoundsTheSharesOfManyPeersWell) {
  // More nodes than a folded all_to_all has shares for. The group has one of two GPUs and NICs of
  // each node, so that leaves with uplinks for half of the NICs taper nothing or little: then each
  // class's part of the NIC counts.
  struct Tree {
    int nodes;
    int nodes_per_leaf;
    int leaves_per_pod;
    double oversubscription;
    double pod_oversubscription;
  };
  const Tree trees[] = {{24, 3, 2, 2, 1.25}, {32, 8, 2, 2.5, 1},  {32, 8, 4, 2.5, 1.25},
                        {36, 3, 3, 2, 1.25}, {48, 4, 4, 2, 1.25}, {64, 8, 4, 2, 1.5}};
  for (const Tree& tree : trees) {
    SCOPED_TRACE(testing::Message()
                 << tree.nodes << " nodes, " << tree.nodes_per_leaf << " a leaf");
    const Cluster cluster = sample_cluster({.nodes = tree.nodes,
                                            .gpus = 2,
                                            .nics = 2,
                                            .fabric = &fabrics::fat_tree_3level,
                                            .oversubscription = tree.oversubscription,
                                            .nodes_per_leaf = tree.nodes_per_leaf,
                                            .leaves_per_pod = tree.leaves_per_pod,
                                            .pod_oversubscription = tree.pod_oversubscription});
    const std::vector<int> one_a_node = groups_of(cluster).at("one a node");
    expect_close(fold_times(collective_named("all_to_all"), cluster, one_a_node, kFoldedBytes));
  }
}

}  // namespace
}  // namespace sim
