// SPDX-License-Identifier: Apache-2.0
// StoreLock: one sweep at a time writes a store.
#pragma once

#include <filesystem>

namespace sim::sweep {

// Held through a file beside the store, STORE.lock; it is released with the process, however that
// ends. Throws InputError if another process holds it, or if it cannot be made.
class StoreLock {
 public:
  explicit StoreLock(const std::filesystem::path& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  // False if the name no longer refers to the locked file.
  bool take(const std::filesystem::path& store);

  std::filesystem::path name_;
  int file_ = -1;
};

}  // namespace sim::sweep
