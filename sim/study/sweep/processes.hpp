// SPDX-License-Identifier: Apache-2.0
// Tasks in processes of their own, so that a crash costs one task. No threads.
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

// Runs each task in a copy of this process, as starting a program anew would take longer than most
// points; it ends together with this process. `ended` gets those that have ended, at least every
// 200 ms. Returns the signal that stopped all, or 0.
[[nodiscard]] int run_in_processes(const Tasks& tasks, const Signals& signals,
                                   const std::function<void(std::vector<Ended>)>& ended);

}  // namespace sim::sweep
