// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/signals.hpp"

#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace sim::sweep {

Signals::Signals() {
  sigemptyset(&taken_);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup, and shells that start something in the background, ignore them on purpose.
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&taken_, signal);
  }
  file_ = signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK);
  if (file_ < 0) throw InputError("signals: cannot be waited for: " + system_problem(errno));
  sigprocmask(SIG_BLOCK, &taken_, &before_);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_before_);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignored, &size_before_);
}

Signals::~Signals() {
  restore();
  close(file_);
}

void Signals::restore() const {
  sigaction(SIGXFSZ, &size_before_, nullptr);
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int Signals::wait(std::chrono::milliseconds limit, std::vector<pollfd>& files) const {
  files.push_back({file_, POLLIN, 0});
  static_cast<void>(poll(files.data(), files.size(), static_cast<int>(limit.count())));
  files.pop_back();
  return taken();
}

int Signals::taken() const {
  const timespec now{};
  return std::max(0, sigtimedwait(&taken_, nullptr, &now));
}

void Signals::check() const {
  if (const int signal = taken(); signal != 0) throw Stopped{signal};
}

}  // namespace sim::sweep
