// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace sim::sweep {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostLooks = 500;  // of all values: some seconds
constexpr std::size_t kMostOfAValue = 50;

// The working directory of the points, for as long as it is in scope.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~InFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// What a point is refused with; nothing where enough points have been looked at.
using Look = std::function<std::optional<std::string>(std::size_t point)>;

// What the first of these points is refused with, where all of them are that are looked at.
std::optional<RefusedValue> refused_value(const std::string& text,
                                          const std::vector<std::size_t>& points,
                                          const Look& look) {
  RefusedValue value{.text = text, .points = std::min(points.size(), kMostOfAValue)};
  for (std::size_t i = 0; i < value.points; ++i) {
    const auto refusal = look(points[i]);
    if (!refusal || refusal->empty()) return std::nullopt;
    if (i == 0) value.message = first_line(*refusal);
  }
  return value;
}

}  // namespace

std::vector<std::string> values_of(const Inputs& inputs) {
  std::vector<std::string> values;
  for (const auto& [key, value] : inputs.items()) {
    values.push_back(fmt::format("{} = {}", key, value.dump()));
  }
  return values;
}

std::vector<RefusedValue> refused_values(const std::vector<OpenPoint>& points,
                                         const Refusal& refusal, const fs::path& folder) {
  if (points.empty()) return {};
  std::map<std::string, std::vector<std::size_t>> points_with;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    all.push_back(i);
    for (const std::string& value : values_of(points[i].inputs)) points_with[value].push_back(i);
  }
  const InFolder in_folder(folder);
  std::map<std::size_t, std::string> seen;
  const Look look = [&](std::size_t point) -> std::optional<std::string> {
    const auto found = seen.find(point);
    if (found != seen.end()) return found->second;
    if (seen.size() >= kMostLooks) return std::nullopt;
    return seen[point] = refusal(points[point].inputs);
  };
  if (const auto every = refused_value("", all, look)) return {*every};
  std::vector<RefusedValue> refused;
  for (const auto& [text, of_value] : points_with) {
    if (of_value.size() == points.size()) continue;
    if (const auto value = refused_value(text, of_value, look)) refused.push_back(*value);
  }
  return refused;
}

void RefusalCount::add(const Inputs& inputs, bool refused) {
  const auto count = [refused](Count& of) {
    ++of.points;
    of.refused += refused ? 1 : 0;
  };
  count(all_);
  for (const std::string& value : values_of(inputs)) count(by_value_[value]);
}

std::vector<std::string> RefusalCount::refused_values() const {
  std::vector<std::string> values;
  for (const auto& [value, count] : by_value_) {
    if (count.points < all_.points && count.refused == count.points) values.push_back(value);
  }
  return values;
}

}  // namespace sim::sweep
