// SPDX-License-Identifier: Apache-2.0
// The flags of fit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/job_options.hpp"

namespace apps {

// Of `logs`, `traces` and `steps`, one kind is given.
struct FitOptions {
  std::vector<std::string> logs, traces;
  std::string steps;
  JobOptions job;       // of logs, the topology alone
  Arguments job_flags;  // the same as given, to which a row of `steps` adds its own
  int jobs = 1;         // simulations at once
  std::string topo, collective, hold_out, output, format;
  bool force = false;  // take a fit that is hard to believe

  [[nodiscard]] bool has_job() const { return !job.topology.empty(); }
};

// Nothing if the arguments ask for help, which is printed. Throws InputError.
[[nodiscard]] std::optional<FitOptions> parse_fit(const Arguments& arguments);

}  // namespace apps
