// SPDX-License-Identifier: Apache-2.0
// Runs the built gardenhose as a user does: in a process and a folder of its own, kept for what it
// prints.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace apps_tests {

using Arguments = std::vector<std::string>;

// How long a test waits for what takes seconds: where it takes longer, it does not end. So long that
// no machine is too slow.
inline constexpr std::chrono::minutes kHang{10};

// Waits until it is true; false where it hangs.
template <class Condition>
[[nodiscard]] bool comes_true(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// The parts of `text` between blanks: "run --nodes 2". Quantities need no blank ("2us").
[[nodiscard]] Arguments words(std::string_view text);

struct Outcome {
  int code = -1;   // exit code; -1 where a signal ended it
  int signal = 0;  // that ended it; SIGKILL where it hung
  std::string out, err;
};

// A started program, its standard input empty. It gets at most 4 GiB of memory, except under a
// sanitizer, and is killed with this object.
class Program {
 public:
  // `out`: a file descriptor that gets standard output in place of the one kept here.
  Program(const Arguments& arguments, const std::filesystem::path& folder, int out = -1);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] pid_t id() const { return id_; }
  // Waits for the end.
  Outcome wait();

 private:
  int out_ = -1;
  int err_ = -1;
  pid_t id_ = -1;
};

// Starts it in `folder` and waits.
[[nodiscard]] Outcome run(const Arguments& arguments, const std::filesystem::path& folder);

// The processes that `parent` started and that still live.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);

// A folder of its own, removed with what it holds.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::filesystem::path& name, std::string_view text) const;
  // Names of what lies in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

}  // namespace apps_tests
