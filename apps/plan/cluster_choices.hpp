// SPDX-License-Identifier: Apache-2.0
// The choices of a plan for one cluster: its sizes, its links, and the ways to run a step there.
#pragma once

#include <memory>

#include "apps/plan/choices.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// Throws InputError, too where nothing fits in memory. Simulates nothing yet.
[[nodiscard]] std::unique_ptr<Choices> cluster_choices(const PlanOptions& options);

}  // namespace apps
