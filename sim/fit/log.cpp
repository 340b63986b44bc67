// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace sim::fit {
namespace {

constexpr std::array<std::string_view, 6> kColumns{"log",           "collective", "nodes",
                                                   "gpus_per_node", "bytes",      "seconds"};

Log log_of_line(const CsvRow& line) {
  return {.name = line.text("log"),
          .collective = &collective_named(line.text("collective"), line.place_of("collective")),
          .nodes = line.integer("nodes"),
          .gpus_per_node = line.integer("gpus_per_node")};
}

bool same_run(const Log& a, const Log& b) {
  return std::tie(a.name, a.collective, a.nodes, a.gpus_per_node) ==
         std::tie(b.name, b.collective, b.nodes, b.gpus_per_node);
}

}  // namespace

std::vector<Log> parse_timings_csv(std::string_view text, const std::filesystem::path& file) {
  std::vector<Log> logs;
  for (const CsvRow& line : parse_csv(text, file, kColumns)) {
    const Log run = log_of_line(line);
    if (run.gpus() < 2) line.fail("gpus_per_node: a collective takes two GPUs or more");
    auto found = std::ranges::find_if(logs, [&](const Log& log) { return same_run(log, run); });
    if (found == logs.end()) found = logs.insert(found, run);
    found->times.push_back({line.number("bytes"), line.number("seconds")});
  }
  return logs;
}

std::vector<Log> read_logs(const std::filesystem::path& file, const CollectiveRow* unnamed) {
  const std::string text = read_input(file, kMostInputBytes);
  return file.extension() == ".csv" ? parse_timings_csv(text, file)
                                    : parse_nccl_tests(text, file, unnamed);
}

}  // namespace sim::fit
