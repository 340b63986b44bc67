// simulate(): runs a schedule on SimGrid and says when each operation started and ended. The only
// part of the project that knows SimGrid.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

enum class Outcome {
  complete,
  link_failed,  // a flow lost its link; what depended on it never ran
  time_limit    // simulated time passed Conditions::time_limit, or too many repeated changes
};
[[nodiscard]] const char* outcome_name(Outcome outcome);

// When each operation of a schedule ran, in seconds of simulated time. Operations that never ended
// have NaN. A member's start is its rank's arrival.
struct Timeline {
  Outcome outcome = Outcome::complete;
  std::vector<double> start_s;
  std::vector<double> end_s;
  double makespan_s = 0;  // of what ended
};

// A link that carries nothing from `from` until `until`.
struct Outage {
  std::string link;  // as Wiring spells it
  Seconds from;
  Seconds until;
};

// What a run meets besides the schedule.
struct Conditions {
  std::vector<Outage> outages;
  Seconds time_limit = Seconds::from_base(1e6);   // of simulated time
  Seconds wall_limit = Seconds::from_base(3600);  // for the child process, of real time
};

// Runs in a child process: SimGrid allows one Engine a process and never resets its clock. For the
// caller it is pure: the same schedule gives the same bits. A child that dies is a std::logic_error
// with its last line; an outage of an unknown link is one too. Must not be called from a process
// that has used CUDA.
[[nodiscard]] Timeline simulate(const Schedule& schedule, const Wiring& wiring,
                                const Conditions& conditions = {});
// The same over the cluster's own links.
[[nodiscard]] Timeline simulate(const Schedule& schedule, const Cluster& cluster,
                                const Conditions& conditions = {});

}  // namespace sim
