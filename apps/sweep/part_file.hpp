// A file that is written under another name beside it, and gets its own when it is whole.
#pragma once

#include <filesystem>

namespace apps {

class PartFile {
 public:
  // Throws InputError where the place cannot be written.
  explicit PartFile(std::filesystem::path file);
  ~PartFile();  // removes the part
  PartFile(const PartFile&) = delete;
  PartFile& operator=(const PartFile&) = delete;

  [[nodiscard]] const std::filesystem::path& part() const { return part_; }
  void finish();

 private:
  std::filesystem::path file_, part_;
};

}  // namespace apps
