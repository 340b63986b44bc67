// What a plan says.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "apps/plan/best_first.hpp"
#include "apps/plan/next_dollar.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

// One of the best.
struct PlanRow {
  sim::StepReport step;
  double nic_bandwidth_Bps = 0;
  int nodes = 0;
  double step_tokens = 0;
  double time_s = 0;  // of the whole training
  Price price;
  double energy_j = 0;
  double speed_share = 0;  // of the speed with an unlimited network; 0 where nobody asked
  bool over_critical_batch = false;
  std::string command;
};

struct PlanReport {
  std::string topology, model;
  std::vector<PlanRow> rows;              // best first
  std::vector<Improvement> improvements;  // of the best one
  bool met = true;                        // else the one row is what comes nearest to the limits
  std::vector<std::string> not_counted;   // of the price, and why
  SearchCounts counts;
  std::int64_t candidates = 0;  // of the space
  std::int64_t too_large = 0;   // of them, for a GPU's memory
  std::int64_t not_held = 0;    // Space::not_held
};

// table, json or csv.
void print(const PlanOptions& options, const PlanReport& report);

}  // namespace apps
