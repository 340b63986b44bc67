// SPDX-License-Identifier: Apache-2.0
// The settings of a job: KEY=VALUE of --set, and flags that stand for a key.
#pragma once

#include <string_view>
#include <vector>

#include "apps/job/job_options.hpp"
#include "sim/base/setting.hpp"

namespace apps {

// By target file, from their tables: those of neither the model, the scheme nor the reliability are
// the topology's.
struct SortedSettings {
  std::vector<sim::Setting> topology, model, scheme, reliability;
};
// Whether one of the settings is of this key.
[[nodiscard]] bool sets(const JobOptions& options, std::string_view key);
// Throws InputError for text that is not KEY=VALUE, and for a misspelt table.
[[nodiscard]] SortedSettings sort_settings(const JobOptions& options);
// Throws InputError for settings of a model, a scheme or a reliability.
void check_topology_settings(const JobOptions& options);

}  // namespace apps
