// SPDX-License-Identifier: Apache-2.0
// The flags of `plan`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/read_job.hpp"
#include "sim/study/plan/plan_question.hpp"
#include "sim/topology/bill.hpp"
#include "sim/topology/price_list.hpp"

namespace apps {

// Of plans that neither --attention nor --stack is given for.
inline constexpr const char* kPlanAttention = "fused";

// On one topology.
struct PlanOptions {
  JobOptions job;
  bool is_wide_area = false;               // the topology is several sites
  bool among_both = false;                 // of several topologies, some are and some are not
  std::vector<std::string> inner_schemes;  // inside them
  std::vector<std::string> link_speeds;    // PlanQuestion::nic_bandwidths, as given
  std::vector<std::string> not_built;      // NICs that were given and are left out, and why
  sim::study::PlanQuestion question;
  bool assumes_attention = false;          // kPlanAttention
  std::optional<int> nodes_of_file;        // where --nodes asks for more
  std::optional<sim::NetworkParts> parts;  // of --parts
  std::optional<sim::PriceList> prices;    // of --prices
  bool buy = false;                        // PlanQuestion::buy, which is of --parts
  std::vector<std::string> upgrades;       // KEY=VALUE, of the cluster's file
  bool spot = false;                       // instances that may be taken back
  std::string format;
  // Flags of `run`, in order and as written, except those that the plan sets itself: the beginning
  // of its commands.
  Arguments passed_on;
};

using Places = std::vector<PlanOptions>;  // by topology

// What all topologies share: the goal, and how to search.
[[nodiscard]] inline const sim::study::PlanQuestion& question_of(const Places& places) {
  return places.front().question;
}

// For each topology; nothing if the arguments ask for help, which is printed. The questions lack what files say.
// Throws InputError.
[[nodiscard]] Places parse_plan(const Arguments& arguments);
// Reads the job of the question, and its schemes. Throws InputError.
void read_question(PlanOptions& options);

}  // namespace apps
