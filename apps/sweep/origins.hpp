// Origins: what the figures of a point were computed from, besides its inputs: the program's
// version, and the SHA-256 of every file that its inputs name. A point whose origin is another one
// today has to be computed again.
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
// Of a file's bytes; empty where it cannot be read.
[[nodiscard]] std::string sha256_of_file(const std::filesystem::path& file);

struct Origin {
  std::string id;       // of all the rest
  std::string version;  // of gardenhose
  std::string files;    // JSON: {"topologies/x.toml": SHA-256, ...}, shipped ones from their folder
};

class Origins {
 public:
  // Inputs that are paths go from `folder`, that of the spec.
  explicit Origins(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // The files are read once: call it before the points run. A file that is missing has no hash;
  // whether that is wrong, run says.
  [[nodiscard]] const Origin& of(const Inputs& inputs);
  // The files that are no longer what they were when they were read.
  [[nodiscard]] std::vector<std::string> changed() const;
  // All that were read, or would have been if they were there.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  using Files = std::map<std::string, std::string>;

  void add_shipped(const Inputs& inputs, const std::string& key, Files& files);
  // With `follow`, also the files that its texts name: sites' clusters, codecs' cards.
  void add(const std::filesystem::path& file, bool follow, Files& files);
  void add_named_in(const std::filesystem::path& file, Files& files);

  std::filesystem::path folder_;
  std::map<std::string, Origin> known_;        // by the inputs that name files
  std::map<std::string, std::string> hashes_;  // by path
};

}  // namespace apps
