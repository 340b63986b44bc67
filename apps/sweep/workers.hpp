// SPDX-License-Identifier: Apache-2.0
// Workers: run points in separate processes, so that a crash costs one point. No threads.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/commands.hpp"

namespace apps {

// Thrown when a signal asks the program to end: its exit code is 128 plus the signal.
struct Stopped {
  int signal;
};

// While in scope, takes over SIGINT, SIGTERM and SIGHUP unless they are ignored, and SIGCHLD, and
// makes writes beyond a file size limit fail instead of ending the process.
class Signals {
 public:
  Signals();
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The next signal, or 0 if none comes in time.
  [[nodiscard]] int wait(std::chrono::milliseconds limit) const;
  // The same when waiting only for the end of a worker: throws Stopped for another signal.
  void wait_or_stop(std::chrono::milliseconds limit) const;
  // For a child.
  void restore() const;

 private:
  sigset_t taken_{}, before_{};
  struct sigaction child_before_ {};
  struct sigaction size_before_ {};
};

// A worker that has ended.
struct Ended {
  std::size_t tag = 0;  // that it was started with
  int status = 0;       // as of waitpid()
  std::string out, err;
  double wall_s = 0;
};

class Workers {
 public:
  // Runs at most `most` at a time, in `folder`.
  Workers(const Signals& signals, int most, std::filesystem::path folder)
      : signals_(&signals), most_(static_cast<std::size_t>(most)), folder_(std::move(folder)) {}
  // Ends those still running.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  [[nodiscard]] bool has_room() const { return running_.size() < most_; }
  [[nodiscard]] bool is_idle() const { return running_.empty(); }
  // Runs "run" and its flags in a copy of this process, as starting the program anew would take longer
  // than most points. It ends together with this process.
  void start(std::size_t tag, const Arguments& arguments);
  // Those that have ended since the last call.
  [[nodiscard]] std::vector<Ended> take_ended();

 private:
  using Clock = std::chrono::steady_clock;
  struct Worker {
    std::size_t tag;
    pid_t process;
    int out, err;  // files in memory
    Clock::time_point start;
  };
  [[noreturn]] void become(const Worker& worker, const Arguments& arguments, pid_t parent) const;

  const Signals* signals_;
  std::size_t most_;
  std::filesystem::path folder_;
  std::vector<Worker> running_;
};

}  // namespace apps
