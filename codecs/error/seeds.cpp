// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "codecs/error/table.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

// Of one key, which all of the seeds have.
Json merged(const std::vector<Json>& of_seeds) {
  if (of_seeds.front().is_object()) return mean_over_seeds(of_seeds);
  double sum = 0;
  for (const Json& figure : of_seeds) sum += figure.get<double>();
  return sum / static_cast<double>(of_seeds.size());
}

void add_spread(const std::string& key, std::span<const Json> figures, Json& result) {
  const double mean = result.at(key);
  Json of_seeds = Json::array();
  double squares = 0;
  for (const Json& one : figures) {
    of_seeds.push_back(one.at(key));
    squares += std::pow(one.at(key).get<double>() - mean, 2);
  }
  const auto others = static_cast<double>(figures.size()) - 1;
  result["spread"] = others > 0 ? std::sqrt(squares / others) : 0.0;
  result["by_seed"] = std::move(of_seeds);
}

}  // namespace

Json mean_over_seeds(std::span<const Json> figures) {
  Json result = Json::object();
  for (const auto& [key, first] : figures.front().items()) {
    std::vector<Json> of_seeds;
    for (const Json& one : figures) {
      if (one.contains(key)) of_seeds.push_back(one.at(key));
    }
    if (of_seeds.size() == figures.size() && !first.is_boolean()) result[key] = merged(of_seeds);
  }
  const auto unbounded = [](const Json& one) { return !one.value("bounded", true); };
  if (std::ranges::any_of(figures, unbounded)) result["bounded"] = false;
  for (const char* key : {"relative_l2", "running_sum"}) {
    if (!result.contains(key)) continue;
    add_spread(key, figures, result);
    break;
  }
  return result;
}

}  // namespace codecs
