// SPDX-License-Identifier: Apache-2.0
// What upgrades of the plan to take gain, and when they pay for themselves.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/plan/plan_options.hpp"
#include "sim/study/plan/plan_report.hpp"

namespace apps {

// The first plan's setup with one key of its cluster's file changed.
struct Upgrade {
  std::string setting;  // "network.oversubscription=1"
  double speedup = 1;
  double saves_usd = 0;             // of this training, at the prices of its hours
  std::optional<double> costs_usd;  // more to buy, by --parts
  std::optional<double> payback_s;  // until what is saved is what it costs
};

// Throws an InputError, located at --upgrade, for one that the cluster cannot have.
void check_upgrades(const PlanOptions& place);

// Of --upgrade. Simulates each.
[[nodiscard]] std::vector<Upgrade> upgrades_of(const Places& places,
                                               const sim::study::PlanReport& report);

// "network.nic_bandwidth=800Gbps: 3.1 % faster, saves 36.0 kUSD of this training, costs 410 kUSD more to buy; pays for
// itself in 2.8 years"
[[nodiscard]] std::string text_of(const Upgrade& upgrade);

}  // namespace apps
