// SPDX-License-Identifier: Apache-2.0
// The files that a command reads because its inputs, a spec or a store name them: their hashes tell
// which points to compute again, and no output overwrites one (see refuse_overwriting() of
// sim/base/file.hpp).
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

// A store with SQLite's companion files, the spec that it was swept from if that lies beside it,
// and the files that its points have read, with paths relative to `folder`.
[[nodiscard]] std::vector<std::filesystem::path> files_of_store(
    Store& store, const std::filesystem::path& folder);

// Throws an InputError that begins with `place` if writing `output` would overwrite one of these,
// or the spec, wherever it lies: the store has its text.
void refuse_overwriting(std::string_view place, const std::filesystem::path& output, Store& store,
                        const std::filesystem::path& folder);

}  // namespace apps
