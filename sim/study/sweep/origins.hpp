// SPDX-License-Identifier: Apache-2.0
// Origins: the sources of a point's figures besides its inputs: the program's version, and the
// SHA-256 of every file that the point reads. A point with a different origin today has to be
// computed again.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/sweep/inputs.hpp"

namespace sim::sweep {

// In hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);
// Hash of a file's bytes; empty if it cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

struct Origin {
  std::string id;                            // of all the rest
  std::string version;                       // of gardenhose
  std::map<std::string, std::string> files;  // SHA-256 by name
};

// The differences between then and today, for a message.
[[nodiscard]] std::set<std::string> differences(const Origin& then, const Origin& today);

// Paths of files by a name that is the same on every machine.
using FileNames = std::map<std::string, std::string>;

class Origins {
 public:
  // The files that a point reads, or tries to.
  using FilesOf = std::function<FileNames(const Inputs&)>;
  Origins(std::string version, FilesOf files_of)
      : version_(std::move(version)), files_of_(std::move(files_of)) {}

  // Files are read once: call it before the points run. A missing file has no hash; its point
  // decides whether that is an error.
  [[nodiscard]] const Origin& of(const Inputs& inputs);
  // The files that have changed since they were read.
  [[nodiscard]] std::vector<std::string> changed() const;

 private:
  std::string version_;
  FilesOf files_of_;
  std::map<FileNames, Origin> known_;
  std::map<std::string, std::string> hashes_;  // by path
};

}  // namespace sim::sweep
