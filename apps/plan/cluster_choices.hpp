// What a plan chooses from where the topology is one cluster: its sizes, its links, and the ways to
// run a step there.
#pragma once

#include <functional>
#include <memory>

#include "apps/plan/choices.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// Throws InputError, too where nothing fits in memory. `progress` takes how far that is: the speed
// with an unlimited network, which smallest_network compares with, is a search of its own.
[[nodiscard]] std::unique_ptr<Choices> cluster_choices(
    const PlanOptions& options, const std::function<void(const Choices&)>& progress);

}  // namespace apps
