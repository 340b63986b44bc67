// SPDX-License-Identifier: Apache-2.0
// Random steps, and how long they take when one bandwidth is doubled. The tests take the first few,
// gardenhose-doubled-bandwidth as many as it is asked for.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {

// What a step may be longer by when a bandwidth is doubled.
inline constexpr double kSlowerTolerance = 0.01;

struct DoubledBandwidth {
  const char* name;
  void (*apply)(Cluster& cluster);
};

inline constexpr DoubledBandwidth kBandwidths[] = {
    {"nvlink", [](Cluster& c) { c.nvlink.bandwidth = c.nvlink.bandwidth * 2; }},
    {"nic", [](Cluster& c) { c.network.nic_bandwidth = c.network.nic_bandwidth * 2; }},
    {"memory", [](Cluster& c) { c.gpu.memory_bandwidth = c.gpu.memory_bandwidth * 2; }},
    {"leaf uplinks", [](Cluster& c) { c.network.oversubscription /= 2; }},
    {"links between routers",
     [](Cluster& c) { c.network.link_bandwidth = c.network.link_bandwidth * 2; }},
    {"pod uplinks", [](Cluster& c) { c.network.pod_oversubscription /= 2; }},
    {"communicator cap",
     [](Cluster& c) {
       auto& cap = c.fitted.communicator_bandwidth;
       if (cap) cap = *cap * 2;
     }},
};

struct RandomStep {
  Cluster cluster;
  Model model;
  Parallelism parallelism;
  const Scheme* scheme = nullptr;
  const DoubledBandwidth* doubled = nullptr;

  [[nodiscard]] double seconds(bool twice) const {
    Cluster with = cluster;
    if (twice) doubled->apply(with);
    return step_time(with, model, parallelism, *scheme);
  }
};

// Picks that are the same everywhere: the library's distributions are not.
class Picks {
 public:
  explicit Picks(std::uint64_t seed) : generator_(seed) {}

  template <class T>
  T of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  std::size_t below(std::size_t count) { return generator_() % count; }
  bool coin() { return below(2) == 1; }

 private:
  std::mt19937_64 generator_;
};

inline Cluster random_cluster(Picks& pick) {
  const int gpus = pick.of({2, 4, 8});
  SampleShape shape{.nodes = pick.of({1, 2, 3, 4}),
                    .gpus = gpus,
                    .nics = pick.of({gpus, gpus, gpus / 2, 1}),
                    .fabric = all_network_fabrics()[pick.below(all_network_fabrics().size())],
                    .nodes_per_leaf = pick.of({1, 2}),
                    .leaves_per_pod = pick.of({1, 2}),
                    .nvlink = pick.of({&fabrics::switched, &fabrics::full_mesh})};
  if (shape.fabric->rails) shape.nics = gpus;
  shape.oversubscription = pick.of({1.0, 2.0, 4.0});
  shape.pod_oversubscription = pick.of({1.0, 2.0});
  Cluster cluster = sample_cluster(shape);
  cluster.nvlink.bandwidth = 1_GBps * pick.of({25.0, 50.0, 100.0, 200.0, 300.0});
  cluster.network.nic_bandwidth = 1_GBps * pick.of({3.0, 6.0, 12.5, 25.0, 50.0});
  cluster.network.link_bandwidth = cluster.network.nic_bandwidth;
  cluster.gpu.memory_bandwidth = 1_GBps * pick.of({1000.0, 2000.0, 3000.0});
  cluster.gpu.launch_latency = 2_us;
  if (pick.below(3) == 0) {
    cluster.fitted.communicator_bandwidth = 1_GBps * pick.of({5.0, 12.5, 40.0});
  }
  return cluster;
}

inline Model random_model(Picks& pick) {
  Model model = deep_model();
  model.layers = pick.of({4, 6, 8});
  model.hidden = pick.of({512, 1024, 2048});
  model.head_width = model.hidden / model.heads;
  model.feed_forward = 4 * model.hidden;
  model.vocabulary = pick.of({1024, 16384});
  model.sequence = pick.of({128, 512, 1024});
  return model;
}

inline Parallelism random_parallelism(Picks& pick) {
  Parallelism p;
  p.tensor = pick.of({1, 1, 2, 4});
  p.pipeline = pick.of({1, 1, 2});
  p.micro_batch = pick.of({1, 2});
  p.accumulation = pick.of({1, 2, 4, 6});
  p.recompute = pick.of({Recompute::none, Recompute::selective, Recompute::full});
  p.optimizer = pick.of({Optimizer::adamw, Optimizer::adamw, Optimizer::muon});
  p.gradients = pick.of({Precision::fp32, Precision::bf16});
  p.overlap = pick.coin() ? Overlap{true, true, true, true}
                          : Overlap{pick.coin(), pick.coin(), pick.coin(), pick.coin()};
  p.bucket = pick.of({1_MiB, 16_MiB, 160_MiB});
  p.sharding.stage = pick.of({0, 1, 2, 3});
  p.sharding.prefetch = pick.of({1, 2});
  p.sharding.prefetch_after_backward = pick.coin();
  p.sharding.reshard_after_forward = pick.coin();
  return p;
}

// The doubled bandwidth is one that the cluster has.
inline bool has_bandwidth(const RandomStep& step) {
  const std::string_view name = step.doubled->name;
  const Network& network = step.cluster.network;
  if (name == "nvlink" || name == "memory") return true;
  if (step.cluster.nodes == 1) return false;
  if (name == "leaf uplinks") {
    return network.fabric->takes("oversubscription") && network.oversubscription > 1;
  }
  if (name == "links between routers") return network.fabric->takes("link_bandwidth");
  if (name == "pod uplinks") {
    return network.fabric == &fabrics::fat_tree_3level && network.pod_oversubscription > 1;
  }
  return name == "nic" || step.cluster.fitted.communicator_bandwidth.has_value();
}

// The step of that number, drawn again until it is one that can be run.
inline RandomStep random_step(std::uint64_t number) {
  Picks pick(number);
  while (true) {
    RandomStep step{.cluster = random_cluster(pick),
                    .model = random_model(pick),
                    .parallelism = random_parallelism(pick),
                    .scheme = all_schemes(
                        SchemeKind::inside)[pick.below(all_schemes(SchemeKind::inside).size())],
                    .doubled = &kBandwidths[pick.below(std::size(kBandwidths))]};
    if (!has_bandwidth(step)) continue;
    if (step.scheme->overlap.gradients == false) step.parallelism.overlap.gradients = false;
    try {
      check(step.cluster, step.model, step.parallelism);
      static_cast<void>(plan(step.cluster, step.model, step.parallelism, *step.scheme));
      return step;
    } catch (const InputError&) {
      continue;
    }
  }
}

inline std::string described(const RandomStep& step) {
  const Cluster& c = step.cluster;
  const Parallelism& p = step.parallelism;
  const Overlap& o = p.overlap;
  return fmt::format(
      "{},{},{}x{},fabric {},nics {},nvlink {:g}{},nic {:g},memory {:g},cap {:g},leaf {:g},pod "
      "{:g},"
      "layers {},hidden {},sequence {},tp {},pp {},zero {},micro {},accumulation {},"
      "overlap {}{}{}{},bucket {},optimizer {},recompute {}",
      step.doubled->name, step.scheme->name, c.nodes, c.gpus_per_node, c.network.fabric->name,
      c.network.nics_per_node, c.nvlink.bandwidth / 1_GBps, c.nvlink.kind->direct ? " mesh" : "",
      c.network.nic_bandwidth / 1_GBps, c.gpu.memory_bandwidth / 1_GBps,
      c.fitted.communicator_bandwidth.value_or(Bandwidth()) / 1_GBps, c.network.oversubscription,
      c.network.pod_oversubscription, step.model.layers, step.model.hidden, step.model.sequence,
      p.tensor, p.pipeline, p.sharding.stage, p.micro_batch, p.accumulation, o.gradients ? "g" : "",
      o.weights ? "w" : "", o.pipeline ? "p" : "", o.tensor ? "t" : "", p.bucket.count >> 20,
      static_cast<int>(p.optimizer), static_cast<int>(p.recompute));
}

}  // namespace sim
