// SPDX-License-Identifier: Apache-2.0
// Logs as nccl-tests prints them (src/common.cu, version 2.13 and later), from given times.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "sim/fit/log.hpp"

namespace fit_tests {

inline constexpr const char* kColumnLines =
    "#                                                              out-of-place"
    "                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong"
    "     time   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)       "
    "     (us)  (GB/s)  (GB/s)\n";

inline std::string row_text(const sim::fit::Log& log, const sim::fit::LogTime& time) {
  const double us = time.seconds * 1e6;
  const double algorithm_GBps = time.bytes / us * 1e-3;
  const double bus_GBps = algorithm_GBps * log.collective->sent_share(log.gpus());
  const std::string figures =
      fmt::format("{:>9.6g} {:>7.2f} {:>7.2f}      0", us, algorithm_GBps, bus_GBps);
  return fmt::format("{:>12.0f} {:>13.0f}     float     sum      -1 {} {}\n", time.bytes,
                     time.bytes / 4, figures, figures);
}

inline std::string device_lines(int nodes, int gpus_per_node) {
  std::string text = "#\n# Using devices\n";
  for (int rank = 0; rank < nodes * gpus_per_node; ++rank) {
    text += fmt::format(
        "#  Rank {:>2} Group  0 Pid {:>6} on     node-{} device {:>2} [0000:{:02x}:00] NVIDIA "
        "H100 80GB HBM3\n",
        rank, 4711 + rank, rank / gpus_per_node, rank % gpus_per_node, rank + 7);
  }
  return text + "#\n";
}

// `program`: "all_reduce_perf"; nothing for versions that do not print it.
inline std::string log_text(const sim::fit::Log& log, const std::string& program) {
  std::string text = "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n";
  if (!program.empty()) text += "# Collective test starting: " + program + "\n";
  text +=
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: "
      "20 agg iters: 1 validation: 1 graph: 0\n";
  text += device_lines(log.nodes, log.gpus_per_node) + kColumnLines;
  for (const sim::fit::LogTime& time : log.times) text += row_text(log, time);
  text += "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 12.3456\n#\n";
  if (!program.empty()) text += "# Collective test concluded: " + program + "\n";
  return text;
}

// Two nodes of four GPUs.
inline sim::fit::Log some_log() {
  return {.name = "my.log",
          .collective = &sim::collective_named("all_reduce"),
          .nodes = 2,
          .gpus_per_node = 4,
          .times = {{8, 27.33e-6}, {1048576, 61.5e-6}, {8589934592, 0.0471853}}};
}

inline std::string good() { return log_text(some_log(), "all_reduce_perf"); }

inline std::string edited(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

}  // namespace fit_tests
