// The space that a plan searches: every cluster that can be had, with every way to run a job on it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/job/job.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// One way to run the job on some nodes, whatever their NICs are.
struct Layout {
  std::size_t scheme = 0;  // of Space::schemes
  sim::Parallelism parallelism;
  double memory = 0;  // bytes of a GPU
};

// A layout on one of the offers.
struct Candidate {
  std::size_t offer = 0;
  std::size_t layout = 0;
};

struct Space {
  // Jobs on each number of nodes and speed of NICs. One node has no use for a network: it comes
  // with the slowest NICs alone.
  std::vector<Job> offers;
  std::vector<std::string> link_speeds;  // by offer, as given; empty: the file's
  Job given;                             // as the flags say, on all nodes
  std::vector<sim::Scheme> schemes;
  std::vector<std::string> scheme_names;  // as given
  std::vector<Layout> layouts;            // that fit in a GPU's memory
  std::vector<Candidate> candidates;
  std::int64_t too_large = 0;  // candidates that do not fit
  std::int64_t not_held =
      0;  // cluster sizes and splits with more micro-batches than a simulation holds
  std::optional<Layout> smallest;  // of all layouts, fit or not: what needs the least memory
  std::size_t smallest_offer = 0;

  [[nodiscard]] Setup setup(const Layout& layout) const {
    return {schemes[layout.scheme], layout.parallelism};
  }
  [[nodiscard]] Setup setup(const Candidate& candidate) const {
    return setup(layouts[candidate.layout]);
  }
  [[nodiscard]] const Job& job(const Candidate& candidate) const { return offers[candidate.offer]; }
};

// Of each offer: tensor and pipeline parallelism as the model and the nodes divide; each scheme
// with its stages of ZeRO, its hybrid groups and FP8 gather (other_shardings()); what the backward
// pass computes again; and each split of a replica's sequences into micro-batches. What a flag says
// is not chosen. A step has PlanOptions::batch_tokens, rounded up to as many sequences for each
// replica. Throws InputError.
[[nodiscard]] Space space_of(const PlanOptions& options);

// Tokens of a step.
[[nodiscard]] double step_tokens(const Space& space, const Candidate& candidate);

// The cluster with NICs of another speed. A cap of one communicator scales along.
[[nodiscard]] sim::Cluster with_link_speed(sim::Cluster cluster, sim::Bandwidth bandwidth);

}  // namespace apps
