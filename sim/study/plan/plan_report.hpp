// SPDX-License-Identifier: Apache-2.0
// The report of a plan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/report/report.hpp"
#include "sim/study/plan/goal.hpp"
#include "sim/study/plan/next_dollar.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

// A whole training.
struct TimeAndPrice {
  double time_s = 0;
  double usd = 0;
};

// One of the best candidates.
struct PlanRow {
  std::size_t question = 0;  // of several, one for each topology
  Chosen chosen;
  Simplicity simplicity;
  Report report;                 // of a cluster's step, or of sites' round
  double nic_bandwidth_Bps = 0;  // of a cluster
  double step_tokens = 0;        // per step, over all sites together
  double batch_excess = 0;       // over PlanQuestion::batch_tokens, a share of it, but for rounding
  double energy_j = 0;           // of the whole training
  double time_s = 0;             // of the whole training
  Price price;
  // At the ends of the likely range of its speed.
  TimeAndPrice low, high;
  // Probabilities of keeping the limits that the goal has.
  std::optional<double> in_time, in_budget;
  bool keeps_limits = true;  // both with the goal's confidence
  double speed_share = 0;    // of the speed with an unlimited network; 0 if not asked for
  bool over_critical_batch = false;
};

// A compressed setup and an uncompressed one on the hardware of the plan to take, but for the NICs.
struct PlanCompression {
  std::string scheme, plain_scheme;
  Bandwidth nics;
  double speedup = 1;  // of the compressed one
  bool pays = false;   // as far as predictions can tell
  Chosen compressed, plain;
};

// The extent of a search. It plans and simulates steps, or the inner steps of sites, whose rounds
// follow in milliseconds.
struct Searched {
  std::int64_t setups = 0;
  std::int64_t too_large = 0;  // number of these too large for a GPU's memory
  std::int64_t not_held = 0;   // layouts whose smallest micro-batches exceed a simulation's limit
  std::int64_t planned = 0;    // schedules, each for one cluster and all NIC speeds
  std::int64_t simulated = 0;
  std::int64_t rounds = 0;  // simulated
};

struct PlanReport {
  std::string topology, model;
  // The plan to take first, the others best first.
  std::vector<PlanRow> rows;
  std::vector<Improvement> improvements;  // to the best one
  // Topologies whose plans keep the optimizer's state on hosts, because nothing fits with it on their GPUs; and
  // what nothing fits on at all, where something does on others.
  std::vector<std::string> state_on_hosts, does_not_fit;
  bool met = true;  // else no row keeps the limits, and the first is the closest
  std::vector<PlanCompression> compression;  // with the plan's NICs, then others (compression.hpp)
  std::size_t beaten = 0;                // kinds of plans that are not listed, as others beat them
  std::vector<std::string> not_counted;  // parts of the price, and why
  Searched searched;
};

[[nodiscard]] inline Worth worth_of(const PlanRow& row) {
  return {row.price.total(), row.time_s, row.nic_bandwidth_Bps};
}

// Whether both are on the same nodes and NICs, or sites.
[[nodiscard]] bool is_same_hardware(const PlanRow& one, const PlanRow& other);

// How many of the plans the first does not beat (least_win()), in what the goal ranks by: price or time. At
// least 1, the first.
[[nodiscard]] std::size_t not_told_apart(const PlanReport& report, const PlanGoal& goal);

// No setup fits in the memory of the GPUs.
class NothingFits : public InputError {
 public:
  NothingFits(const std::string& text, Chosen chosen)
      : InputError(text), closest(std::move(chosen)) {}
  const Chosen closest;  // what needs the least memory
};

}  // namespace sim::study
