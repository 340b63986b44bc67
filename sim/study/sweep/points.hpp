// SPDX-License-Identifier: Apache-2.0
// The points of a spec, or those of a shard: the K-th of N equal parts, so that N machines can share
// a sweep.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/study/sweep/spec.hpp"

namespace sim::sweep {

struct Shard {
  int number = 1;  // 1 to count
  int count = 1;

  [[nodiscard]] std::string text() const {
    return std::to_string(number) + "/" + std::to_string(count);
  }
};

// A point of the spec, before it runs.
struct Planned {
  std::int64_t number;
  Inputs inputs;
};
[[nodiscard]] std::string id_of(const Inputs& inputs);

// The points of the shard, by number. Each shard gets every N-th point in the order of the ids, so
// that shards have equal sizes and similar mixtures of large and small points, however the grid is
// written.
[[nodiscard]] std::vector<Planned> points_of(const Spec& spec, const Shard& shard = {});

// The folder of a file, as an absolute path.
[[nodiscard]] std::filesystem::path folder_of(const std::filesystem::path& file);
// study.toml: study.sqlite, or study.2of4.sqlite for a shard.
[[nodiscard]] std::filesystem::path default_store(const std::filesystem::path& spec,
                                                  const Shard& shard);

// A shard of the spec that has its default store beside it.
struct StoredShard {
  Shard shard;
  std::filesystem::path store;
};
[[nodiscard]] std::vector<StoredShard> stored_shards(const std::filesystem::path& spec);

}  // namespace sim::sweep
