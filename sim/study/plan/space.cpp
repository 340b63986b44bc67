// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {
namespace {

std::vector<int> sizes_of(const PlanQuestion& question, const Cluster& cluster) {
  if (!question.nodes.empty()) {
    if (question.nodes.back() > cluster.nodes) {
      throw InputError(fmt::format("`nodes`: {} is more than the {} nodes of {}",
                                   question.nodes.back(), cluster.nodes, cluster.name));
    }
    return question.nodes;
  }
  std::vector<int> sizes;
  // A share of the speed is that of a size: the smallest one would always need the least network.
  const bool all = question.goal.aim == Aim::smallest_network;
  for (int nodes = 1; nodes < cluster.nodes && !all; nodes *= 2) sizes.push_back(nodes);
  sizes.push_back(cluster.nodes);
  return sizes;
}

class SpaceBuilder {
 public:
  explicit SpaceBuilder(const PlanQuestion& question) : question_(question), given_(question.job) {
    space_.given = given_;
    space_.memory_headroom = question.memory_headroom;
    if (!given_.given.contains("overlap")) {
      given_.parallelism.overlap =
          start_of(given_, given_.setups.front().scheme).parallelism.overlap;
    }
    for (const Setup& setup : given_.setups) space_.schemes.push_back(setup.scheme);
  }

  Space build() && {
    for (const int nodes : sizes_of(question_, given_.cluster())) add_size(nodes);
    return std::move(space_);
  }

 private:
  void add_offer(const Job& job, std::optional<std::size_t> speed) {
    Job& offer = space_.offers.emplace_back(job);
    space_.nic_bandwidths.push_back(speed);
    if (speed) offer.cluster() = with_nics(job.cluster(), question_.nic_bandwidths[*speed]);
  }

  void add_size(int nodes) {
    Job job = given_;
    job.cluster() = part_of(given_.cluster(), nodes, given_.cluster().gpus_per_node);
    const std::size_t first = space_.offers.size();
    std::size_t speeds = question_.nic_bandwidths.size();
    if (nodes == 1) speeds = std::min<std::size_t>(speeds, 1);
    if (speeds == 0) add_offer(job, std::nullopt);
    for (std::size_t i = 0; i < speeds; ++i) add_offer(job, i);
    const Ground ground{.job = &job};
    Frames frames = frames_of(question_.batch_tokens, {&ground, 1}, space_.schemes);
    space_.not_held += frames.not_held;
    counts_.clear();
    for (Parallelism& frame : frames.all) {
      add({.parallelism = frame, .first_offer = first, .offers = space_.offers.size() - first},
          ground);
    }
  }

  void add(const SizedFrame& frame, const Ground& ground) {
    for (std::size_t i = 0; i < frame.offers; ++i) {
      space_.groups.push_back({frame.first_offer + i, space_.frames.size()});
    }
    space_.frames.push_back(frame);
    const Parallelism& p = frame.parallelism;
    const auto [count, added] = counts_.try_emplace(
        {{p.tensor, p.pipeline, p.context, p.expert, p.expert_tensor, p.sharding.stage},
         p.placement,
         p.sequence_parallel});
    if (added) count->second = layouts_of({&ground, 1}, space_.schemes, p).size();
    space_.setups += static_cast<std::int64_t>(count->second * frame.offers);
  }

  const PlanQuestion& question_;
  Job given_;
  Space space_;
  // Of a frame of the size that is added, by all that changes how many layouts it has.
  std::map<std::tuple<std::array<int, 6>, Placement, bool>, std::size_t> counts_;
};

}  // namespace

Space space_of(const PlanQuestion& question) { return SpaceBuilder(question).build(); }

std::vector<Candidate> open(Space& space, const Candidate& group) {
  const SizedFrame& frame = space.frames[group.frame];
  const auto [found, added] = space.opened.try_emplace(group.frame);
  Opened& opened = found->second;
  if (added) {
    const Job& job = space.offers[frame.first_offer];
    const double capacity =
        static_cast<double>(job.cluster().gpu.memory.count) * (1 - space.memory_headroom);
    const Ground ground{.job = &job};
    opened.first = space.layouts.size();
    for (const Layout& layout : layouts_of({&ground, 1}, space.schemes, frame.parallelism)) {
      const double memory = memory_needed(job, space.setup(layout));
      if (!space.smallest || memory < space.least_memory) {
        space.smallest = space.chosen(layout, frame.first_offer);
        space.least_memory = memory;
      }
      if (memory > capacity) {
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

}  // namespace sim::study
