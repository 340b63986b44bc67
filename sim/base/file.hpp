// Files: outputs that are whole or not there, and inputs that have an end.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace sim {

// A file that is written piece by piece. A regular one gets its name when it is whole: until
// finish(), and after any failure or signal, the old one stays, and nothing else is left (where the
// file system has no files without names, such as NFS, a killed process leaves .gardenhose-*). What
// is no regular file, such as a device or a pipe, and what standard output or standard error go to,
// is written as it is. Follows links. Throws InputError where the place cannot be written.
class OutputFile {
 public:
  explicit OutputFile(std::filesystem::path file);
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

  std::filesystem::path file_;    // as it was named
  std::filesystem::path target_;  // behind all links
  std::filesystem::path part_;    // the name before it is whole, where it needs one
  int descriptor_ = -1;
  bool in_place_ = false;
  std::string pending_;
};

// The same at once.
void write_file(const std::filesystem::path& file, std::string_view text);

// For work that takes long before it writes: throws what write_file() would, where the place is
// missing or may not be written. Writes nothing, so the disk may still turn out to be full.
void require_writable(const std::filesystem::path& file);

// Throws InputError, which begins with `place`, where writing `output` would overwrite one of
// `inputs`: the same file by device and inode, whatever the names. Those that are missing, and
// outputs that are no regular files, clash with nothing.
void refuse_overwriting(std::string_view place, const std::filesystem::path& output,
                        std::span<const std::filesystem::path> inputs);

// Larger files are refused: of those that people write, and that programs write.
inline constexpr std::size_t kMostInputBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDataBytes = std::size_t{64} << 20;

// All bytes of a regular file of at most `most` bytes. Throws InputError at the file: also for a
// device or a pipe, which may have no end, or block; `remedy` is for a file that is larger.
[[nodiscard]] std::string read_input(const std::filesystem::path& file, std::size_t most,
                                     std::string_view remedy = "is it the right file?");
// The same of standard input to its end, which may be anything.
[[nodiscard]] std::string read_standard_input(std::size_t most);
// A regular file that this program wrote or ships, however large.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

// What the system says of an errno, with a remedy where the process lacks something.
[[nodiscard]] std::string system_problem(int error);

}  // namespace sim
