// SPDX-License-Identifier: Apache-2.0
// Stages whose layers differ: how layers are divided among them, and that a step has each layer's kernels.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/program/lay_out.hpp"
#include "sim/times/roofline.hpp"
#include "sim/workload/operators.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "sim/workload/parameters.hpp"
#include "sim/workload/stages.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// A dense layer of little work, then experts.
Model unequal(int layers) {
  Model model = deep_model();
  model.layers = layers;
  model.experts = {.count = 8, .top_k = 4, .width = 2048};
  model.order = parse_order("dense*3 experts*", Block::experts).value();
  model.vocabulary = 32'768;
  return model;
}

std::vector<int> held(const Model& model, const Parallelism& p) {
  const Stages stages(model, p);
  std::vector<int> all;
  for (int v = 0; v < p.pipeline * p.virtual_stages; ++v) all.push_back(stages.layers_of(v));
  return all;
}

double busiest(const Model& model, const std::vector<int>& layers) {
  double most = 0;
  int next = 0;
  for (std::size_t v = 0; v < layers.size(); ++v) {
    double work = v + 1 == layers.size() ? 2.0 * model.hidden * model.vocabulary : 0;
    for (int i = 0; i < layers[v]; ++i) work += layer_flop(model, kind_of(model, next++));
    most = std::max(most, work);
  }
  return most;
}

// The least that any division leaves the busiest, by trying all.
double least_busiest(const Model& model, int parts, std::vector<int> so_far = {}) {
  const int left = model.layers - std::accumulate(so_far.begin(), so_far.end(), 0);
  if (static_cast<int>(so_far.size()) + 1 == parts) {
    so_far.push_back(left);
    return busiest(model, so_far);
  }
  double least = std::numeric_limits<double>::infinity();
  for (int next = 1; next < left; ++next) {
    so_far.push_back(next);
    least = std::min(least, least_busiest(model, parts, so_far));
    so_far.pop_back();
  }
  return least;
}

TEST(UnequalStages, LeaveTheBusiestTheLeastWork) {
  for (const int layers : {7, 11, 13}) {
    const Model model = unequal(layers);
    for (const int parts : {2, 3, 4, 5}) {
      const std::vector<int> now = held(model, {.pipeline = parts});
      EXPECT_EQ(std::accumulate(now.begin(), now.end(), 0), layers);
      EXPECT_GE(std::ranges::min(now), 1);
      EXPECT_NEAR(busiest(model, now) / least_busiest(model, parts), 1, 1e-8) << layers << parts;
    }
  }
}

TEST(UnequalStages, AreThoseThatAreSaid) {
  const Model model = unequal(7);
  const Parallelism p{.pipeline = 2, .virtual_stages = 2, .stage_layers = {3, 1, 2, 1}};
  EXPECT_EQ(held(model, p), p.stage_layers);
  EXPECT_EQ(problems(small_cluster(), model, p), "");
  for (const std::vector<int>& wrong : {std::vector{3, 4}, {3, 1, 2, 2}}) {
    Parallelism other = p;
    other.stage_layers = wrong;
    EXPECT_TRUE(problems(small_cluster(), model, other).starts_with("`stage-layers`: "));
  }
}

TEST(UnequalStages, HaveEachLayersParametersAndKernelsOnce) {
  const Model model = unequal(7);
  for (const int zero : {1, 3}) {
    const Parallelism p{.pipeline = 2,
                        .stage_layers = {4, 3},
                        .attention = Attention::fused,
                        .sharding = {.stage = zero}};
    double parameters = 0;
    for (const int stage : {0, 1}) parameters += stage_parameters(model, p, stage).total();
    const EndParameters ends = end_parameters(model);
    EXPECT_EQ(parameters, static_cast<double>(total_parameters(model) + ends.words));  // tied ends

    const Schedule schedule = plan(small_cluster(), model, p, scheme_named("sharded", "test"));
    double computed = 0;
    for (int rank : {0, rank_count(small_cluster()) / 2}) {
      computed += work_seconds(schedule, rank, [](const Operation& one) {
        return one.phase == Phase::forward || one.phase == Phase::backward;
      });
    }
    const Calibration calibration = roofline();
    const Roofline times(small_cluster().gpu, 1, calibration);
    const auto seconds = [&](const Operators& operators) { return times.block(operators).seconds; };
    const EndOperators end = end_operators(model, p);
    double expected = seconds(end.embedding) + seconds(end.embedding_backward) + seconds(end.head) +
                      seconds(end.head_backward);
    for (int layer = 0; layer < model.layers; ++layer) {
      const LayerOperators operators = layer_operators(model, p, kind_of(model, layer));
      for (const Segment& one : operators.forward) expected += seconds(one.kernels);
      for (const Segment& one : operators.backward) {
        expected += seconds(one.kernels) + seconds(one.beside);
      }
    }
    EXPECT_NEAR(computed / expected, 1, 1e-9) << zero;
  }
}

TEST(StageLayers, ReadAsTheyAreWritten) {
  for (const char* text : {"4", "13*4,5,4", "0,2*8,0"}) {
    const auto layers = parse_stage_layers(text);
    ASSERT_TRUE(layers) << text;
    EXPECT_EQ(stage_layers_text(*layers), text);
  }
  for (const char* text : {"", ",", "4,", "x", "4*", "*4", "-1", "0*4", "4.5", "999999*4"}) {
    EXPECT_FALSE(parse_stage_layers(text)) << text;
  }
}

}  // namespace
}  // namespace sim
