// SPDX-License-Identifier: Apache-2.0
// Topologies by name: one cluster or several sites, shipped or from files.
#pragma once

#include <string>
#include <vector>

#include "apps/job/settings.hpp"
#include "sim/topology/wide_area.hpp"

namespace apps {

// Whether `name` means a file of several sites: a shipped one, or one with tables [sites.NAME].
[[nodiscard]] bool is_wide_area(const std::string& name);
// Throws an InputError if it does. `because` is "a map is of one cluster".
void require_cluster(const std::string& name, const char* because);
// The file shipped under this name, or at this path.
[[nodiscard]] sim::WideArea read_wide_area(const std::string& name,
                                           const std::vector<sim::Setting>& settings);
// The topology's first nodes, each with its first GPUs, as the flags say.
[[nodiscard]] sim::Cluster read_cluster_part(const JobOptions& options,
                                             const SortedSettings& settings);
// Warns of NICs that `--set` counts for a whole node and that `--gpus-per-node` then leaves unused.
void warn_of_unused_nics(const JobOptions& options, const sim::Cluster& part);
// Warns of NICs that `--set` gives and that nodes like the file's cannot have.
void warn_of_unbuilt_nics(const JobOptions& options, const sim::Cluster& cluster);
// Either, a cluster as the only site. Throws an InputError for flags that apply to the other one.
[[nodiscard]] sim::WideArea read_topology(const JobOptions& options,
                                          const SortedSettings& settings);

}  // namespace apps
