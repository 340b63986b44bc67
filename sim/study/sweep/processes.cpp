// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/child_process.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"

namespace sim::sweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeat{200};
// Exit codes: as of a program's wrong input, of its bugs, and of a shell that cannot run it.
constexpr int kRefused = 2, kFailed = 70, kCannotRun = 127;
constexpr std::size_t kLongestMessage = 4000;

[[noreturn]] void fail_to_start(int error) {
  throw InputError("`jobs`: no worker can be started: " + system_problem(error));
}

// Into memory, in one piece unless that is short.
bool write_to(int file, std::string_view text) {
  return write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

int told(int code, const char* what) {
  static_cast<void>(write_to(STDERR_FILENO, printable_lines(what)));
  return code;
}

// In a worker.
int code_of(const Tasks& tasks, std::size_t task, int report) {
  try {
    return write_to(report, line_of(tasks.run(task))) ? 0 : kFailed;
  } catch (const LacksResources& error) {
    return told(kFailed, error.what());  // another time it may go well
  } catch (const InputError& error) {
    return told(kRefused, error.what());
  } catch (const std::exception& error) {
    return told(kFailed, error.what());
  }
}

// Empties a file in memory that processes share.
void empty(int file) {
  static_cast<void>(ftruncate(file, 0));
  lseek(file, 0, SEEK_SET);
}

// In a worker: tasks come one by one, and the exit code of each goes back, until no more come. One that
// failed may have left anything behind, and is its last.
[[noreturn]] void take_tasks(const Tasks& tasks, int channel, int report) {
  std::size_t task = 0;
  while (read(channel, &task, sizeof task) == sizeof task) {
    empty(STDERR_FILENO);
    empty(report);
    const int code = code_of(tasks, task, report);
    std::fflush(nullptr);
    if (write(channel, &code, sizeof code) != sizeof code || code == kFailed) break;
  }
  _exit(0);
}

// Whether this process can still open a few files beyond one of that number: the store's.
bool leaves_files(int file) {
  constexpr int kFew = 8;
  rlimit most{};
  return getrlimit(RLIMIT_NOFILE, &most) != 0 || static_cast<rlim_t>(file) + kFew < most.rlim_cur;
}

struct Worker {
  pid_t id = -1;
  int channel = -1;            // to it and from it
  int report = -1, said = -1;  // files in memory
  std::optional<std::size_t> task = {};
  Clock::time_point start = {};  // of the task
};

// In a worker. However the parent ends, nobody is left to hear of the result; and a Ctrl-C at the
// terminal is the parent's.
[[noreturn]] void become(const Worker& worker, int channel, const Tasks& tasks,
                         const Signals& signals, pid_t parent) {
  end_with_parent(parent);
  setpgid(0, 0);
  signals.restore();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(worker.said, STDOUT_FILENO);
  dup2(worker.said, STDERR_FILENO);
  // The store and its lock are the parent's.
  const auto [one, other] = std::minmax(worker.report, channel);
  close_range(STDERR_FILENO + 1, static_cast<unsigned>(one) - 1, 0);
  close_range(static_cast<unsigned>(one) + 1, static_cast<unsigned>(other) - 1, 0);
  close_range(static_cast<unsigned>(other) + 1, UINT_MAX, 0);
  if (chdir(tasks.folder.c_str()) != 0) _exit(kCannotRun);
  take_tasks(tasks, channel, worker.report);
}

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.size() > kLongestMessage) text = "..." + text.substr(text.size() - kLongestMessage);
  return text;
}

std::string manner_of(int status) {
  if (!WIFSIGNALED(status)) return fmt::format("exit code {}", WEXITSTATUS(status));
  const int signal = WTERMSIG(status);
  return fmt::format("signal {} ({}){}", signal, strsignal(signal),
                     signal == SIGKILL ? ": the system may have been short of memory" : "");
}

// Told to end from outside, as Slurm tells all processes of a job.
bool was_stopped(int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

// Of a task after which waitpid() would have given this status, had its process ended.
Outcome outcome_of(const Worker& worker, int status) {
  Outcome outcome{.message = trimmed(text_in(worker.said)),
                  .wall_s = std::chrono::duration<double>(Clock::now() - worker.start).count()};
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
  if (code == kRefused) {
    outcome.state = "refused";
    return outcome;
  }
  if (code == 0) outcome.report = Inputs::parse(text_in(worker.report), nullptr, false);
  if (outcome.report.is_object()) {
    outcome.state = outcome.report.value("fits_memory", true) ? "done" : "too_large";
    return outcome;
  }
  outcome.report = nullptr;
  outcome.state = was_stopped(status) ? "open" : "crashed";
  outcome.message = manner_of(status) + (outcome.message.empty() ? "" : "; ") + outcome.message;
  return outcome;
}

class Workers {
 public:
  Workers(const Tasks& tasks, const Signals& signals) : tasks_(tasks), signals_(signals) {}
  // Ends those still running.
  ~Workers() {
    for (const Worker& worker : workers_) kill(worker.id, SIGKILL);
    for (Worker& worker : workers_) end(worker);
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Gives tasks to as many as may run at once, and lets the others go. Whether any runs.
  bool fill() {
    while (next_ < tasks_.count) {
      Worker* worker = idle();
      if (worker == nullptr) worker = another();
      if (worker == nullptr) break;
      give(*worker, next_++);
    }
    if (next_ == tasks_.count) {
      std::erase_if(workers_, [&](Worker& worker) { return !worker.task && end(worker); });
    }
    return !workers_.empty();
  }

  // Until a task has ended or a signal is there, which is returned, or 0.
  int wait() {
    std::vector<pollfd> channels;
    for (const Worker& worker : workers_) channels.push_back({worker.channel, POLLIN, 0});
    const int signal = signals_.wait(kBeat, channels);
    for (std::size_t i = 0; i < workers_.size(); ++i) {
      if (channels[i].revents != 0) take_end(workers_[i]);
    }
    std::erase_if(workers_, [](const Worker& worker) { return worker.id < 0; });
    return signal;
  }
  std::vector<Ended> take_ended() { return std::exchange(ended_, {}); }

 private:
  Worker* idle() {
    const auto found =
        std::ranges::find_if(workers_, [](const Worker& worker) { return !worker.task; });
    return found == workers_.end() ? nullptr : &*found;
  }

  // None where as many run as may, or can.
  Worker* another() {
    if (workers_.size() == static_cast<std::size_t>(tasks_.at_once)) return nullptr;
    const std::optional<Worker> one = started();
    return one ? &workers_.emplace_back(*one) : nullptr;
  }

  // None where the system has no room for one: those that there are do all the work.
  std::optional<Worker> started() {
    Worker worker{.report = memory_file("report"), .said = memory_file("said")};
    int ends[2] = {-1, -1};
    const bool has_files = worker.report >= 0 && worker.said >= 0 &&
                           socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    int error = errno;
    worker.channel = ends[0];
    std::fflush(nullptr);  // or the worker would print what this process has buffered
    const pid_t parent = getpid();
    if (has_files && (workers_.empty() || leaves_files(ends[1]))) {
      worker.id = fork();
      error = errno;
    }
    if (worker.id == 0) become(worker, ends[1], tasks_, signals_, parent);
    close(ends[1]);
    if (worker.id > 0) return worker;
    end(worker);
    if (workers_.empty()) fail_to_start(error);
    return std::nullopt;
  }

  // One that is not there any more is found as its task ends.
  void give(Worker& worker, std::size_t task) {
    worker.task = task;
    worker.start = Clock::now();
    static_cast<void>(send(worker.channel, &task, sizeof task, MSG_NOSIGNAL));
    tasks_.started();
  }

  // With its task or with itself.
  void take_end(Worker& worker) {
    int code = 0;
    const bool goes_on = read(worker.channel, &code, sizeof code) == sizeof code;
    int status = __W_EXITCODE(code, 0);
    if (!goes_on) waitpid(worker.id, &status, 0);
    if (worker.task) ended_.push_back({*worker.task, outcome_of(worker, status)});
    worker.task.reset();
    if (goes_on && code != kFailed) return;
    if (!goes_on) worker.id = -1;
    end(worker);
  }

  // Once nothing more comes, or it was killed. True.
  static bool end(Worker& worker) {
    close(worker.channel);
    if (worker.id > 0) waitpid(worker.id, nullptr, 0);
    worker.id = -1;
    close(worker.report);
    close(worker.said);
    return true;
  }

  const Tasks& tasks_;
  const Signals& signals_;
  std::size_t next_ = 0;
  std::vector<Worker> workers_;
  std::vector<Ended> ended_;
};

}  // namespace

int run_in_processes(const Tasks& tasks, const Signals& signals,
                     const std::function<void(std::vector<Ended>)>& ended) {
  Workers workers(tasks, signals);
  int stopped_by = 0;
  for (bool runs = workers.fill(); runs && stopped_by == 0;) {
    stopped_by = workers.wait();
    std::vector<Ended> batch = workers.take_ended();
    // First the next ones, so that no core waits for the disk.
    if (stopped_by == 0) runs = workers.fill();
    ended(std::move(batch));
  }
  return stopped_by;
}

}  // namespace sim::sweep
