// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/processes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstring>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"

namespace sim::sweep {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kBeat{200};
// Exit codes: as of a program's wrong input, of its bugs, and of a shell that cannot run it.
constexpr int kRefused = 2, kFailed = 70, kCannotRun = 127;
constexpr int kReport = STDERR_FILENO + 1;  // of the child, beside the standard descriptors
constexpr std::size_t kLongestMessage = 4000;

[[noreturn]] void fail_to_start() {
  throw InputError("`jobs`: no worker can be started: " + system_problem(errno));
}

int memory_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) fail_to_start();
  return file;
}

std::string text_in(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  std::string text(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

// Into memory, in one piece unless that is short.
bool write_to(int file, std::string_view text) {
  return write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

int told(int code, const char* what) {
  static_cast<void>(write_to(STDERR_FILENO, printable_lines(what)));
  return code;
}

// In the child.
int code_of(const Tasks& tasks, std::size_t task) {
  try {
    return write_to(kReport, line_of(tasks.run(task))) ? 0 : kFailed;
  } catch (const InputError& error) {
    return told(kRefused, error.what());
  } catch (const std::exception& error) {
    return told(kFailed, error.what());
  }
}

struct Process {
  std::size_t task;
  pid_t id;
  int report, said;  // files in memory
  Clock::time_point start;
};

// In the child. However the parent ends, nobody is left to hear of the result; and a Ctrl-C at the
// terminal is the parent's.
[[noreturn]] void become(const Process& process, const Tasks& tasks, const Signals& signals,
                         pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);
  signals.restore();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(process.said, STDOUT_FILENO);
  dup2(process.said, STDERR_FILENO);
  dup2(process.report, kReport);
  close_range(kReport + 1, UINT_MAX, 0);  // the store and its lock are the parent's
  if (chdir(tasks.folder.c_str()) != 0) _exit(kCannotRun);
  _exit(code_of(tasks, process.task));
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

Outcome outcome_of(const Process& process, int status) {
  Outcome outcome{.message = trimmed(text_in(process.said)),
                  .wall_s = std::chrono::duration<double>(Clock::now() - process.start).count()};
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
  if (code == kRefused) {
    outcome.state = "refused";
    return outcome;
  }
  if (code == 0) outcome.report = Inputs::parse(text_in(process.report), nullptr, false);
  if (outcome.report.is_object()) {
    outcome.state = outcome.report.value("fits_memory", true) ? "done" : "too_large";
    return outcome;
  }
  outcome.report = nullptr;
  outcome.state = was_stopped(status) ? "open" : "crashed";
  outcome.message = manner_of(status) + (outcome.message.empty() ? "" : "; ") + outcome.message;
  return outcome;
}

class Processes {
 public:
  Processes(const Tasks& tasks, const Signals& signals) : tasks_(tasks), signals_(signals) {}
  // Ends those still running.
  ~Processes() {
    for (const Process& process : running_) kill(process.id, SIGKILL);
    for (const Process& process : running_) {
      waitpid(process.id, nullptr, 0);
      close_files(process);
    }
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  // As many as may run at once. Whether any runs.
  bool fill() {
    while (next_ < tasks_.count && running_.size() < static_cast<std::size_t>(tasks_.at_once)) {
      start(next_++);
    }
    return !running_.empty();
  }
  std::vector<Ended> take_ended() {
    std::vector<Ended> all;
    std::erase_if(running_, [&](const Process& process) {
      int status = 0;
      if (waitpid(process.id, &status, WNOHANG) != process.id) return false;
      all.push_back({process.task, outcome_of(process, status)});
      close_files(process);
      return true;
    });
    return all;
  }

 private:
  static void close_files(const Process& process) {
    close(process.report);
    close(process.said);
  }
  void start(std::size_t task) {
    Process process{task, -1, memory_file("report"), memory_file("said"), Clock::now()};
    std::fflush(nullptr);  // or the child would print what this process has buffered
    const pid_t parent = getpid();
    process.id = fork();
    if (process.id == 0) become(process, tasks_, signals_, parent);
    if (process.id < 0) fail_to_start();
    running_.push_back(process);
    tasks_.started();
  }

  const Tasks& tasks_;
  const Signals& signals_;
  std::size_t next_ = 0;
  std::vector<Process> running_;
};

}  // namespace

int run_in_processes(const Tasks& tasks, const Signals& signals,
                     const std::function<void(std::vector<Ended>)>& ended) {
  Processes processes(tasks, signals);
  int stopped_by = 0;
  for (bool runs = processes.fill(); runs && stopped_by == 0;) {
    stopped_by = signals.wait(kBeat);
    std::vector<Ended> batch = processes.take_ended();
    // First the next ones, so that no core waits for the disk.
    if (stopped_by == 0) runs = processes.fill();
    ended(std::move(batch));
  }
  return stopped_by;
}

}  // namespace sim::sweep
