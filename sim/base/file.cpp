// SPDX-License-Identifier: Apache-2.0
#include "sim/base/file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/files_in_use.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // less the umask
constexpr std::size_t kPiece = 1 << 16;

[[noreturn]] void fail_at(const fs::path& file, int error) {
  throw InputError(file.string() + ": cannot be written: " + system_problem(error));
}

// The file that a chain of links ends at, which need not be there.
fs::path behind_links(const fs::path& file) {
  constexpr int kMostLinks = 40;  // as the kernel's
  fs::path end = file;
  std::error_code error;
  for (int links = 0; fs::is_symlink(fs::symlink_status(end, error)); ++links) {
    if (links == kMostLinks) fail_at(file, ELOOP);
    end = end.parent_path() / fs::read_symlink(end, error);
    if (error) fail_at(file, error.value());
  }
  return end;
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : ".";
}

// A name that nobody can have foreseen.
fs::path name_in(const fs::path& folder) {
  std::array<unsigned char, 12> bytes{};
  require(getrandom(bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()),
          "so few bytes are given at once");
  std::string name = ".gardenhose-";
  for (const unsigned char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    name += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return folder / name;
}

std::string handle_of(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// The standard descriptor that goes to this file; -1: none.
int standard_output_to(const struct stat& status) {
  for (const int number : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat standard {};
    if (fstat(number, &standard) == 0 && is_same(standard, status)) return number;
  }
  return -1;
}

// Whether the name that links lead to is that file's: not of a file that has lost its name, or never had
// one, behind /proc/self/fd.
bool is_named(const fs::path& name, const struct stat& status) {
  struct stat named {};
  return stat(name.c_str(), &named) == 0 && is_same(named, status);
}

// Signals wait until the file has its name: between two of them it has another one.
class SignalsWait {
 public:
  SignalsWait() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsWait(const SignalsWait&) = delete;
  SignalsWait& operator=(const SignalsWait&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

OutputFile::OutputFile(std::string_view place, fs::path file)
    : file_(std::move(file)), target_(behind_links(file_)) {
  note_output(place, file_);
  struct stat status {};
  const bool exists = stat(file_.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail(EISDIR);
  const bool is_file = exists && S_ISREG(status.st_mode);
  if (const int standard = is_file ? standard_output_to(status) : -1; standard >= 0) {
    std::fflush(stdout);
    descriptor_ = fcntl(standard, F_DUPFD_CLOEXEC, 0);
  } else if (!exists || (is_file && is_named(target_, status))) {
    open_beside();
    if (exists) static_cast<void>(fchmod(descriptor_, status.st_mode & 07777));
    return;
  } else {
    descriptor_ = open(file_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  }
  in_place_ = true;
  if (descriptor_ < 0) fail(errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!part_.empty()) unlink(part_.c_str());
  end_output(file_);
}

void OutputFile::open_beside() {
  const fs::path folder = folder_of(target_);
  descriptor_ = open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, kMode);
  if (descriptor_ >= 0 && access(handle_of(descriptor_).c_str(), F_OK) == 0) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  const fs::path part = name_in(folder);
  descriptor_ = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (descriptor_ < 0) fail(errno);
  part_ = part;
}

void OutputFile::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kPiece) flush();
}

void OutputFile::flush() {
  std::string_view left = pending_;
  while (!left.empty()) {
    const ssize_t written = ::write(descriptor_, left.data(), left.size());
    if (written < 0 && errno != EINTR) fail(errno);
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
  pending_.clear();
}

void OutputFile::finish() {
  flush();
  if (!in_place_) put_in_place();
  close();
}

void OutputFile::put_in_place() {
  const SignalsWait wait;
  if (part_.empty()) {
    const std::string handle = handle_of(descriptor_);
    const auto link_as = [&](const fs::path& name) {
      return linkat(AT_FDCWD, handle.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (link_as(target_)) return;
    if (errno != EEXIST) fail(errno);
    const fs::path part = name_in(folder_of(target_));
    if (!link_as(part)) fail(errno);
    part_ = part;
  } else {
    close();  // where a server says only now that its disk is full
  }
  replace();
}

void OutputFile::replace() {
  if (rename(part_.c_str(), target_.c_str()) != 0) fail(errno);
  part_.clear();
}

void OutputFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && ::close(descriptor) != 0) fail(errno);
}

void OutputFile::fail(int error) const { fail_at(file_, error); }

void write_file(std::string_view place, const fs::path& file, std::string_view text) {
  OutputFile output(place, file);
  output.write(text);
  output.finish();
}

void require_writable(std::string_view place, const fs::path& file) {
  const fs::path target = behind_links(file);
  struct stat status {};
  const bool exists = stat(file.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_at(file, EISDIR);
  const bool in_place = exists && !S_ISREG(status.st_mode);
  const fs::path folder = in_place ? file : folder_of(target);
  if (access(folder.c_str(), W_OK) != 0) fail_at(file, errno);
  note_output(place, file);
}

}  // namespace sim
