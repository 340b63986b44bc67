// A folder for files that nobody needs afterwards.
#pragma once

#include <filesystem>

namespace apps {

// Where the system wants such folders. Throws InputError where TMPDIR names none.
[[nodiscard]] std::filesystem::path temporary_folder();

// Its own, which nobody else may enter, removed with what it holds.
class Scratch {
 public:
  // In `parent`, by a name that begins with ".gardenhose-". Throws InputError.
  explicit Scratch(const std::filesystem::path& parent);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace apps
