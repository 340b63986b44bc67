// SPDX-License-Identifier: Apache-2.0
// The inputs of sim/base/file.hpp.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/files_in_use.hpp"
#include "sim/base/printable.hpp"

namespace sim {
namespace {

[[noreturn]] void fail(const std::string& name, std::string_view what) {
  throw InputError(name + ": " + std::string(what));
}

[[noreturn]] void fail_too_large(const std::string& name, std::size_t most,
                                 std::string_view remedy) {
  fail(name, "is larger than " + std::to_string(most >> 20) + " MiB; " + std::string(remedy));
}

// All that can be read; throws where it is more than `most` bytes.
std::string read_all(int descriptor, const std::string& name, std::size_t most,
                     std::string_view remedy) {
  std::string text;
  char piece[1 << 16];
  for (;;) {
    const ssize_t count = read(descriptor, piece, sizeof piece);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(name, "cannot be read: " + system_problem(errno));
    if (count == 0) return text;
    if (static_cast<std::size_t>(count) > most - text.size()) fail_too_large(name, most, remedy);
    text.append(piece, static_cast<std::size_t>(count));
  }
}

struct Readable {
  std::vector<std::filesystem::path> folders;
  std::map<std::string, std::string, std::less<>> texts;
};

// What read_only() was told.
std::optional<Readable>& readable() {
  static std::optional<Readable> one;
  return one;
}

bool is_below(const std::filesystem::path& folder, const std::filesystem::path& file) {
  std::error_code error;
  const auto whole = std::filesystem::weakly_canonical(file, error);
  return !error && std::ranges::mismatch(folder, whole).in1 == folder.end();
}

// The text that stands for a file, or none. Throws for a file that may not be read.
const std::string* text_for(const std::filesystem::path& file, const std::string& name) {
  if (!readable()) return nullptr;
  const auto& [folders, texts] = *readable();
  if (const auto found = texts.find(file.native()); found != texts.end()) return &found->second;
  const bool ships =
      std::ranges::any_of(folders, [&](const auto& one) { return is_below(one, file); });
  if (!ships) fail(name, "no such file among those that ship or were sent along");
  return nullptr;
}

class Opened {
 public:
  // Not waiting for whoever may write into a pipe.
  explicit Opened(const std::filesystem::path& file)
      : number_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {}
  ~Opened() {
    if (number_ >= 0) ::close(number_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string read_to_replace(const std::filesystem::path& file, std::size_t most,
                            std::string_view remedy) {
  const std::string name = printable_path(file);
  if (const std::string* text = text_for(file, name)) {
    if (text->size() > most) fail_too_large(name, most, remedy);
    return *text;
  }
  const Opened opened(file);
  struct stat status {};
  // A socket cannot be opened, but is there all the same.
  const bool known = opened.number() >= 0 ? fstat(opened.number(), &status) == 0
                                          : errno == ENXIO && stat(file.c_str(), &status) == 0;
  if (!known && (errno == ENOENT || errno == ENOTDIR)) fail(name, "no such file");
  if (!known) fail(name, "cannot be read: " + system_problem(errno));
  if (S_ISDIR(status.st_mode)) fail(name, "is a directory; name a file in it");
  if (!S_ISREG(status.st_mode)) fail(name, "is not a regular file; name one that is");
  return read_all(opened.number(), name, most, remedy);
}

std::string read_input(const std::filesystem::path& file, std::size_t most,
                       std::string_view remedy) {
  std::string text = read_to_replace(file, most, remedy);
  note_input(file);
  return text;
}

void read_only(const std::vector<std::filesystem::path>& folders,
               std::map<std::string, std::string, std::less<>> texts) {
  Readable only{.texts = std::move(texts)};
  for (const auto& folder : folders) only.folders.push_back(std::filesystem::canonical(folder));
  readable() = std::move(only);
}

bool stands_for(const std::filesystem::path& file) {
  return readable() && readable()->texts.contains(file.native());
}

std::string read_standard_input(std::size_t most) {
  return read_all(STDIN_FILENO, "standard input", most, "is it the right one?");
}

std::string read_file(const std::filesystem::path& file) {
  return read_input(file, std::numeric_limits<std::size_t>::max());
}

std::string system_problem(int error) {
  const std::string text = strerror(error);
  switch (error) {
    case EMFILE:
      return text + "; raise the process's limit (ulimit -n)";
    case ENFILE:
      return text + "; end other programs, or raise the system's limit (fs.file-max)";
    case EAGAIN:
      return text + "; end other programs, or raise the limit of processes (ulimit -u)";
    case ENOMEM:
      return text + "; end other programs, or ask for less at a time";
    default:
      return text;
  }
}

}  // namespace sim
