// SPDX-License-Identifier: Apache-2.0
// A folder for temporary files.
#pragma once

#include <filesystem>

namespace sim {

// The system's place for such folders. Throws InputError if TMPDIR does not name one.
[[nodiscard]] std::filesystem::path temporary_folder();

// A private folder, removed with its contents.
class Scratch {
 public:
  // In `parent`, with a name that begins with ".gardenhose-". Throws InputError.
  explicit Scratch(const std::filesystem::path& parent);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace sim
