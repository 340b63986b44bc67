// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/simulate.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xbt/log.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <new>
#include <span>
#include <stdexcept>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/engine/execution.hpp"
#include "sim/engine/rate_changes.hpp"

namespace sim {
namespace {

constexpr int kOutOfMemory = 2;  // exit status of the child; 1: any other failure

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
  Execution execution(schedule, platform, {times.starts(), times.ends(), times.carried()}, [&] {
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

// However the parent ends, nobody is left to hear of the result. The parent may have ended before
// the request was heard.
void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

[[noreturn]] void run_child(int report, const Schedule& schedule, const Wiring& wiring,
                            const Conditions& conditions, SharedTimes& times) {
  dup2(report, STDERR_FILENO);
  int status = 0;
  try {
    times.header().outcome = run_here(schedule, wiring, conditions, times);
  } catch (const std::bad_alloc&) {
    status = kOutOfMemory;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  std::fflush(stderr);
  _exit(status);  // no destructors: the Engine's would tear down what the parent shares
}

// Everything the child says until it closes the pipe or the deadline passes; false on the latter.
bool read_until_closed(int pipe, Seconds limit, std::string& text) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(limit.base());
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    pollfd ready{pipe, POLLIN, 0};
    const auto wait_ms = std::min<std::int64_t>(left.count(), 60'000);
    if (poll(&ready, 1, static_cast<int>(wait_ms)) <= 0) continue;
    char buffer[4096];
    const ssize_t count = read(pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto newline = text.rfind('\n');
  return newline == std::string::npos ? text : text.substr(newline + 1);
}

[[noreturn]] void fail_to_start(int error) {
  throw InputError("the simulation: cannot be started: " + system_problem(error));
}

struct Child {
  pid_t process;
  int pipe;  // what it says
};

// One at a time, in whatever thread: another's child would keep this one's pipe open. The thread
// must outlive the child, which ends with it.
Child start_child(const Schedule& schedule, const Wiring& wiring, const Conditions& conditions,
                  SharedTimes& times) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) fail_to_start(errno);
  std::fflush(nullptr);  // or the child would print what the parent has buffered
  const pid_t parent = getpid();
  const pid_t child = fork();
  const int error = errno;
  if (child == 0) {
    end_with_parent(parent);
    run_child(ends[1], schedule, wiring, conditions, times);
  }
  close(ends[1]);
  if (child > 0) return {child, ends[0]};
  close(ends[0]);
  fail_to_start(error);
}

void run_in_child(const Schedule& schedule, const Wiring& wiring, const Conditions& conditions,
                  SharedTimes& times) {
  const auto [child, pipe] = start_child(schedule, wiring, conditions, times);
  std::string said;
  const bool in_time = read_until_closed(pipe, conditions.wall_limit, said);
  close(pipe);
  if (!in_time) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    throw OutOfTime(
        fmt::format("the simulation: took more than {} s of real time; simulate fewer "
                    "GPUs, layers or micro-batches",
                    conditions.wall_limit.base()));
  }
  if (WIFSIGNALED(status)) {
    throw std::logic_error(fmt::format("the simulation was ended by signal {}: {}",
                                       WTERMSIG(status), last_line(said)));
  }
  if (WEXITSTATUS(status) == kOutOfMemory) throw std::bad_alloc();
  if (WEXITSTATUS(status) != 0) throw std::logic_error(last_line(said));
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
  run_in_child(schedule, wiring, conditions, times);
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
