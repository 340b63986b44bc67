// SPDX-License-Identifier: Apache-2.0
// Warns of what runs otherwise than the flags and files suggest, before anything is simulated.
#pragma once

#include <set>
#include <span>
#include <string>

#include "sim/study/job.hpp"

namespace apps {

// Of groups that do not run as --algorithm or --protocol asks for, each line once for all sites; and of
// a site that leads in place of a syncer because its name comes first.
[[nodiscard]] std::set<std::string> asked_warnings(const sim::study::Job& job,
                                                   std::span<const sim::study::Setup> setups);
void print_warnings(const std::set<std::string>& lines);
// Both.
void warn_of_asked(const sim::study::Job& job, std::span<const sim::study::Setup> setups);

}  // namespace apps
