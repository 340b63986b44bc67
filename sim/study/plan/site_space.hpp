// SPDX-License-Identifier: Apache-2.0
// The space that a plan for several sites searches: which of them take part, every way to run the
// job inside them, and what they exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/study/job.hpp"
#include "sim/study/plan/layouts.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

// Sites that take part.
struct SiteOffer {
  std::vector<int> counts;  // of every table of the file
  WideArea area;            // of these sites
  // By table of `area`: the file's table, and its calibration.
  std::vector<std::size_t> tables;
  std::vector<Calibration> calibrations;
};

struct SiteLayout {
  std::size_t offer = 0;
  Layout layout;  // its scheme applies inside a site
};

struct SiteCandidate {
  std::size_t layout = 0;
  std::size_t scheme = 0;  // between the sites
};

struct SiteSpace {
  Job given;                // as given, on all sites
  std::vector<Job> tables;  // the same of each table's cluster
  std::vector<Scheme> inner;
  std::vector<Scheme> schemes;
  std::vector<SiteOffer> offers;
  std::vector<SiteLayout> layouts;
  std::vector<SiteCandidate> candidates;  // that fit in their GPUs' memory
  std::int64_t too_large = 0;             // number of the others
  std::int64_t not_held = 0;              // Frames::not_held
  std::optional<SiteCandidate> closest;   // fitting or not, the one with the most free memory
  double closest_share = 0;               // of the memory that it needs

  [[nodiscard]] Setup setup(const SiteLayout& at) const {
    return {inner[at.layout.scheme], at.layout.parallelism};
  }
  [[nodiscard]] Chosen chosen(const SiteCandidate& candidate) const {
    const SiteLayout& at = layouts[candidate.layout];
    return {.scheme = candidate.scheme,
            .parallelism = at.layout.parallelism,
            .inner = at.layout.scheme,
            .counts = offers[at.offer].counts};
  }
  [[nodiscard]] RoundContext context(const SiteLayout& at) const {
    const SiteOffer& offer = offers[at.offer];
    return {offer.area,
            given.model,
            offer.calibrations,
            at.layout.parallelism,
            inner[at.layout.scheme],
            given.whole,
            given.inner_steps.get()};
  }
};

// From each table of sites all, none, or 1, 2, 4 and so on; at least one site in total. Counts
// of PlanQuestion::fixed_counts stay fixed. Schemes that some sites cannot run are left out
// there; a single site only uses the first scheme. Throws InputError.
[[nodiscard]] SiteSpace site_space_of(const PlanQuestion& question);

// The job of the sites that take part, and what they exchange.
[[nodiscard]] Job job_of(const SiteSpace& space, const SiteCandidate& candidate);
[[nodiscard]] Setup setup_of(const SiteSpace& space, const SiteCandidate& candidate);

// Tokens over all sites, of a step and of a round.
[[nodiscard]] double step_tokens(const SiteSpace& space, const SiteLayout& at);
[[nodiscard]] double round_tokens(const SiteSpace& space, const SiteCandidate& candidate);

}  // namespace sim::study
