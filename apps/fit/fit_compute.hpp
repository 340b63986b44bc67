// SPDX-License-Identifier: Apache-2.0
// fit --steps and fit --trace: constants of a cluster from one's own measured steps.
#pragma once

#include "apps/fit/fit_options.hpp"

namespace apps {

// The exit code: 1 if the fit is hard to believe.
[[nodiscard]] int fit_to_steps(const FitOptions& options);
// Without a job, shows where the time goes.
[[nodiscard]] int fit_to_trace(const FitOptions& options);

}  // namespace apps
