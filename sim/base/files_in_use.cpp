// SPDX-License-Identifier: Apache-2.0
#include "sim/base/files_in_use.hpp"

#include <sys/stat.h>

#include <map>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "sim/base/error.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

struct Output {
  std::string place;
  fs::path named;
  fs::path file;
  bool ended = false;
};

// Files change while the process runs, so their names are kept, and compared anew each time. They
// are absolute, because the working directory changes too.
struct FilesInUse {
  std::mutex mutex;
  std::map<fs::path, fs::path> inputs;  // with the name that each was given
  std::vector<Output> outputs;
};

// The one list that no command can forget, hence not a parameter of every reader.
FilesInUse& in_use() {
  static FilesInUse files;
  return files;
}

// Absolute, and behind links where they lead to no file yet.
fs::path whole_path(const fs::path& file) {
  constexpr int kMostLinks = 40;  // as the kernel's
  std::error_code error;
  fs::path path = fs::absolute(file, error);
  if (error) return file;
  for (int links = 0; links < kMostLinks && !fs::exists(path, error); ++links) {
    if (!fs::is_symlink(fs::symlink_status(path, error))) break;
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

bool is_same(const fs::path& one, const fs::path& other) {
  struct stat first {
  }, second{};
  const bool exists = stat(one.c_str(), &first) == 0;
  if (exists != (stat(other.c_str(), &second) == 0)) return false;
  std::error_code error;
  if (!exists) return fs::weakly_canonical(one, error) == fs::weakly_canonical(other, error);
  return S_ISREG(first.st_mode) && first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

[[noreturn]] void refuse(const std::string& place, const fs::path& output, const fs::path& input) {
  throw InputError((place.empty() ? "" : place + ": ") + output.string() + ": is an input (" +
                   input.string() + "), which it would overwrite; name another file");
}

}  // namespace

void note_input(const fs::path& file) {
  FilesInUse& files = in_use();
  const fs::path path = whole_path(file);
  const std::scoped_lock lock(files.mutex);
  for (const Output& output : files.outputs) {
    if (!is_same(path, output.file)) continue;
    if (output.ended) return;
    refuse(output.place, output.named, file);
  }
  files.inputs.emplace(path, file);
}

void note_inputs(std::span<const fs::path> files) {
  for (const fs::path& file : files) note_input(file);
}

void note_output(std::string_view place, const fs::path& file) {
  FilesInUse& files = in_use();
  const fs::path path = whole_path(file);
  const std::scoped_lock lock(files.mutex);
  for (const auto& [input, named] : files.inputs) {
    if (is_same(path, input)) refuse(std::string(place), file, named);
  }
  for (Output& output : files.outputs) {
    if (!is_same(path, output.file)) continue;
    if (output.place != place) {
      throw InputError(std::string(place) + ": " + file.string() + ": is the file of " +
                       output.place + "; name another one");
    }
    output.ended = false;
    return;
  }
  files.outputs.push_back({std::string(place), file, path});
}

void end_output(const fs::path& file) {
  FilesInUse& files = in_use();
  const fs::path path = whole_path(file);
  const std::scoped_lock lock(files.mutex);
  for (Output& output : files.outputs) {
    if (output.file == path) output.ended = true;
  }
}

}  // namespace sim
