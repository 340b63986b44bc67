#include "apps/sweep/part_file.hpp"

#include <unistd.h>

#include <string>
#include <system_error>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps {

PartFile::PartFile(std::filesystem::path file) : file_(std::move(file)) {
  sim::require_writable(file_);
  part_ = file_.string() + ".part" + std::to_string(getpid());
}

PartFile::~PartFile() {
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void PartFile::finish() {
  std::error_code error;
  std::filesystem::rename(part_, file_, error);
  if (error) throw sim::InputError(file_.string() + ": cannot be written: " + error.message());
}

}  // namespace apps
