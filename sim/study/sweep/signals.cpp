// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/signals.hpp"

#include <ctime>

namespace sim::sweep {

Signals::Signals() {
  sigemptyset(&taken_);
  sigaddset(&taken_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup, and shells that start something in the background, ignore them on purpose.
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&taken_, signal);
  }
  sigprocmask(SIG_BLOCK, &taken_, &before_);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_before_);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignored, &size_before_);
}

Signals::~Signals() { restore(); }

void Signals::restore() const {
  sigaction(SIGXFSZ, &size_before_, nullptr);
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int Signals::wait(std::chrono::milliseconds limit) const {
  const timespec time{limit.count() / 1000, (limit.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&taken_, nullptr, &time);
  return signal < 0 || signal == SIGCHLD ? 0 : signal;
}

void Signals::check() const {
  if (const int signal = wait(std::chrono::milliseconds(0)); signal != 0) throw Stopped{signal};
}

}  // namespace sim::sweep
