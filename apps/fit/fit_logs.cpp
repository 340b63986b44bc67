// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/fit_logs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "apps/data_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/printable.hpp"
#include "sim/validation/nccl.hpp"

namespace apps {
namespace {

using sim::InputError;
using sim::fit::Log;

bool is_log_file(const std::string& name) {
  return name.find('/') != std::string::npos || std::filesystem::exists(name);
}

void add_published(const std::string& name, const sim::validation::NcclStudy& study,
                   std::vector<Log>& logs) {
  std::vector<std::string_view> known;
  for (const auto& log : study.logs) known.push_back(log->name);
  if (std::ranges::find(known, name) == known.end()) {
    throw InputError(
        fmt::format("{}: is neither a file nor a log in "
                    "traces/published/nccl_logs.csv{}",
                    sim::printable_path(name), sim::suggestion(name, known)));
  }
  for (const auto& row : study.rows) {
    if (row.log->name != name) continue;
    if (row.log->groups > 1) {
      throw InputError(fmt::format("{}: ran in {} groups at once; choose a log of a single group",
                                   name, row.log->groups));
    }
    auto run = std::ranges::find_if(
        logs, [&](const Log& log) { return log.name == name && log.collective == row.collective; });
    if (run == logs.end()) {
      run = logs.insert(run, {.name = name,
                              .collective = row.collective,
                              .nodes = row.log->nodes,
                              .gpus_per_node = row.log->gpus_per_node});
    }
    run->times.push_back({row.bytes, row.published_s});
  }
}

}  // namespace

std::vector<Log> read_fit_logs(const std::vector<std::string>& names,
                               const std::string& collective) {
  const sim::CollectiveRow* unnamed =
      collective.empty() ? nullptr : &sim::collective_named(collective, "--collective");
  std::optional<sim::validation::NcclStudy> published;  // read if a name needs it
  std::vector<Log> logs;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) != name) {
      throw InputError(
          fmt::format("{}: is given twice; name each log once", sim::printable_path(*name)));
    }
    if (!is_log_file(*name)) {
      if (!published) published = sim::validation::read_nccl(data_directory());
      add_published(*name, *published, logs);
      continue;
    }
    const std::vector<Log> runs = sim::fit::read_logs(*name, unnamed);
    logs.insert(logs.end(), runs.begin(), runs.end());
  }
  return logs;
}

}  // namespace apps
