// SPDX-License-Identifier: Apache-2.0
// Signals: a program that sweeps takes them over first, so that Ctrl-C ends the sweep and not what
// it is writing.
#pragma once

#include <poll.h>

#include <chrono>
#include <csignal>
#include <vector>

namespace sim::sweep {

// Thrown when a signal asks the program to end: its exit code is 128 plus the signal.
struct Stopped {
  int signal;
};

// While in scope, takes over SIGINT, SIGTERM and SIGHUP unless they are ignored, and makes writes beyond
// a file size limit fail instead of ending the process.
class Signals {
 public:
  Signals();  // InputError: the system has no file descriptor left
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // The next signal, or 0 if none comes in time or before one of the files can be read; which of them
  // can, their `revents` say.
  [[nodiscard]] int wait(std::chrono::milliseconds limit, std::vector<pollfd>& files) const;
  // Throws Stopped if there is one.
  void check() const;
  // For a child.
  void restore() const;

 private:
  [[nodiscard]] int taken() const;  // the next signal that is there, or 0

  sigset_t taken_{}, before_{};
  int file_;  // can be read while there is a signal
  struct sigaction child_before_ {};
  struct sigaction size_before_ {};
};

}  // namespace sim::sweep
