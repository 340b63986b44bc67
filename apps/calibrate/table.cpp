// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/table.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <map>

namespace calibrate {
namespace {

constexpr std::array kOfSize{"elements", "columns",  "encoded_bytes", "moved_bytes",
                             "median_s", "spread_s", "launches"};

bool depends_on_size(const std::string& key) {
  return std::ranges::find(kOfSize, key) != kOfSize.end();
}

// A time to five digits, of which the spread leaves three; what is whole stays.
Json rounded(const Json& number) {
  if (!number.is_number_float()) return number;
  const double value = number.get<double>();
  if (value == std::floor(value)) return static_cast<std::int64_t>(value);
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return std::stod(text);
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16] = {};
  std::strftime(text, sizeof text, "%Y-%m-%d", std::gmtime(&now));
  return text;
}

}  // namespace

double moved_bytes(const KernelRow& row) {
  const codecs::Traffic traffic = codecs::memory_traffic(row.shape);
  return (traffic.read + traffic.written) * static_cast<double>(row.elements);
}

Json json_of(const KernelRow& row, const Time& time) {
  return {{"codec", row.codec->name},
          {"to", row.to == nullptr ? "" : row.to->name},
          {"operation", name_of(row.shape.operation)},
          {"inputs", row.shape.inputs},
          {"value_bytes", row.shape.value_bytes},
          {"elements", row.elements},
          {"encoded_bytes", codecs::encoded_bytes(row.codec->format, row.elements)},
          {"moved_bytes", moved_bytes(row)},
          {"median_s", time.median_s},
          {"spread_s", time.spread_s},
          {"launches", time.launches}};
}

Json json_of(const codecs::MethodStep& step, const codecs::StepShape& shape, const Time& time) {
  Json row{{"method", step.method}, {"step", step.step}, {"elements", shape.elements}};
  if (step.takes_ranks) row["ranks"] = shape.ranks;
  if (step.takes_matrix) row["columns"] = shape.columns;
  if (step.takes_matrix) row["factor_rank"] = shape.factor_rank;
  row["encoded_bytes"] = step.encoded_bytes(shape);
  row["moved_bytes"] = step.moved_bytes(shape);
  row["median_s"] = time.median_s;
  row["spread_s"] = time.spread_s;
  row["launches"] = time.launches;
  return row;
}

std::string name_of(const codecs::MethodStep& step, const codecs::StepShape& shape) {
  std::string name = std::string(step.method) + " " + std::string(step.step);
  if (step.takes_ranks) name += " of " + std::to_string(shape.ranks);
  return name + ", " + std::to_string(shape.elements);
}

Floor::Floor(const Json& rows) {
  for (const Json& row : rows) copies_.push_back({row.at("moved_bytes"), row.at("median_s")});
  codecs::require(!copies_.empty(), "a floor of measured copies");
}

double Floor::seconds(double moved_bytes) const {
  const auto above = std::ranges::find_if(
      copies_, [&](const Copy& copy) { return copy.moved_bytes >= moved_bytes; });
  if (above == copies_.begin()) return above->seconds;
  if (above == copies_.end()) return moved_bytes / bandwidth_Bps();
  const Copy& below = *std::prev(above);
  const double share =
      std::log(moved_bytes / below.moved_bytes) / std::log(above->moved_bytes / below.moved_bytes);
  return below.seconds * std::pow(above->seconds / below.seconds, share);
}

double Floor::bandwidth_Bps() const { return copies_.back().moved_bytes / copies_.back().seconds; }

Json by_kernel(const Json& rows) {
  std::map<std::string, std::size_t> places;
  Json kernels = Json::array();
  for (const Json& row : rows) {
    Json kernel = Json::object();
    for (const auto& [key, value] : row.items()) {
      if (!depends_on_size(key)) kernel[key] = value;
    }
    const auto [place, is_new] = places.emplace(kernel.dump(), kernels.size());
    if (is_new) kernels.push_back(kernel);
    for (const auto& [key, value] : row.items()) {
      if (depends_on_size(key)) kernels[place->second][key].push_back(rounded(value));
    }
  }
  return kernels;
}

std::vector<Json> by_size(const Json& row) {
  std::vector<Json> sizes(row.at("elements").size(), row);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (const char* key : kOfSize) {
      if (row.contains(key)) sizes[i][key] = row.at(key).at(i);
    }
  }
  return sizes;
}

std::string text_of(const Json& table) {
  // Names and flags may hold bytes that are no text.
  const auto line = [](const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  std::string text;
  for (const auto& [key, value] : table.items()) {
    text += (text.empty() ? "{\n " : ",\n ") + line(key) + ": ";
    if (!value.is_structured() || value.empty()) {
      text += line(value);
      continue;
    }
    std::string rows;
    for (const auto& [name, row] : value.items()) {
      rows += (rows.empty() ? "\n  " : ",\n  ") + (value.is_object() ? line(name) + ": " : "");
      rows += line(row);
    }
    text += (value.is_object() ? "{" : "[") + rows + (value.is_object() ? "\n }" : "\n ]");
  }
  return text + "\n}\n";
}

Json json_of(const Provenance& provenance) {
  return {{"source", provenance.source},
          {"device", provenance.device},
          {"architecture", provenance.architecture},
          {"driver", provenance.driver},
          {"cuda", provenance.cuda},
          {"commit", provenance.commit},
          {"command", provenance.command},
          {"date", today()}};
}

std::filesystem::path default_output(std::string gpu) {
  for (char& c : gpu) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0
            ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
            : '_';
  }
  return std::filesystem::path("traces/calibration") / (gpu + ".json");
}

}  // namespace calibrate
