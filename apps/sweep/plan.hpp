// SPDX-License-Identifier: Apache-2.0
// The plan of a spec's sweep: its points, or those of a shard, and their store.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "apps/sweep/shard.hpp"
#include "apps/sweep/store.hpp"

namespace apps {

// The points of the shard, by number. Each shard gets every N-th point in the order of the ids, so
// that shards have equal sizes and similar mixtures of large and small points, however the grid is
// written.
[[nodiscard]] std::vector<Planned> plan(const Spec& spec, const Shard& shard);

// The spec's folder, as an absolute path.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& spec);
// study.toml: study.sqlite, or study.2of4.sqlite for a shard.
[[nodiscard]] std::filesystem::path default_store(const std::filesystem::path& spec,
                                                  const Shard& shard);

// The differences between then and today, for a message.
[[nodiscard]] std::set<std::string> differences(const Origin& then, const Origin& today);

}  // namespace apps
