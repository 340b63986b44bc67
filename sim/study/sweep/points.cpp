// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/base/number_text.hpp"
#include "sim/study/sweep/origins.hpp"

namespace sim::sweep {

std::string id_of(const Inputs& inputs) {
  // Sorted by key, however the spec has them.
  return sha256(nlohmann::json(inputs).dump());
}

std::vector<Planned> points_of(const Spec& spec, const Shard& shard) {
  std::vector<Planned> points;
  for (const std::int64_t place : places_of(spec)) {
    points.push_back({static_cast<std::int64_t>(points.size()), inputs_at(spec, place)});
  }
  if (shard.count == 1) return points;
  std::map<std::string, Planned*> by_id;
  for (Planned& point : points) by_id.emplace(id_of(point.inputs), &point);
  std::vector<Planned> ours;
  for (int place = 0; const auto& [id, point] : by_id) {
    if (place++ % shard.count == shard.number - 1) ours.push_back(std::move(*point));
  }
  std::ranges::sort(ours, {}, &Planned::number);
  return ours;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return std::filesystem::absolute(file).lexically_normal().parent_path();
}

std::filesystem::path default_store(const std::filesystem::path& spec, const Shard& shard) {
  std::filesystem::path store = spec;
  return store.replace_extension(
      shard.count == 1 ? ".sqlite" : fmt::format(".{}of{}.sqlite", shard.number, shard.count));
}

std::vector<StoredShard> stored_shards(const std::filesystem::path& spec) {
  std::vector<StoredShard> shards;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_of(spec), error)) {
    // study.2of4.sqlite
    const std::string part = entry.path().stem().extension().string();
    const std::size_t of = std::min(part.find("of"), part.size());
    if (of < 1 || of == part.size()) continue;
    const auto number = number_in<int>(std::string_view(part).substr(1, of - 1));
    const auto count = number_in<int>(std::string_view(part).substr(of + 2));
    if (!number || !count) continue;
    const Shard shard{*number, *count};
    const std::filesystem::path store = default_store(spec, shard);
    if (store.filename() == entry.path().filename()) shards.push_back({shard, store});
  }
  std::ranges::sort(shards, {}, &StoredShard::store);
  return shards;
}

}  // namespace sim::sweep
