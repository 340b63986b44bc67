// SPDX-License-Identifier: Apache-2.0
// Files: outputs that are either complete or absent, and inputs of bounded size.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// A file written piece by piece. A regular file gets its name once it is complete: until finish(),
// and after any failure or signal, the old file stays and nothing else is left (on a file system
// without unnamed files, such as NFS, a killed process leaves .gardenhose-*). Anything that is not
// a regular file, such as a device or a pipe, and the targets of standard output and standard
// error, are written in place. Follows links. Throws InputError if the file cannot be written, and
// beginning with `place` (a flag, say) if it is an input, or another place's output
// (sim/base/files_in_use.hpp).
class OutputFile {
 public:
  OutputFile(std::string_view place, std::filesystem::path file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  void open_beside();
  void flush();
  void put_in_place();
  void replace();
  void close();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file_;    // as the user named it
  std::filesystem::path target_;  // behind all links
  std::filesystem::path part_;    // temporary name until it is complete, if it needs one
  int descriptor_ = -1;
  bool in_place_ = false;
  std::string pending_;
};

// Writes the whole file at once.
void write_file(std::string_view place, const std::filesystem::path& file, std::string_view text);

// For long work that writes at its end: throws what write_file() would throw if the file cannot be
// written, is an input, or is another place's output. From then on it cannot be read as an input.
// Writes nothing, so the disk may still turn out to be full.
void require_writable(std::string_view place, const std::filesystem::path& file);

// Largest files accepted: written by people, and written by programs.
inline constexpr std::size_t kMostInputBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDataBytes = std::size_t{64} << 20;

// All bytes of a regular file of at most `most` bytes. Throws an InputError that names the file,
// also for a device or a pipe, which may block or never end; `remedy` completes the message for a
// file that is too large. No output may overwrite the file from then on.
[[nodiscard]] std::string read_input(const std::filesystem::path& file, std::size_t most,
                                     std::string_view remedy = "is it the right file?");
// The same for a file that the command reads in order to replace it.
[[nodiscard]] std::string read_to_replace(const std::filesystem::path& file, std::size_t most,
                                          std::string_view remedy = "is it the right file?");
// Standard input to its end, whatever it is connected to.
[[nodiscard]] std::string read_standard_input(std::size_t most);
// A regular file written or shipped by this program, however large.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

// From then on this process reads no files but those below `folders`, and `texts`, which stand for files of
// these names: others are named by somebody who may not see them.
void read_only(const std::vector<std::filesystem::path>& folders,
               std::map<std::string, std::string, std::less<>> texts);
// Whether a text stands for the file, which may be another one next time.
[[nodiscard]] bool stands_for(const std::filesystem::path& file);

// The system's text for an errno, with a remedy if the process has run out of something.
[[nodiscard]] std::string system_problem(int error);

}  // namespace sim
