// SPDX-License-Identifier: Apache-2.0
// How well constants that were fitted to half of a published log predict the other half.
#include "sim/fit/fit.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/fit/held_out.hpp"
#include "sim/fit/times.hpp"
#include "sim/validation/nccl.hpp"
#include "tests/shipped_files.hpp"

namespace sim::fit {
namespace {

// Logs of nccl-tests (not of XLA, whose times include its own launches, nor those to which nothing may
// be fitted) with every second size left out. docs/commands/fit.md names logs that do not hold.
TEST(Fit, PredictsEverySecondSizeOfPublishedLogs) {
  std::map<std::pair<std::string, std::string_view>, Log> logs;
  std::map<std::string, Cluster> clusters;
  for (const validation::NcclRow& row : validation::read_nccl(source_directory()).rows) {
    const validation::NcclLog& machine = *row.log;
    const bool fitted =
        machine.role == validation::NcclRole::fit || machine.role == validation::NcclRole::counted;
    if (!fitted || machine.source == "xla") continue;
    Log& log = logs[{machine.name, row.collective->name}];
    log.name = machine.name;
    log.collective = row.collective;
    log.nodes = machine.nodes;
    log.gpus_per_node = machine.gpus_per_node;
    log.times.push_back({row.bytes, row.published_s});
    if (clusters.contains(machine.name)) continue;
    clusters.emplace(machine.name,
                     read_cluster(source_directory() / "topologies" / (machine.cluster + ".toml")));
  }
  double sum = 0, base_sum = 0;
  std::size_t held = 0;
  for (const auto& [key, log] : logs) {
    const Cluster& base = clusters.at(log.name);
    const Split split = hold_out_sizes(std::vector{log});
    const auto errors = [&](const Cluster& cluster) {
      return errors_of(predicted_s(cluster, split.held), measured_s(split.held),
                       bytes_of(split.held));
    };
    const double mean = errors(fit_constants(base, split.used).cluster).mean;
    sum += mean;
    base_sum += errors(base).mean;
    held += mean <= 0.08 ? 1 : 0;
  }
  const auto count = static_cast<double>(logs.size());
  EXPECT_GE(logs.size(), 190u);
  EXPECT_LE(sum / count, 0.06);
  EXPECT_LT(sum, base_sum);
  RecordProperty("mean", std::to_string(sum / count));
  RecordProperty("base", std::to_string(base_sum / count));
  EXPECT_GE(static_cast<double>(held), 0.85 * count);
}

}  // namespace
}  // namespace sim::fit
