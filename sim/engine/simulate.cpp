// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/simulate.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xbt/log.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <span>

#include "sim/base/error.hpp"
#include "sim/engine/execution.hpp"
#include "sim/engine/rate_changes.hpp"

namespace sim {
namespace {

// What the child hands back: this header, then of every operation the start, the end, and the share
// that a flow has carried.
struct SharedHeader {
  Outcome outcome;
};

// Anonymous memory that a forked child writes and its parent reads.
class SharedTimes {
 public:
  explicit SharedTimes(std::size_t operations)
      : size_(sizeof(SharedHeader) + 3 * operations * sizeof(double)), operations_(operations) {
    memory_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~SharedTimes() { munmap(memory_, size_); }
  SharedTimes(const SharedTimes&) = delete;
  SharedTimes& operator=(const SharedTimes&) = delete;

  SharedHeader& header() { return *static_cast<SharedHeader*>(memory_); }
  std::span<double> starts() { return {times(), operations_}; }
  std::span<double> ends() { return {times() + operations_, operations_}; }
  std::span<double> carried() { return {times() + 2 * operations_, operations_}; }

 private:
  double* times() {
    return reinterpret_cast<double*>(static_cast<char*>(memory_) + sizeof(double));
  }
  static_assert(sizeof(SharedHeader) <= sizeof(double));

  std::size_t size_;
  std::size_t operations_;
  void* memory_;
};

Outcome run_here(const Schedule& schedule, const Wiring& wiring, const Conditions& conditions,
                 SharedTimes& times) {
  int argc = 1;
  char name[] = "gardenhose";
  char* argv[] = {name, nullptr};
  xbt_log_control_set("root.thres:critical");
  simgrid::s4u::Engine engine(&argc, argv);
  configure_network_model();
  Platform platform(wiring, conditions.outages);
  // Rates that vary for ever would keep the engine going, and there is nothing left to wait for.
  Execution execution(schedule, wiring, platform, {times.starts(), times.ends(), times.carried()},
                      [&] {
                        times.header().outcome = Outcome::complete;
                        _exit(0);
                      });
  platform.on_end([&](std::uintptr_t tag, bool failed) { execution.comm_ended(tag, failed); });
  RateChanges changes(
      wiring,
      [&](LinkId link, double rate_Bps) {
        platform.set_rate(link, rate_Bps);
        execution.share_links_anew();
      },
      [&] { return execution.failed(); });
  platform.start_background();
  changes.start();
  execution.start();
  const double limit_s = conditions.time_limit.base();
  const double changes_end_s = changes.limit_s(conditions.most_changes);
  engine.run_until(std::min(limit_s, changes_end_s));
  require(!execution.complete() || schedule.operations.empty(), "what completes ends the process");
  if (execution.complete()) return Outcome::complete;
  if (execution.failed()) return Outcome::link_failed;
  if (changes_end_s < limit_s) return Outcome::change_limit;
  require(simgrid::s4u::Engine::get_clock() >= limit_s,
          "a schedule is acyclic, so only a failure or a limit leaves operations behind");
  return Outcome::time_limit;
}

// A member holds its stream from its rank's arrival, which is when all it waits for but the
// collective's end, its last dependency, was there.
void date_members_from_arrival(const Schedule& schedule, Timeline& timeline) {
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.kind != OperationKind::member || std::isnan(timeline.end_s[id])) continue;
    const auto earlier = schedule.dependencies_of(operation);
    double arrival = 0;
    for (const std::uint32_t one : earlier.first(earlier.size() - 1)) {
      arrival = std::max(arrival, timeline.end_s[one]);
    }
    timeline.start_s[id] = arrival;
  }
}

}  // namespace

const char* outcome_name(Outcome outcome) {
  switch (outcome) {
    case Outcome::complete:
      return "complete";
    case Outcome::link_failed:
      return "link_failed";
    case Outcome::time_limit:
      return "time_limit";
    case Outcome::change_limit:
      return "change_limit";
  }
  return "";
}

Timeline simulate_to_end(const Schedule& schedule, const Wiring& wiring, std::string_view what) {
  const Conditions conditions;
  Timeline timeline = simulate(schedule, wiring, conditions);
  if (timeline.outcome == Outcome::complete) return timeline;
  if (timeline.outcome == Outcome::change_limit) {
    throw InputError(fmt::format(
        "{} does not end before the traffic of other jobs has changed {:g} times, the most that is "
        "simulated; write longer periods in the traffic's file",
        what, conditions.most_changes));
  }
  throw InputError(fmt::format(
      "{} does not end within {:g} s of simulated time; is a bandwidth or a rate too low?", what,
      conditions.time_limit.base()));
}

Timeline simulate(const Schedule& schedule, const Cluster& cluster, const Conditions& conditions) {
  return simulate(schedule, wire(schedule, cluster), conditions);
}

Timeline simulate(const Schedule& schedule, const Wiring& wiring, const Conditions& conditions) {
  SharedTimes times(schedule.operations.size());
  run_in_child([&] { times.header().outcome = run_here(schedule, wiring, conditions, times); },
               conditions.wall_limit);
  Timeline timeline{.outcome = times.header().outcome,
                    .start_s = {times.starts().begin(), times.starts().end()},
                    .end_s = {times.ends().begin(), times.ends().end()},
                    .carried = {times.carried().begin(), times.carried().end()}};
  date_members_from_arrival(schedule, timeline);
  for (const double end : timeline.end_s) {
    if (end > timeline.makespan_s) timeline.makespan_s = end;
  }
  return timeline;
}

}  // namespace sim
