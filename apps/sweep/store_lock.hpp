// StoreLock: one sweep at a time writes a store.
#pragma once

#include <filesystem>

namespace apps {

// Held by a file beside the store, STORE.lock; with the process it goes, however that ends. Throws
// InputError where another one holds it, or where it cannot be made.
class StoreLock {
 public:
  explicit StoreLock(const std::filesystem::path& store);
  ~StoreLock();
  StoreLock(const StoreLock&) = delete;
  StoreLock& operator=(const StoreLock&) = delete;

 private:
  // False where the file that was locked is not the one that has the name now.
  bool take(const std::filesystem::path& store);

  std::filesystem::path name_;
  int file_ = -1;
};

}  // namespace apps
