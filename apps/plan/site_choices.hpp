// SPDX-License-Identifier: Apache-2.0
// The choices of a plan for several sites: which of them take part, what they exchange, and the
// ways to run a step inside them.
#pragma once

#include <memory>

#include "apps/plan/choices.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// Throws InputError, also if nothing fits in memory.
[[nodiscard]] std::unique_ptr<Choices> site_choices(const PlanOptions& options);

}  // namespace apps
