// SPDX-License-Identifier: Apache-2.0
// Random training steps on which the folded form is compared with the step-by-step form: every
// scheme and stage of ZeRO, overlaps, pipelines, 2 to 5 nodes on every fabric. The tests take a few,
// gardenhose-fold-steps hundreds.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/workload/parallelism_fields.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/schedule/whole_step.hpp"

namespace sim {

struct StepPoint {
  Cluster cluster;
  Model model;
  Parallelism parallelism;
  const Scheme* scheme = nullptr;
};

// GPT 125M (Brown et al., arXiv 2005.14165, table 2.1) with fewer layers and tokens.
inline Model shallow_gpt(int layers, int sequence) {
  return {.name = "gpt",
          .summary = "",
          .layers = layers,
          .hidden = 768,
          .heads = 12,
          .head_width = 64,
          .kv_heads = 12,
          .feed_forward = 3072,
          .feed_forward_kind = Model::FeedForward::gelu,
          .norm = Model::Norm::layer_norm,
          .positions = Model::Positions::learned,
          .position_table = 2048,
          .biases = Model::Biases::all,
          .dropout = true,
          .tied_embeddings = true,
          .vocabulary = 50304,
          .sequence = sequence};
}

// From which a draw chooses, a value as often as it is listed.
struct DrawnSizes {
  std::vector<int> nodes = {2, 3, 4, 5};
  std::vector<int> gpus = {2, 4, 4, 8, 8};  // of a node
  std::vector<double> speed_spread = {0.0, 0.0, 0.015};
};
// Nodes of eight equal GPUs, and a power of two of them.
inline DrawnSizes even_sizes(int most_gpus) {
  DrawnSizes sizes{.nodes = {}, .gpus = {8}, .speed_spread = {0.0}};
  for (int nodes = 1; nodes * 8 <= most_gpus; nodes *= 2) sizes.nodes.push_back(nodes);
  return sizes;
}

class StepDraw {
 public:
  // A stage's chunk has at most so many layers.
  explicit StepDraw(std::uint64_t seed, int most_layers = 2, DrawnSizes sizes = {})
      : random_(seed), most_layers_(most_layers), sizes_(std::move(sizes)) {}

  // One that check() and whole_step() take.
  StepPoint draw() {
    for (;;) {
      StepPoint point;
      point.cluster = cluster();
      const int pipeline = one_of({1, 1, 2, 2, 4});
      const int virtual_stages = pipeline > 1 ? one_of({1, 1, 2}) : 1;
      const int layers = 1 + static_cast<int>(random_() % static_cast<unsigned>(most_layers_));
      point.model = shallow_gpt(pipeline * virtual_stages * layers, one_of({512, 2048}));
      point.scheme =
          all_schemes(SchemeKind::inside)[random_() % all_schemes(SchemeKind::inside).size()];
      point.parallelism = parallelism(point, pipeline, virtual_stages);
      if (problems(point.cluster, point.model, point.parallelism).empty() && splits(point)) {
        return point;
      }
    }
  }

 private:
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return *(values.begin() + random_() % values.size());
  }
  template <class T>
  T one_of(const std::vector<T>& values) {
    return values[random_() % values.size()];
  }
  bool toss() { return random_() % 2 == 0; }

  Cluster cluster() {
    const int gpus = one_of(sizes_.gpus);
    Cluster cluster = sample_cluster(
        {.nodes = one_of(sizes_.nodes),
         .gpus = gpus,
         .nics = std::max(1, gpus / one_of({1, 1, 2, 4})),
         .fabric = all_network_fabrics()[random_() % all_network_fabrics().size()],
         .oversubscription = one_of({1.0, 1.0, 1.5, 4.0}),
         .nodes_per_leaf = one_of({1, 2, 4}),
         .pod_oversubscription = one_of({1.0, 1.0, 2.0}),
         .nvlink = one_of({&fabrics::switched, &fabrics::switched, &fabrics::full_mesh})});
    cluster.network.nic_bandwidth = one_of({25_Gbps, 37_Gbps, 100_Gbps, 200_Gbps, 400_Gbps});
    cluster.network.link_bandwidth = cluster.network.nic_bandwidth;
    cluster.collectives.channels = one_of({8, 16, 24});
    if (cluster.collectives.channels == 16) add_protocols(cluster);
    cluster.gpu.launch_latency = 2_us;
    cluster.speed_spread = one_of(sizes_.speed_spread);
    return cluster;
  }

  Parallelism parallelism(const StepPoint& point, int pipeline, int virtual_stages) {
    Parallelism p{.tensor = one_of({1, 1, 2, 4}),
                  .pipeline = pipeline,
                  .virtual_stages = virtual_stages,
                  .sequence_parallel = toss(),
                  .micro_batch = one_of({1, 2}),
                  .accumulation = one_of({1, 1, 2, 3, 4, 6}),
                  .recompute = one_of({Recompute::none, Recompute::selective, Recompute::full}),
                  .attention = one_of({Attention::unfused, Attention::fused}),
                  .optimizer = one_of({Optimizer::adamw, Optimizer::adamw, Optimizer::adamw_foreach,
                                       Optimizer::muon}),
                  .gradients = one_of({Precision::bf16, Precision::fp32}),
                  .overlap = {toss(), toss(), toss(), toss()},
                  .bucket = one_of({1_MiB, 25_MiB, 160_MiB})};
    p.sharding = {.stage = point.scheme->zero[random_() % point.scheme->zero.size()],
                  .reshard_after_forward = toss(),
                  .unit_layers = one_of({1, 2}),
                  .prefetch = one_of({1, 2}),
                  .prefetch_after_backward = toss()};
    if (p.sharding.stage == 3 && random_() % 4 == 0) p.sharding.ranks = one_of({2, 4});
    return p;
  }

  // Two-level schemes refuse some layouts, and hybrid shards some schemes.
  static bool splits(const StepPoint& point) {
    try {
      const Calibration calibration = roofline();
      return !plan_step(
                  {point.cluster, point.model, calibration, point.parallelism, Detail::folded},
                  *point.scheme)
                  .schedule.operations.empty();
    } catch (const InputError&) {
      return false;
    }
  }

  std::mt19937_64 random_;
  int most_layers_;
  DrawnSizes sizes_;
};

inline std::string to_text(const StepPoint& point) {
  const Cluster& c = point.cluster;
  const Network& n = c.network;
  const Parallelism& p = point.parallelism;
  const char* nvlink = c.nvlink.kind->direct ? "mesh" : "switch";
  return fmt::format(
      "{}x{} {} {} NICs {:.0f}Gbps {} leaf{} over{}/{} ch{} spread{} | tp{} pp{} vs{} {} layers "
      "seq {} | {}{}",
      c.nodes, c.gpus_per_node, nvlink, n.nics_per_node, n.nic_bandwidth / 1_Gbps, n.fabric->name,
      n.nodes_per_leaf, n.oversubscription, n.pod_oversubscription, c.collectives.channels,
      c.speed_spread, p.tensor, p.pipeline, p.virtual_stages, point.model.layers,
      point.model.sequence, point.scheme->name, changed_fields({}, p));
}

struct StepTimesOfBoth {
  double folded_s = 0;
  double step_by_step_s = 0;
  [[nodiscard]] double difference() const { return folded_s / step_by_step_s - 1; }
};

inline Schedule plan_of(const StepPoint& point, std::optional<Detail> detail) {
  const Calibration calibration = roofline();
  return whole_step({point.cluster, point.model, calibration, point.parallelism, detail},
                    *point.scheme);
}

// Folded, by default as a step is where nothing says so, and step by step.
inline StepTimesOfBoth times_of(const StepPoint& point, std::optional<Detail> folded = {}) {
  return {simulate(plan_of(point, folded), point.cluster).makespan_s,
          simulate(plan_of(point, Detail::step_by_step), point.cluster).makespan_s};
}

// What folded and step-by-step steps may differ by: the worst, and the ninth of ten.
inline constexpr double kWorstStep = 0.02;
inline constexpr double kMostSteps = 0.001;

inline bool are_within_bars(std::vector<double> differences) {
  std::ranges::sort(differences);
  return differences.back() <= kWorstStep && differences[differences.size() * 9 / 10] <= kMostSteps;
}

}  // namespace sim
