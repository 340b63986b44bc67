// SPDX-License-Identifier: Apache-2.0
// Origins: the sources of a point's figures besides its inputs: the program's version, and the
// SHA-256 of every file that its inputs name. A point with a different origin today has to be
// computed again.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sweep/spec.hpp"

namespace apps {

// In hexadecimal digits.
[[nodiscard]] std::string sha256(std::string_view bytes);
// Hash of a file's bytes; empty if it cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

struct Origin {
  std::string id;       // of all the rest
  std::string version;  // of gardenhose
  std::string files;    // JSON: {"topologies/x.toml": SHA-256, ...}, shipped ones from their folder
};

class Origins {
 public:
  // Paths among the inputs are relative to `folder`, that of the spec.
  explicit Origins(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Files are read once: call it before the points run. A missing file has no hash; run decides
  // whether that is an error.
  [[nodiscard]] const Origin& of(const Inputs& inputs);
  // The files that have changed since they were read.
  [[nodiscard]] std::vector<std::string> changed() const;
  // All files read, including missing ones.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  using Files = std::map<std::string, std::string>;

  void add_shipped(const Inputs& inputs, const std::string& key, Files& files);
  // With `follow`, also the files named by its texts: sites' clusters, codecs' cards.
  void add(const std::filesystem::path& file, bool follow, Files& files);
  void add_named_in(const std::filesystem::path& file, Files& files);

  std::filesystem::path folder_;
  std::map<std::string, Origin> known_;        // by the inputs that name files
  std::map<std::string, std::string> hashes_;  // by path
};

}  // namespace apps
