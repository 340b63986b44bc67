// SPDX-License-Identifier: Apache-2.0
// Warns of groups that run otherwise than --algorithm or --protocol asks for.
#pragma once

#include <span>

#include "sim/study/job.hpp"

namespace apps {

// Each line once, of all sites.
void warn_of_asked(const sim::study::Job& job, std::span<const sim::study::Setup> setups);

}  // namespace apps
