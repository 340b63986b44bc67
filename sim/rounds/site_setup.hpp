// SPDX-License-Identifier: Apache-2.0
// Sites that train in a way of their own: what the job says, but for the keys of their tables.
#pragma once

#include <string>
#include <string_view>

#include "sim/schemes/scheme.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

// What runs inside a site.
struct Inside {
  const Scheme& scheme;
  Parallelism parallelism;
};

// Of the sites of a table. A scheme of their own runs at the stage of ZeRO of the job if it is defined
// there, else at its first one. Chunks of stages need a pipeline; groups of shards and gathers in FP8
// need ZeRO-3. Throws InputError if the table names no shipped scheme for inside a site.
[[nodiscard]] Inside inside_of(std::string_view site, const SiteSetup& own, const Inside& of_job);
[[nodiscard]] inline Inside inside_of(const Site& site, const Inside& of_job) {
  return inside_of(site.name, site.setup, of_job);
}

// Inner steps in a round.
[[nodiscard]] int steps_inside(const Site& site, const SiteExchange& exchange);

// Why the sites' own keys do not go with the scheme between sites, on one line; empty if they do.
[[nodiscard]] std::string problem_of_setups(const WideArea& area, const Inside& of_job,
                                            const Scheme& scheme);

// The text with fields named by the site's own keys where it has them: "sites.lab.tp" instead of `tp`.
[[nodiscard]] std::string by_own_keys(const Site& site, std::string text);
// Of lines that each begin with a field: "`topology`: sites.lab.tp: 3 does not divide ...".
[[nodiscard]] std::string problems_by_own_keys(const Site& site, const std::string& lines);

// Where a site differs from the job: "tp 8 zero 3, sdp4bit inside"; empty if nowhere.
[[nodiscard]] std::string difference_text(const Inside& of_job, const Inside& of_site);

}  // namespace sim
