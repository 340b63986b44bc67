// What the measurements share, and what they report while they run.
#pragma once

#include <optional>
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
  std::optional<Floor> floor;          // once copies are measured
  std::vector<std::string> disagreed;  // with their references: measured, but in no table
};

// By the session's benchmark, within what the budget gives the next row.
[[nodiscard]] Time time_of(Session& session,
                           const std::function<void(std::size_t, cudaStream_t)>& launch);

// "fraction" of the floor of these bytes, for a row that took `seconds`.
void add_fraction(const Session& session, double moved_bytes, Json& row);

// One line on standard error: what, its time, its rate ("3521 GB/s"), how far the run is.
void report(const Session& session, const std::string& what, double seconds,
            const std::string& rate);
[[nodiscard]] std::string rate_text(double bytes, double seconds);

[[nodiscard]] std::size_t free_bytes();  // of device memory

}  // namespace calibrate
