#include "apps/plan/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/job/setup_options.hpp"
#include "apps/search/nic_bandwidth.hpp"
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

class SpaceBuilder {
 public:
  explicit SpaceBuilder(const PlanOptions& options)
      : options_(options), given_(read_job(options.job)) {
    space_.given = given_;
    if (!options.given.contains("overlap")) {
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
  void add_offer(const Job& job, const LinkSpeed& speed) {
    space_.offers.push_back(job);
    space_.offers.back().cluster = with_nics(job.cluster, speed.bandwidth);
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
    const Ground ground{.job = &job};
    const Layouts layouts = layouts_of(options_, {&ground, 1}, space_.schemes);
    space_.not_held += layouts.not_held;
    for (Layout layout : layouts.all) {
      layout.memory = memory_needed(job, space_.setup(layout));
      add(layout, job);
    }
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
};

}  // namespace

Space space_of(const PlanOptions& options) { return SpaceBuilder(options).build(); }

double step_tokens(const Space& space, const Candidate& candidate) {
  const Job& job = space.job(candidate);
  return static_cast<double>(
             global_batch(job.cluster, space.layouts[candidate.layout].parallelism)) *
         job.model.sequence;
}

}  // namespace apps
