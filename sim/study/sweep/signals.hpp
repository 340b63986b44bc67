// SPDX-License-Identifier: Apache-2.0
// Signals: a program that sweeps takes them over first, so that Ctrl-C ends the sweep and not what
// it is writing.
#pragma once

#include <chrono>
#include <csignal>

namespace sim::sweep {

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

  // The next signal besides the end of a child, or 0 if none comes in time or before a child ends.
  [[nodiscard]] int wait(std::chrono::milliseconds limit) const;
  // Throws Stopped if there is one.
  void check() const;
  // For a child.
  void restore() const;

 private:
  sigset_t taken_{}, before_{};
  struct sigaction child_before_ {};
  struct sigaction size_before_ {};
};

}  // namespace sim::sweep
