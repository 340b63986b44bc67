// SPDX-License-Identifier: Apache-2.0
// An axis that nothing else knows, along which ranks hold other experts: it divides the ranks of a stage
// once more, beside their dense axes.
#include <gtest/gtest.h>

#include <map>

#include "sim/program/groups.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

constexpr Axis kExperts{.name = "ep", .of = Weights::experts};

Parallelism with_experts(int ranks, Parallelism p) {
  p.expert_tensor = 1;
  p.expert_axes[0] = {&kExperts, ranks};
  return p;
}

using Lists = std::vector<std::vector<int>>;

// The same ranks once more: 8 of a stage are 2 x 4 dense, and 4 x 2 of experts.
TEST(ToyExpertAxis, DividesTheRanksOfAStageAnew) {
  const Cluster cluster = small_cluster();
  const Parallelism p = with_experts(4, {.tensor = 2, .micro_batch = 3});
  EXPECT_EQ(global_batch(cluster, p), 4 * 3);
  EXPECT_EQ(holders(cluster, p), 4);
  EXPECT_EQ(holders(cluster, p, Weights::experts), 2);
  EXPECT_EQ(shard_ranks(cluster, p, Weights::experts), 2);
  const Factoring factoring = factoring_of(cluster, p);
  EXPECT_EQ(factoring.size(kExperts), 4);
  EXPECT_EQ(factoring.groups(kExperts), (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(factoring.groups_of_holders(Weights::experts), (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

// Wherever the pipeline lies, each stage for itself.
TEST(ToyExpertAxis, StaysInAStage) {
  const Cluster cluster = small_cluster();
  for (const Placement placement : {Placement{&axes::tensor, &axes::data, &axes::pipeline},
                                    Placement{&axes::pipeline, &axes::data, &axes::tensor},
                                    Placement{&axes::data, &axes::pipeline, &axes::tensor}}) {
    Parallelism p = with_experts(2, {.tensor = 2, .pipeline = 2});
    p.placement = placement;
    const Factoring factoring = factoring_of(cluster, p);
    for (const Lists& lists :
         {factoring.groups(kExperts), factoring.groups_of_holders(Weights::experts)}) {
      EXPECT_EQ(lists.size(), 4U);
      for (const std::vector<int>& group : lists) {
        ASSERT_EQ(group.size(), 2U);
        EXPECT_EQ(factoring.dense().place(group[0], axes::pipeline),
                  factoring.dense().place(group[1], axes::pipeline));
      }
    }
  }
}

// Gradients of dense weights among all, those of experts among the ranks that hold the same ones.
TEST(ToyExpertAxis, SumsTheirGradientsAmongTheirHolders) {
  const Cluster cluster = small_cluster();
  const Model model = deep_model();
  const Calibration calibration = roofline();
  const StepContext context{cluster, model, calibration, with_experts(4, {})};
  Program program;
  for (const Weights weights : {Weights::dense, Weights::experts}) {
    Communication& sum = program.communications.emplace_back();
    sum.weights = weights;
    sum.add(Transfer{.collective = CollectiveKind::reduce_scatter, .among = Among::shards});
  }
  Communication& dispatch = program.communications.emplace_back();
  dispatch.axis = &kExperts;
  dispatch.weights = Weights::experts;
  dispatch.add(Transfer{.collective = CollectiveKind::all_to_all, .among = Among::axis});
  std::map<Weights, Lists> summed;
  Lists dispatched;
  for_each_group(
      groups_needed(program), context, [&](const GroupsKey& key, Ranks ranks, const Uses&) {
        (key.axis == &kExperts ? dispatched : summed[key.weights]).push_back(std::move(ranks));
      });
  EXPECT_EQ(dispatched, (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(summed[Weights::dense], (Lists{{0, 1, 2, 3, 4, 5, 6, 7}}));
  EXPECT_EQ(summed[Weights::experts], (Lists{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

}  // namespace
}  // namespace sim
