// SPDX-License-Identifier: Apache-2.0
// How far a fit carries: on which numbers of GPUs and nodes its constants were determined, and what
// times on others rest on.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/fit/held_out.hpp"

namespace sim::fit {

struct Carry {
  int fewest_gpus = 0, most_gpus = 0;  // of the logs
  int fewest_nodes = 0, most_nodes = 0;
  // Of logs with several numbers of GPUs: the times of the most, predicted from the others.
  std::optional<Errors> to_most_gpus = {};
  std::vector<std::string> lines = {};  // for people, a sentence or two each
};

[[nodiscard]] Carry carry_of(const Cluster& base, const Fit& fit, std::span<const Log> logs);

}  // namespace sim::fit
