// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/captured.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "sim/base/child_process.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps::serve {
namespace {

// Standard error goes into memory while this is in scope.
class Capture {
 public:
  Capture() : memory_(sim::memory_file("said")), before_(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)) {
    if (memory_ < 0 || before_ < 0) {
      const int error = errno;
      close_both();
      throw sim::LacksResources("gardenhose: cannot run: " + sim::system_problem(error));
    }
    dup2(memory_, STDERR_FILENO);
  }
  ~Capture() {
    dup2(before_, STDERR_FILENO);
    close_both();
  }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;

  [[nodiscard]] std::string text() const { return sim::text_in(memory_); }

 private:
  void close_both() const {
    if (memory_ >= 0) close(memory_);
    if (before_ >= 0) close(before_);
  }

  int memory_, before_;
};

}  // namespace

std::string captured(const std::function<void()>& part) {
  const Capture capture;
  part();
  return capture.text();
}

}  // namespace apps::serve
