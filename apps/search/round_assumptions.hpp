// SPDX-License-Identifier: Apache-2.0
// Assumptions of rounds between sites: those of a cluster's steps, at every site, and those about
// the network between the sites.
#pragma once

#include <string>
#include <vector>

#include "apps/job/round_job.hpp"
#include "apps/search/assumptions.hpp"

namespace apps {

// Those of clusters, then those between sites; names are unique.
[[nodiscard]] const std::vector<const Assumption*>& all_assumptions();

// Whether the sites have the constant: a path, one that loses packets, or storage.
[[nodiscard]] bool rests_on(const RoundJob& job, const Assumption& assumption);
// For a cluster's constant, the widest at any site.
[[nodiscard]] Spread spread_of(const RoundJob& job, const Assumption& assumption);
// The flags of run for the sites' values. None for a cluster's constant, which is in the cluster's
// own file, out of reach of --set.
[[nodiscard]] std::string flags_of(const RoundJob& job, const Assumption& assumption);

// The job with the constant at `factor` times its value; a cluster's constant at all sites.
[[nodiscard]] RoundJob scaled(RoundJob job, const Assumption& assumption, double factor);

// Seconds of a simulated round; infinite if it is aborted.
[[nodiscard]] double round_seconds(const RoundJob& job, const sim::Scheme& scheme);

// Like sensitivity() of a step: d ln (1 / time) / d ln constant. Only of the time: sites that are
// no longer heard before a deadline do not count. Minus infinity if the change aborts the round.
[[nodiscard]] double sensitivity(const RoundJob& job, const sim::Scheme& scheme,
                                 const Assumption& assumption, double round_time_s);

}  // namespace apps
