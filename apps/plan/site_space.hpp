// The space that a plan of several sites searches: which of them take part, every way to run the job
// inside them, and what they send each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/job/round_job.hpp"
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
  Layout layout;  // its scheme is what happens inside a site
};

struct SiteCandidate {
  std::size_t layout = 0;
  std::size_t scheme = 0;  // between the sites
};

struct SiteSpace {
  RoundJob given;           // as the flags say, on all sites
  std::vector<Job> tables;  // the same of each table's cluster
  std::vector<sim::Scheme> inner;
  std::vector<std::string> inner_names;  // as given
  std::vector<sim::OuterScheme> schemes;
  std::vector<SiteOffer> offers;
  std::vector<SiteLayout> layouts;
  std::vector<SiteCandidate> candidates;  // that fit in their GPUs' memory
  std::int64_t too_large = 0;             // that do not
  std::int64_t not_held = 0;              // Frames::not_held
  std::optional<SiteCandidate> closest;   // fit or not, what leaves most of the memory free
  double closest_share = 0;               // of the memory, that it needs

  [[nodiscard]] Setup setup(const SiteLayout& at) const {
    return {inner[at.layout.scheme], at.layout.parallelism};
  }
  [[nodiscard]] sim::RoundContext context(const SiteLayout& at) const {
    const SiteOffer& offer = offers[at.offer];
    return {offer.area, given.model, offer.calibrations, at.layout.parallelism,
            inner[at.layout.scheme]};
  }
};

// Of each table of sites all of them, none, or 1, 2, 4 and so on; at least one site in all. What
// --set sites.NAME.count says is not chosen. Schemes that some sites cannot run are left out there,
// and a site alone has no use for any but the first. Throws InputError.
[[nodiscard]] SiteSpace site_space_of(const PlanOptions& options);

// Tokens of a step of all sites together.
[[nodiscard]] double step_tokens(const SiteSpace& space, const SiteLayout& at);

}  // namespace apps
