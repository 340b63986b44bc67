#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "sim/base/error.hpp"
#include "sim/report/writers.hpp"

namespace sim {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw InputError(file.string() + ": cannot be written: " + why);
}

bool write_to(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  return static_cast<bool>(stream);
}

}  // namespace

void write_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    // A rename would put a file in the place of /dev/null.
    if (!write_to(file, text)) fail(file, std::strerror(errno));
    return;
  }
  const fs::path target = fs::is_regular_file(status) ? fs::canonical(file) : file;
  fs::path temporary = target;
  temporary += ".part" + std::to_string(getpid());
  const bool written = write_to(temporary, text);
  if (!written) error.assign(errno, std::generic_category());
  if (written) fs::rename(temporary, target, error);
  if (!error) return;
  const std::string why = error.message();
  fs::remove(temporary, error);
  fail(file, why);
}

}  // namespace sim
