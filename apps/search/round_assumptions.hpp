// What rounds between sites rest on: what steps of a cluster do, at every site, and the network
// between the sites.
#pragma once

#include <string>
#include <vector>

#include "apps/job/round_job.hpp"
#include "apps/search/assumptions.hpp"

namespace apps {

// Those of clusters, then those between sites; no two of the same name.
[[nodiscard]] const std::vector<const Assumption*>& all_assumptions();

// Whether the sites have the constant: a path, one that loses packets, or storage.
[[nodiscard]] bool rests_on(const RoundJob& job, const Assumption& assumption);
// Of a cluster's constant the widest at any site.
[[nodiscard]] Spread spread_of(const RoundJob& job, const Assumption& assumption);
// The flags of run that say what the sites have. None for a cluster's constant that stands in the
// cluster's own file, where --set does not reach.
[[nodiscard]] std::string flags_of(const RoundJob& job, const Assumption& assumption);

// The job as it would be if the constant were `factor` times what it is, a cluster's at all sites.
[[nodiscard]] RoundJob scaled(RoundJob job, const Assumption& assumption, double factor);

// Seconds of a simulated round; infinite where it is aborted.
[[nodiscard]] double round_seconds(const RoundJob& job, const sim::OuterScheme& scheme);

// As sensitivity() of a step: d ln (1 / time) / d ln constant. Of the time alone: that a site is no
// longer heard before a deadline does not count. Minus infinity where the change aborts the round.
[[nodiscard]] double sensitivity(const RoundJob& job, const sim::OuterScheme& scheme,
                                 const Assumption& assumption, double round_time_s);

}  // namespace apps
