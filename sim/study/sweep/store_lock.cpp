// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/store_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace sim::sweep {
namespace {

std::string holder_in(int file) {
  char text[128] = {};
  return pread(file, text, sizeof(text) - 1, 0) > 0 ? fmt::format(" ({})", text) : std::string();
}

bool is_at(int file, const std::filesystem::path& name) {
  struct stat held {};
  struct stat named {};
  return fstat(file, &held) == 0 && stat(name.c_str(), &named) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

// What a sweep has left there, or nothing yet; not a file of somebody else's that has the name.
bool is_lock(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  return status.st_size == 0 || holder_in(file).starts_with(" (process ");
}

}  // namespace

StoreLock::StoreLock(const std::filesystem::path& store) : name_(store.string() + ".lock") {
  // Whoever held it takes the file away: it may have gone between our opening and locking it.
  while (!take(store)) close(file_);
  char host[64] = "?";
  gethostname(host, sizeof(host) - 1);
  const std::string holder = fmt::format("process {} on {}", getpid(), host);
  // Only a help to whoever finds it held.
  if (ftruncate(file_, 0) == 0) (void)!pwrite(file_, holder.data(), holder.size(), 0);
}

bool StoreLock::take(const std::filesystem::path& store) {
  file_ = open(name_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (file_ < 0) {
    throw InputError(
        fmt::format("{}: cannot be written: {}; name a file in a writable folder with `store`",
                    store.string(), system_problem(errno)));
  }
  if (!is_lock(file_)) {
    close(file_);
    throw InputError(fmt::format(
        "{}: is in the place of the sweep's lock; move it, or name another file with `store`",
        name_.string()));
  }
  if (flock(file_, LOCK_EX | LOCK_NB) == 0) return is_at(file_, name_);
  const std::string holder = holder_in(file_);
  close(file_);
  throw InputError(fmt::format(
      "{}: another sweep{} is writing to it; wait until it ends, or name another file with `store`",
      store.string(), holder));
}

StoreLock::~StoreLock() {
  unlink(name_.c_str());
  close(file_);
}

}  // namespace sim::sweep
