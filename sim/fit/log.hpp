// SPDX-License-Identifier: Apache-2.0
// Logs of collectives: what nccl-tests prints (github.com/NVIDIA/nccl-tests), or a table of times.
//
// Of nccl-tests' two sets of columns, the first counts: out of place, as `collective` simulates. A
// file may hold several runs one after another, with the output of launchers and of NCCL between
// them, but not two at once. What follows a line of column names must be whole: a row that lacks
// columns, whose time and bandwidths contradict each other, or whose results were wrong is an error,
// not left out. Only a line of dots stands for rows that someone left out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/collectives/collective_rows.hpp"

namespace sim::fit {

struct LogTime {
  double bytes = 0;  // of the whole buffer, as nccl-tests counts
  double seconds = 0;
};

// One run: a collective over all GPUs of equal nodes.
struct Log {
  std::string name;  // of its file or table, for people
  const CollectiveRow* collective = nullptr;
  int nodes = 1;
  int gpus_per_node = 0;
  std::vector<LogTime> times;

  [[nodiscard]] int gpus() const { return nodes * gpus_per_node; }
};

// Throws an InputError that begins with `place` for a size or a time that no collective has.
void check_time(const LogTime& time, const std::string& place);

// The runs in what nccl-tests printed. Launchers may put times and a tag before each line, if the tag
// is the same on all lines of a run. The collective is the program that the text names last before a
// run ("all_reduce_perf"), or else `unnamed`, which may be null. Nodes and GPUs are those listed under
// "Using devices", where the middle of the list may be left out; without a list, the GPUs of one
// process. `file` is its name in messages. Throws an InputError located at the first line that cannot
// be believed, or at `collective` if nothing names it.
[[nodiscard]] std::vector<Log> parse_nccl_tests(std::string_view text,
                                                const std::filesystem::path& file,
                                                const CollectiveRow* unnamed = nullptr);

// The runs in a CSV table with columns log, collective, nodes, gpus_per_node, bytes and seconds:
// a run for each log and collective. Throws a located InputError.
[[nodiscard]] std::vector<Log> parse_timings_csv(std::string_view text,
                                                 const std::filesystem::path& file);

// By the file's suffix, .csv or any other.
[[nodiscard]] std::vector<Log> read_logs(const std::filesystem::path& file,
                                         const CollectiveRow* unnamed = nullptr);

}  // namespace sim::fit
