#include "apps/plan/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "apps/job/setup_options.hpp"
#include "sim/base/error.hpp"
#include "sim/cluster/fabric.hpp"

namespace apps {
namespace {

using sim::InputError;

std::vector<int> sizes_of(const PlanOptions& options, const sim::Cluster& cluster) {
  if (!options.nodes.empty()) {
    if (options.nodes.back() > cluster.nodes) {
      throw InputError(fmt::format("--nodes: {} is more than the {} nodes of {}",
                                   options.nodes.back(), cluster.nodes, cluster.name));
    }
    return options.nodes;
  }
  std::vector<int> sizes;
  // A share of the speed is that of a size: the smallest one would always need the least network.
  const bool all = options.goal.aim == Aim::smallest_network;
  for (int nodes = 1; nodes < cluster.nodes && !all; nodes *= 2) sizes.push_back(nodes);
  sizes.push_back(cluster.nodes);
  return sizes;
}

std::vector<int> divisors(int whole) {
  std::vector<int> found;
  for (int value = 1; value <= whole; ++value) {
    if (whole % value == 0) found.push_back(value);
  }
  return found;
}

// Whether the replicas of each place of the model are spread evenly over the nodes that have any.
bool is_even(const Job& job) {
  const sim::Parallelism& p = job.parallelism;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    for (int t = 0; t < p.tensor; ++t) {
      std::map<int, int> replicas;  // by node
      for (int replica = 0; replica < data_parallel(job.cluster, p); ++replica) {
        ++replicas[sim::node_of(job.cluster, rank_of(job.cluster, p, {stage, replica, t}))];
      }
      for (const auto& [node, count] : replicas) {
        if (count != replicas.begin()->second) return false;
      }
    }
  }
  return true;
}

class SpaceBuilder {
 public:
  explicit SpaceBuilder(const PlanOptions& options)
      : options_(options), given_(read_job(options.job)) {
    space_.given = given_;
    if (!fixed("overlap")) {
      given_.parallelism.overlap =
          start_of(given_, given_.setups.front().scheme).parallelism.overlap;
    }
    for (const Setup& setup : given_.setups) {
      space_.schemes.push_back(setup.scheme);
      space_.scheme_names.push_back(setup.scheme.name);
    }
    // Files have names of their own.
    if (options.job.schemes != std::vector<std::string>{"all"}) {
      space_.scheme_names = options.job.schemes;
    }
  }

  Space build() && {
    for (const int nodes : sizes_of(options_, given_.cluster)) add_size(nodes);
    return std::move(space_);
  }

 private:
  [[nodiscard]] bool fixed(const char* flag) const { return options_.given.contains(flag); }

  void add_offer(const Job& job, const LinkSpeed& speed) {
    space_.offers.push_back(job);
    space_.offers.back().cluster = with_link_speed(job.cluster, speed.bandwidth);
    space_.link_speeds.push_back(speed.text);
  }

  void add_size(int nodes) {
    Job job = given_;
    job.cluster = sim::part_of(given_.cluster, nodes, given_.cluster.gpus_per_node);
    first_offer_ = space_.offers.size();
    if (options_.link_speeds.empty()) add_offer(job, {"", job.cluster.network.nic_bandwidth});
    for (const LinkSpeed& speed : options_.link_speeds) {
      add_offer(job, speed);
      if (nodes == 1) break;
    }
    for (const int tensor : degrees("tp", job.parallelism.tensor, job.cluster.gpus_per_node)) {
      for (const int pipeline : degrees("pp", job.parallelism.pipeline, job.model.layers)) {
        job.parallelism.tensor = tensor;
        job.parallelism.pipeline = pipeline;
        if (problems(job.cluster, job.model, job.parallelism).empty()) add_layouts(job);
      }
    }
  }

  [[nodiscard]] std::vector<int> degrees(const char* flag, int given, int whole) const {
    return fixed(flag) ? std::vector{given} : divisors(whole);
  }

  void add_layouts(Job& job) {
    const std::int64_t pass =
        std::int64_t{data_parallel(job.cluster, job.parallelism)} * job.model.sequence;
    const std::int64_t passes = (options_.batch_tokens - 1) / pass + 1;
    if (passes > std::numeric_limits<int>::max()) {
      ++space_.not_held;
      return;
    }
    Setup start{space_.schemes.front(), job.parallelism};
    start.parallelism.micro_batch = 1;
    start.parallelism.accumulation = static_cast<int>(passes);
    even_ = is_even(job);
    for (const Setup& split : other_splits(job, start)) {
      if (fixed("micro-batch") && split.parallelism.micro_batch != job.parallelism.micro_batch) {
        continue;
      }
      for (const sim::Recompute recompute : recomputes(job.parallelism)) {
        Setup from = split;
        from.parallelism.recompute = recompute;
        add_shardings(job, from);
      }
    }
    const bool held = is_held(job.cluster, job.model, start.parallelism);
    if (!held) ++space_.not_held;
  }

  // What differs: a fused core keeps no scores that selective recomputation would leave out.
  [[nodiscard]] std::vector<sim::Recompute> recomputes(const sim::Parallelism& given) const {
    using enum sim::Recompute;
    if (fixed("recompute")) return {given.recompute};
    if (given.attention == sim::Attention::fused) return {none, alternate, full};
    return {none, selective, full};
  }

  void add_shardings(const Job& job, const Setup& from) {
    for (std::size_t scheme = 0; scheme < space_.schemes.size(); ++scheme) {
      for (const Setup& setup : other_shardings(job, {&space_.schemes[scheme], 1}, from)) {
        if (job.zero && setup.parallelism.sharding.stage != *job.zero) continue;
        if (!is_planned(setup)) continue;
        const double memory = memory_needed(job, setup);
        add({scheme, setup.parallelism, memory}, job);
      }
    }
  }

  // A scheme that works node by node needs as many replicas on every node.
  [[nodiscard]] bool is_planned(const Setup& setup) const {
    const bool by_node =
        setup.scheme.gradients.algorithm == sim::GradientExchange::Algorithm::two_level ||
        setup.scheme.weights.secondary_shards;
    return even_ || !by_node;
  }

  void add(const Layout& layout, const Job& job) {
    const std::size_t offers = space_.offers.size() - first_offer_;
    if (!space_.smallest || layout.memory < space_.smallest->memory) {
      space_.smallest = layout;
      space_.smallest_offer = first_offer_;
    }
    if (layout.memory > static_cast<double>(job.cluster.gpu.memory.count)) {
      space_.too_large += static_cast<std::int64_t>(offers);
      return;
    }
    for (std::size_t i = 0; i < offers; ++i) {
      space_.candidates.push_back({first_offer_ + i, space_.layouts.size()});
    }
    space_.layouts.push_back(layout);
  }

  const PlanOptions& options_;
  Job given_;
  Space space_;
  std::size_t first_offer_ = 0;  // of the size that is added
  bool even_ = true;             // is_even() of the tensor and pipeline parallelism that is added
};

}  // namespace

Space space_of(const PlanOptions& options) { return SpaceBuilder(options).build(); }

double step_tokens(const Space& space, const Candidate& candidate) {
  const Job& job = space.job(candidate);
  return static_cast<double>(
             global_batch(job.cluster, space.layouts[candidate.layout].parallelism)) *
         job.model.sequence;
}

sim::Cluster with_link_speed(sim::Cluster cluster, sim::Bandwidth bandwidth) {
  auto& cap = cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * (bandwidth / cluster.network.nic_bandwidth);
  cluster.network.nic_bandwidth = bandwidth;
  return cluster;
}

}  // namespace apps
