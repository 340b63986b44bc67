// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"

namespace apps {

std::vector<Planned> plan(const Spec& spec, const Shard& shard) {
  const std::vector<std::int64_t> places = places_of(spec);
  std::vector<std::pair<std::string, std::int64_t>> order;  // id, number
  if (shard.count > 1) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      order.emplace_back(id_of(inputs_at(spec, places[i])), static_cast<std::int64_t>(i));
    }
    std::ranges::sort(order);
  }
  std::vector<bool> ours(places.size(), shard.count == 1);
  for (std::size_t i = static_cast<std::size_t>(shard.number) - 1; i < order.size();
       i += static_cast<std::size_t>(shard.count)) {
    ours[static_cast<std::size_t>(order[i].second)] = true;
  }
  std::vector<Planned> points;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (ours[i]) points.push_back({static_cast<std::int64_t>(i), inputs_at(spec, places[i])});
  }
  return points;
}

std::filesystem::path folder_of(const std::filesystem::path& spec) {
  return std::filesystem::absolute(spec).lexically_normal().parent_path();
}

std::filesystem::path default_store(const std::filesystem::path& spec, const Shard& shard) {
  std::filesystem::path store = spec;
  return store.replace_extension(
      shard.count == 1 ? ".sqlite" : fmt::format(".{}of{}.sqlite", shard.number, shard.count));
}

std::set<std::string> differences(const Origin& then, const Origin& today) {
  std::set<std::string> changes;
  if (then.version != today.version) changes.insert("gardenhose was " + then.version);
  auto before = nlohmann::json::parse(then.files, nullptr, false);
  const auto after = nlohmann::json::parse(today.files, nullptr, false);
  for (const auto& [name, hash] : after.items()) {
    if (!before.is_object() || !before.contains(name)) {
      changes.insert(name + " was not there");
    } else if (before[name] != hash) {
      changes.insert(name + " has changed");
    }
  }
  if (!before.is_object()) return changes;
  for (const auto& [name, hash] : before.items()) {
    if (!after.contains(name)) changes.insert(name + " is no longer there");
  }
  return changes;
}

}  // namespace apps
