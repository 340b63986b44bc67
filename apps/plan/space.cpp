// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "apps/job/scheme_files.hpp"
#include "sim/base/error.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/topology/topology.hpp"

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
    if (!given_.given.contains("overlap")) {
      given_.parallelism.overlap =
          start_of(given_, given_.setups.front().scheme).parallelism.overlap;
    }
    for (const Setup& setup : given_.setups) space_.schemes.push_back(setup.scheme);
    space_.scheme_names = names_as_given(options.job.schemes, space_.schemes);
  }

  Space build() && {
    for (const int nodes : sizes_of(options_, given_.cluster())) add_size(nodes);
    return std::move(space_);
  }

 private:
  void add_offer(const Job& job, const LinkSpeed& speed) {
    space_.offers.push_back(job);
    space_.offers.back().cluster() = with_nics(job.cluster(), speed.bandwidth);
    space_.link_speeds.push_back(speed.text);
  }

  void add_size(int nodes) {
    Job job = given_;
    job.cluster() = sim::part_of(given_.cluster(), nodes, given_.cluster().gpus_per_node);
    const std::size_t first = space_.offers.size();
    if (options_.link_speeds.empty()) add_offer(job, {"", job.cluster().network.nic_bandwidth});
    for (const LinkSpeed& speed : options_.link_speeds) {
      add_offer(job, speed);
      if (nodes == 1) break;
    }
    const Ground ground{.job = &job};
    Frames frames = frames_of(options_, {&ground, 1}, space_.schemes);
    space_.not_held += frames.not_held;
    counts_.clear();
    for (sim::Parallelism& frame : frames.all) {
      add({.parallelism = frame, .first_offer = first, .offers = space_.offers.size() - first},
          ground);
    }
  }

  void add(const SizedFrame& frame, const Ground& ground) {
    for (std::size_t i = 0; i < frame.offers; ++i) {
      space_.groups.push_back({frame.first_offer + i, space_.frames.size()});
    }
    space_.frames.push_back(frame);
    const sim::Parallelism& p = frame.parallelism;
    const auto [count, added] =
        counts_.try_emplace({p.tensor, p.pipeline, p.placement, p.sharding.stage});
    if (added) count->second = layouts_of({&ground, 1}, space_.schemes, p).size();
    space_.setups += static_cast<std::int64_t>(count->second * frame.offers);
  }

  const PlanOptions& options_;
  Job given_;
  Space space_;
  // Of a frame of the size that is added, by all that changes how many layouts it has.
  std::map<std::tuple<int, int, sim::Placement, int>, std::size_t> counts_;
};

}  // namespace

Space space_of(const PlanOptions& options) { return SpaceBuilder(options).build(); }

std::vector<Candidate> open(Space& space, const Candidate& group) {
  const SizedFrame& frame = space.frames[group.frame];
  const auto [found, added] = space.opened.try_emplace(group.frame);
  Opened& opened = found->second;
  if (added) {
    const Job& job = space.offers[frame.first_offer];
    const auto capacity = static_cast<double>(job.cluster().gpu.memory.count);
    const Ground ground{.job = &job};
    opened.first = space.layouts.size();
    for (Layout& layout : layouts_of({&ground, 1}, space.schemes, frame.parallelism)) {
      layout.memory = memory_needed(job, space.setup(layout));
      if (!space.smallest || layout.memory < space.smallest->memory) {
        space.smallest = layout;
        space.smallest_offer = frame.first_offer;
      }
      if (layout.memory > capacity) {
        space.too_large += static_cast<std::int64_t>(frame.offers);
      } else {
        space.layouts.push_back(layout);
      }
    }
    opened.count = space.layouts.size() - opened.first;
  }
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < opened.count; ++i) {
    candidates.push_back({group.offer, group.frame, opened.first + i});
  }
  return candidates;
}

double step_tokens(const Space& space, const Candidate& candidate) {
  const Job& job = space.job(candidate);
  return static_cast<double>(
             global_batch(job.cluster(), space.frames[candidate.frame].parallelism)) *
         job.model.sequence;
}

}  // namespace apps
