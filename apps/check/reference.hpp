// SPDX-License-Identifier: Apache-2.0
// The run that a speed-up is over (--baseline): its pace follows from the speed-up and the scheme's
// own. It says whether a speed-up moved because of the scheme or because of its reference.
#pragma once

#include <string>
#include <string_view>

#include "apps/check/results.hpp"

namespace apps {

// Whether the pace of a scheme is in this metric, so that baselines keep it.
[[nodiscard]] bool explains_speedup(std::string_view metric);

// Whether the scheme is its own reference, so that its speed-up is 1.
[[nodiscard]] bool is_own_reference(const Result& point);

// "over sharded at 0.1963 s a step", and beside the point `before`, unless null: ", as before", or
// ": the reference moved +1.2 %, not the scheme". Empty for a point without a speed-up.
[[nodiscard]] std::string reference_text(const Result* before, const Result& now);

}  // namespace apps
