// SPDX-License-Identifier: Apache-2.0
// The space that a plan for several sites searches: which of them take part, every way to run the
// job inside them, and what they exchange.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/job/read_job.hpp"
#include "apps/plan/layouts.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// Sites that take part.
struct SiteOffer {
  std::vector<int> counts;  // of every table of the file
  sim::WideArea area;       // of these sites
  // By table of `area`: the file's table, and its calibration.
  std::vector<std::size_t> tables;
  std::vector<sim::Calibration> calibrations;
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
  Job given;                // as the flags say, on all sites
  std::vector<Job> tables;  // the same of each table's cluster
  std::vector<sim::Scheme> inner;
  std::vector<std::string> inner_names;  // as given
  std::vector<sim::Scheme> schemes;
  std::vector<std::string> scheme_names;  // as given
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
  [[nodiscard]] sim::RoundContext context(const SiteLayout& at) const {
    const SiteOffer& offer = offers[at.offer];
    return {offer.area, given.model, offer.calibrations, at.layout.parallelism,
            inner[at.layout.scheme]};
  }
};

// From each table of sites all, none, or 1, 2, 4 and so on; at least one site in total. Counts
// given by --set sites.NAME.count stay fixed. Schemes that some sites cannot run are left out
// there; a single site only uses the first scheme. Throws InputError.
[[nodiscard]] SiteSpace site_space_of(const PlanOptions& options);

// Tokens per step over all sites.
[[nodiscard]] double step_tokens(const SiteSpace& space, const SiteLayout& at);

}  // namespace apps
