// SPDX-License-Identifier: Apache-2.0
// The flags of `solve`, shared by its two halves: one cluster, several sites.
#pragma once

#include <string>
#include <vector>

#include "apps/job/job.hpp"

namespace apps {

struct SolveOptions {
  JobOptions job;
  std::string unknown, beats, format;
  std::vector<double> shares;  // of --utilisation
};

// For one cluster.
int solve_cluster(const SolveOptions& options);

}  // namespace apps
