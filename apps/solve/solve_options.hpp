// The flags of `solve`, which its two halves share: one cluster, several sites.
#pragma once

#include <string>
#include <vector>

#include "apps/job/round_job.hpp"

namespace apps {

struct SolveOptions {
  JobOptions job;
  RoundOptions rounds;
  std::string unknown, beats, format;
  std::vector<double> shares;  // of --utilisation
};

// Where the topology is one cluster.
int solve_cluster(const SolveOptions& options);

}  // namespace apps
