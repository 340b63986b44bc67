// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/reaper.hpp"

#include <sys/wait.h>

#include <csignal>

namespace apps::serve {

Reaper::Reaper(boost::asio::io_context& context) : ends_(context, SIGCHLD) { watch(); }

Reaper::~Reaper() {
  for (const pid_t one : processes_) waitpid(one, nullptr, 0);
}

// Its signal may have come already.
void Reaper::take(pid_t process) {
  processes_.push_back(process);
  collect();
}

void Reaper::watch() {
  ends_.async_wait([this](const boost::system::error_code& failure, int) {
    if (failure) return;
    collect();
    watch();
  });
}

void Reaper::collect() {
  std::erase_if(processes_, [](pid_t one) { return waitpid(one, nullptr, WNOHANG) != 0; });
}

}  // namespace apps::serve
