#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "sim/base/error.hpp"
#include "sim/report/writers.hpp"

namespace sim {

void write_file(const std::filesystem::path& file, std::string_view text) {
  // The rename would put a file in the place of a device or a pipe: of /dev/null for everybody.
  std::error_code unknown;
  const auto status = std::filesystem::status(file, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw InputError(file.string() + ": cannot be written: is there and is not a regular file");
  }
  std::filesystem::path temporary = file;
  temporary += ".part" + std::to_string(getpid());
  std::ofstream stream(temporary, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  std::error_code error;
  if (stream) std::filesystem::rename(temporary, file, error);
  if (!stream || error) {
    const std::string why = error ? error.message() : std::strerror(errno);
    std::filesystem::remove(temporary, error);
    throw InputError(file.string() + ": cannot be written: " + why);
  }
}

}  // namespace sim
