// The space that a plan searches: every cluster that can be had, with every way to run a job on it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "apps/job/job.hpp"
#include "apps/plan/layouts.hpp"

namespace apps {

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

// Of each offer all layouts_of() it. Throws InputError.
[[nodiscard]] Space space_of(const PlanOptions& options);

// Tokens of a step.
[[nodiscard]] double step_tokens(const Space& space, const Candidate& candidate);

}  // namespace apps
