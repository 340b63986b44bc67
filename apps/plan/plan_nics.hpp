// SPDX-License-Identifier: Apache-2.0
// NICs that a plan chooses from.
#pragma once

#include <string>
#include <vector>

#include "apps/plan/plan_options.hpp"

namespace apps {

// Of --nic-bandwidths, ascending. Throws InputError.
void parse_nics(const std::string& text, PlanOptions& options);
// Moves those that the nodes of the question's job cannot have to `not_built`: a plan cannot be bought with them.
// Throws an InputError if none is left.
void leave_out_unbuilt_nics(PlanOptions& options);

// The settings, KEY=VALUE, of the cluster with such NICs, which `text` says. A cap on one communicator scales along.
[[nodiscard]] std::vector<std::string> nic_settings(const sim::Cluster& cluster,
                                                    sim::Bandwidth nics, const std::string& text);

}  // namespace apps
