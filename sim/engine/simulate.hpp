// SPDX-License-Identifier: Apache-2.0
// simulate(): runs a schedule on SimGrid and reports when each operation started and ended. No
// other part of the project uses SimGrid.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/engine/child.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

enum class Outcome {
  complete,
  link_failed,  // a flow lost its link; its dependents never ran
  time_limit,   // simulated time passed Conditions::time_limit
  change_limit  // links changed their rates Conditions::most_changes times
};
[[nodiscard]] const char* outcome_name(Outcome outcome);

// The interval of a timeline that the step repeats, in place of the periods that its schedule leaves
// out.
struct Repeated {
  double from_s = 0, until_s = 0;
  double times = 0;  // besides the one that was played
  [[nodiscard]] double seconds() const { return times * (until_s - from_s); }
};

// When each operation of a schedule ran, in seconds of simulated time; NaN for operations that
// never ended. A member's start is its rank's arrival.
struct Timeline {
  Outcome outcome = Outcome::complete;
  std::vector<double> start_s;
  std::vector<double> end_s;
  // The share of a flow's bytes that was carried: less than 1 if it was given up. Empty: all.
  std::vector<double> carried;
  double makespan_s = 0;  // over the operations that ended, and what is repeated
  Repeated repeated = {};

  // A time of this timeline in that of the step, for which what it repeats is stretched.
  [[nodiscard]] double in_step(double time_s) const {
    const auto& [from_s, until_s, times] = repeated;
    return time_s + times * (std::clamp(time_s, from_s, until_s) - from_s);
  }

  [[nodiscard]] double carried_bytes(const Schedule& schedule, std::size_t flow) const {
    return schedule.operations[flow].bytes * (carried.empty() ? 1 : carried[flow]);
  }
};

// A link that carries nothing from `from` to `until`.
struct Outage {
  std::string link;  // spelled as in Wiring
  Seconds from;
  Seconds until;
};

// Conditions of a run besides the schedule.
struct Conditions {
  std::vector<Outage> outages;
  Seconds time_limit = Seconds::from_base(1e6);   // of simulated time
  Seconds wall_limit = Seconds::from_base(3600);  // for the child process, of real time
  double most_changes = 2e6;  // of links that change again and again: about a second's work
};

// Runs in a child process: SimGrid allows one Engine per process and never resets its clock. Pure
// for the caller: the same schedule gives the same bits. If the child dies, throws std::logic_error
// with its last line; also for an outage of an unknown link. Throws std::bad_alloc if the child's memory
// does not suffice. Must not be called from a process that
// has used CUDA.
[[nodiscard]] Timeline simulate(const Schedule& schedule, const Wiring& wiring,
                                const Conditions& conditions = {});
// The same of what must end. Throws an InputError that begins with `what`, "dgx_h100_x16: the step of
// gpt_125m", if it does not.
[[nodiscard]] Timeline simulate_to_end(const Schedule& schedule, const Wiring& wiring,
                                       std::string_view what);
// Simulates over the cluster's own links.
[[nodiscard]] Timeline simulate(const Schedule& schedule, const Cluster& cluster,
                                const Conditions& conditions = {});

}  // namespace sim
