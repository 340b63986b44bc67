#include "sim/base/file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // less the umask

// An open file; negative where it could not be opened.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int number() const { return number_; }
  bool close() {
    const int number = std::exchange(number_, -1);
    return number < 0 || ::close(number) == 0;
  }

 private:
  int number_;
};

// These return false and set errno where they fail.
bool write_all(const Descriptor& file, std::string_view text) {
  if (file.number() < 0) return false;
  while (!text.empty()) {
    const ssize_t written = ::write(file.number(), text.data(), text.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_in_place(const fs::path& file, std::string_view text) {
  Descriptor descriptor(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode));
  return write_all(descriptor, text) && descriptor.close();
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

// The file has no name until it is whole, so that a process that is killed leaves no part of it.
bool write_nameless(const fs::path& file, std::string_view text) {
  Descriptor descriptor(::open(folder_of(file).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode));
  const std::string handle = "/proc/self/fd/" + std::to_string(descriptor.number());
  return write_all(descriptor, text) &&
         ::linkat(AT_FDCWD, handle.c_str(), AT_FDCWD, file.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

std::error_code outcome(bool done) {
  return done ? std::error_code() : std::error_code(errno, std::generic_category());
}

std::error_code replace(const fs::path& target, std::string_view text) {
  fs::path whole = target;
  whole += ".part" + std::to_string(getpid());
  // Some file systems, such as NFS, have no nameless files.
  std::error_code error = outcome(write_nameless(whole, text) || write_in_place(whole, text));
  if (!error) fs::rename(whole, target, error);
  std::error_code ignored;
  if (error) fs::remove(whole, ignored);
  return error;
}

// A rename would put a file in the place of /dev/null.
bool is_written_in_place(const fs::file_status& status) {
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

void throw_if(std::error_code error, const fs::path& file) {
  if (error) throw InputError(file.string() + ": cannot be written: " + error.message());
}

}  // namespace

void write_file(const fs::path& file, std::string_view text) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (is_written_in_place(status)) {
    error = outcome(write_in_place(file, text));
  } else {
    error = replace(fs::is_regular_file(status) ? fs::canonical(file) : file, text);
  }
  throw_if(error, file);
}

void require_writable(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (fs::is_directory(status)) throw_if(std::make_error_code(std::errc::is_a_directory), file);
  const fs::path target = fs::is_regular_file(status) ? fs::canonical(file) : file;
  const fs::path place = is_written_in_place(status) ? target : folder_of(target);
  throw_if(outcome(::access(place.c_str(), W_OK) == 0), file);
}

std::string read_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || fs::is_directory(file)) {
    throw InputError(file.string() + ": cannot be read: " + std::strerror(errno));
  }
  return text;
}

}  // namespace sim
