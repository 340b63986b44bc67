// What a sweep of a spec is about to do: its points, or those of a shard, and where they are kept.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "apps/sweep/shard.hpp"
#include "apps/sweep/store.hpp"

namespace apps {

// The points of the shard, by number. Each shard gets every N-th in the order of the ids, so that
// all have as many, and much the same mixture of large and small ones, however the grid is written.
[[nodiscard]] std::vector<Planned> plan(const Spec& spec, const Shard& shard);

// The folder of the spec, from the root.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& spec);
// study.toml: study.sqlite, of a shard study.2of4.sqlite.
[[nodiscard]] std::filesystem::path default_store(const std::filesystem::path& spec,
                                                  const Shard& shard);

// What was another then and is today, for a message.
[[nodiscard]] std::set<std::string> differences(const Origin& then, const Origin& today);

}  // namespace apps
