// The choices of a plan for one cluster: its sizes, its links, and the ways to run a step there.
#pragma once

#include <functional>
#include <memory>

#include "apps/plan/choices.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// Throws InputError, also if nothing fits in memory. `progress` receives the progress: the speed
// with an unlimited network, needed for smallest_network, takes a search of its own.
[[nodiscard]] std::unique_ptr<Choices> cluster_choices(
    const PlanOptions& options, const std::function<void(const Choices&)>& progress);

}  // namespace apps
