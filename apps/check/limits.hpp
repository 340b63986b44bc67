// SPDX-License-Identifier: Apache-2.0
// Tolerances and requirements of a check: those of the baseline, and over them those of the flags.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/check/baseline.hpp"

namespace apps {

struct LimitFlags {
  std::vector<std::string> tolerances, requirements;
};

// Throws an InputError for a flag that cannot be read, whatever the points are.
void check_limits(const LimitFlags& flags);
// Throws an InputError for metrics that neither the baseline nor `now` has, and for tolerances that
// allow everything. `file`: of the baseline, for messages. Before points have run, `now` is empty.
[[nodiscard]] Limits limits_of(const LimitFlags& flags, const std::optional<Baseline>& baseline,
                               const std::string& file, const Results& now);

// "tolerance: speedup 2 %, all others off; required: speedup>=1.05".
[[nodiscard]] std::string limits_text(const Limits& limits);

}  // namespace apps
