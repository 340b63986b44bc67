// SPDX-License-Identifier: Apache-2.0
// Shared by the measurements, and their progress reports.
#pragma once

#include <string>
#include <vector>

#include "apps/calibrate/plan.hpp"
#include "apps/calibrate/table.hpp"
#include "codecs/cuda/benchmark.hpp"

namespace calibrate {

struct Session {
  int samples = 1;
  codecs::cuda::Benchmark benchmark;
  Budget budget;
  std::vector<std::string> disagreed;  // with their references: measured, but in no table
};

// Times a kernel with the session's benchmark, within the budget for the next row.
[[nodiscard]] Time time_of(Session& session,
                           const std::function<void(std::size_t, cudaStream_t)>& launch);

// One line on standard error: the row, its time, its rate ("3521 GB/s"), and the progress of the
// run.
void report(const Session& session, const std::string& what, double seconds,
            const std::string& rate);
[[nodiscard]] std::string rate_text(double bytes, double seconds);

[[nodiscard]] std::size_t free_bytes();  // of device memory

}  // namespace calibrate
