// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "sim/base/child_process.hpp"
#include "sim/base/file.hpp"

// jemalloc's options, which it reads as the program begins. A child touches most of its memory for the first
// time, and large pages need few faults for that.
extern "C" {
extern const char* const malloc_conf;
const char* const malloc_conf = "thp:always";
}

namespace sim {
namespace {

using Clock = std::chrono::steady_clock;
using Deadline = std::chrono::time_point<Clock, std::chrono::duration<double>>;

constexpr int kOutOfMemory = 2;  // exit status of the child; 1: any other failure

[[noreturn]] void run_and_exit(int report, const std::function<void()>& work) {
  dup2(report, STDERR_FILENO);
  int status = 0;
  try {
    work();
  } catch (const std::bad_alloc&) {
    status = kOutOfMemory;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    status = 1;
  }
  std::fflush(stderr);
  _exit(status);  // no destructors, which would tear down what the parent shares
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto newline = text.rfind('\n');
  return newline == std::string::npos ? text : text.substr(newline + 1);
}

[[noreturn]] void fail_to_start(int error) {
  throw LacksResources("the simulation: cannot be started: " + system_problem(error));
}

struct Child {
  pid_t process;
  int pipe;  // what it says
};

// One at a time, in whatever thread: another's child would keep this one's pipe open. The thread
// must outlive the child, which ends with it.
Child start_child(const std::function<void()>& work) {
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
    run_and_exit(ends[1], work);
  }
  close(ends[1]);
  if (child > 0) return {child, ends[0]};
  close(ends[0]);
  fail_to_start(error);
}

// The time that a process has computed, in clock ticks, if it sleeps.
std::optional<unsigned long> computed_asleep(pid_t process) {
  std::string text;
  try {
    text = read_to_replace(fmt::format("/proc/{}/stat", process), 1 << 16, "");
  } catch (const InputError&) {
    return std::nullopt;
  }
  // After the name, in parentheses: the state, ten numbers, and user and system time (proc(5)).
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  char state = 0;
  fields >> state;
  std::string skipped;
  for (int i = 0; i < 10; ++i) fields >> skipped;
  unsigned long user = 0, system = 0;
  if (!(fields >> user >> system) || state != 'S') return std::nullopt;
  return user + system;
}

enum class Ending { closed, out_of_time, stands_still };

// Reads all that the child says until it closes the pipe. A child has nothing to wait for. One that
// sleeps for a second has inherited a lock that another thread of the parent held as the process was
// forked, as that of atexit(), and sleeps for ever.
Ending read_until_closed(const Child& child, Deadline deadline, std::string& text) {
  constexpr std::int64_t kLook_ms = 1000;
  std::optional<unsigned long> before;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return Ending::out_of_time;
    pollfd ready{child.pipe, POLLIN, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::min(left.count(), kLook_ms)));
    if (found == 0) {
      const auto now = computed_asleep(child.process);
      if (now && now == before) return Ending::stands_still;
      before = now;
    }
    if (found <= 0) continue;
    char buffer[4096];
    const ssize_t count = read(child.pipe, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return Ending::closed;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

struct Ended {
  Ending how = Ending::closed;
  int status = 0;    // as waitpid() gives it
  std::string said;  // all of it
};

Ended run_once(const std::function<void()>& work, Deadline deadline) {
  const Child child = start_child(work);
  Ended ended;
  ended.how = read_until_closed(child, deadline, ended.said);
  close(child.pipe);
  if (ended.how != Ending::closed) kill(child.process, SIGKILL);
  while (waitpid(child.process, &ended.status, 0) < 0 && errno == EINTR) {
  }
  return ended;
}

}  // namespace

void run_in_child(const std::function<void()>& work, Seconds wall_limit) {
  const Deadline deadline = Clock::now() + std::chrono::duration<double>(wall_limit.base());
  Ended ended = run_once(work, deadline);
  while (ended.how == Ending::stands_still) ended = run_once(work, deadline);
  const auto& [how, status, said] = ended;
  if (how == Ending::out_of_time) {
    throw OutOfTime(
        fmt::format("the simulation: took more than {} s of real time; simulate fewer "
                    "GPUs, layers or micro-batches",
                    wall_limit.base()));
  }
  if (WIFSIGNALED(status)) {
    throw std::logic_error(fmt::format("the simulation was ended by signal {}: {}",
                                       WTERMSIG(status), last_line(said)));
  }
  if (WEXITSTATUS(status) == kOutOfMemory) throw std::bad_alloc();
  if (WEXITSTATUS(status) != 0) throw std::logic_error(last_line(said));
}

}  // namespace sim
