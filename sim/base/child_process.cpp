// SPDX-License-Identifier: Apache-2.0
#include "sim/base/child_process.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>

namespace sim {

void end_with_parent(pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
}

int memory_file(const char* name) { return memfd_create(name, MFD_CLOEXEC); }

std::string text_in(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  std::string text(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace sim
