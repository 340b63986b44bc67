// The flags of `plan`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/job.hpp"
#include "apps/plan/goal.hpp"

namespace apps {

// A speed of NICs, as it was given.
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
  std::int64_t batch_tokens = 0;         // of a step, at least
  std::optional<double> critical_batch;  // tokens
  bool exhaustive = false;
  std::string format;
  // Flags of `run` that are given, in their order and as they were written, but for those that a
  // plan says for itself: what its commands begin with.
  Arguments passed_on;
};

// Nothing where the arguments ask for the help, which is printed. Throws InputError.
[[nodiscard]] std::optional<PlanOptions> parse_plan(const Arguments& arguments);

}  // namespace apps
