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

constexpr int kMostNodes = 65'536, kMostGpusPerNode = 1024;

Log log_of_line(const CsvRow& line) {
  return {.name = line.text("log"),
          .collective = &collective_named(line.text("collective"), line.place_of("collective")),
          .nodes = line.integer("nodes", kMostNodes),
          .gpus_per_node = line.integer("gpus_per_node", kMostGpusPerNode)};
}

bool same_run(const Log& a, const Log& b) {
  return std::tie(a.name, a.collective, a.nodes, a.gpus_per_node) ==
         std::tie(b.name, b.collective, b.nodes, b.gpus_per_node);
}

}  // namespace

void check_time(const LogTime& time, const std::string& place) {
  constexpr double kMostBytes = 1e15, kShortest_s = 1e-9, kLongest_s = 1e6;
  if (time.bytes < 1 || time.bytes > kMostBytes) {
    throw InputError(
        fmt::format("{}a size of {} B is not from 1 to {} B; correct or remove the line", place,
                    time.bytes, kMostBytes));
  }
  if (time.seconds < kShortest_s || time.seconds > kLongest_s) {
    throw InputError(
        fmt::format("{}a time of {} s is not from {} to {} s; correct or remove the line", place,
                    time.seconds, kShortest_s, kLongest_s));
  }
}

std::vector<Log> parse_timings_csv(std::string_view text, const std::filesystem::path& file) {
  std::vector<Log> logs;
  for (const CsvRow& line : parse_csv(text, file, kColumns)) {
    const Log run = log_of_line(line);
    if (run.gpus() < 2) line.fail("gpus_per_node: a collective takes two GPUs or more");
    auto found = std::ranges::find_if(logs, [&](const Log& log) { return same_run(log, run); });
    if (found == logs.end()) found = logs.insert(found, run);
    found->times.push_back({line.number("bytes"), line.number("seconds")});
    check_time(found->times.back(), line.place_of(""));
  }
  return logs;
}

std::vector<Log> read_logs(const std::filesystem::path& file, const CollectiveRow* unnamed) {
  const std::string text = read_input(file, kMostInputBytes);
  return file.extension() == ".csv" ? parse_timings_csv(text, file)
                                    : parse_nccl_tests(text, file, unnamed);
}

}  // namespace sim::fit
