// SPDX-License-Identifier: Apache-2.0
// Tasks in processes beside this one, so that a crash costs one task. No threads.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "sim/study/sweep/inputs.hpp"
#include "sim/study/sweep/signals.hpp"

namespace sim::sweep {

struct Tasks {
  std::size_t count = 0;
  int at_once = 1;
  std::filesystem::path folder;  // that they run in
  // The report of a task; InputError: its inputs do not go together.
  std::function<Inputs(std::size_t task)> run;
  std::function<void()> started = [] {};  // after each
};

struct Ended {
  std::size_t task = 0;
  Outcome outcome;
};

// Runs tasks in copies of this process, which end together with it. Each takes one task after the other
// and keeps what it has read and worked out; only after a task that failed another one takes its place.
// `ended` gets those that have ended, at least every 200 ms. Returns the signal that stopped all, or 0.
[[nodiscard]] int run_in_processes(const Tasks& tasks, const Signals& signals,
                                   const std::function<void(std::vector<Ended>)>& ended);

}  // namespace sim::sweep
