// SPDX-License-Identifier: Apache-2.0
// The files that points read: their hashes tell which points to compute again, and no output
// overwrites one, although other processes read them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "apps/sweep/points.hpp"

namespace apps {

// Clusters, sites, models, schemes, cards and calibrations of points, also those that such files
// name, and the shipped tables that each point reads.
class PointFiles {
 public:
  // Paths among the inputs are relative to `folder`.
  explicit PointFiles(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // By path from the shipped folder, or from `folder`. Also missing ones.
  [[nodiscard]] const sim::sweep::FileNames& of(const Inputs& inputs);

 private:
  using Files = sim::sweep::FileNames;

  void add_input(const Inputs& inputs, const std::string& key, Files& files) const;
  // With `follow`, also the files named by its texts: sites' clusters, codecs' cards.
  void add(const std::filesystem::path& file, bool follow, Files& files) const;
  void add_named_in(const std::filesystem::path& file, Files& files) const;

  std::filesystem::path folder_;
  std::map<std::string, Files> known_;  // by the inputs that name files
};

// A spec and the files that its points read.
[[nodiscard]] std::vector<std::filesystem::path> files_of_spec(const Spec& spec);

// Notes the files that a store's points read, with paths relative to `folder`, and the spec that it was
// swept from if that lies beside it, as inputs (sim/base/files_in_use.hpp).
void note_files(Store& store, const std::filesystem::path& folder);

// Throws an InputError that begins with `place` if `output` has the contents of the store's spec, or of
// a file that its points read, wherever these lie: the store knows their hashes.
void refuse_contents(std::string_view place, const std::filesystem::path& output, Store& store);

}  // namespace apps
