// SPDX-License-Identifier: Apache-2.0
// The flags of `plan`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/read_job.hpp"
#include "apps/plan/goal.hpp"

namespace apps {

// A NIC speed, as given.
struct LinkSpeed {
  std::string text;
  sim::Bandwidth bandwidth;
};

struct PlanOptions {
  JobOptions job;
  bool is_wide_area = false;               // the topology is several sites
  std::vector<std::string> inner_schemes;  // inside them
  std::vector<int> nodes;              // ascending; empty: powers of two up to the file's, and that
  std::vector<LinkSpeed> link_speeds;  // ascending; empty: the file's
  PlanGoal goal;
  std::int64_t batch_tokens = 0;         // per step, at least
  std::optional<double> critical_batch;  // tokens
  bool exhaustive = false;
  std::string format;
  // Flags of `run`, in order and as written, except those that the plan sets itself: the beginning
  // of its commands.
  Arguments passed_on;
};

// Nothing if the arguments ask for help, which is printed. Throws InputError.
[[nodiscard]] std::optional<PlanOptions> parse_plan(const Arguments& arguments);

}  // namespace apps
