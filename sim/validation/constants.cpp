// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "sim/base/parallel.hpp"
#include "sim/base/toml_document.hpp"

namespace sim::validation {
namespace {

constexpr std::array kFactors{0.9, 1.1};

// A number of a TOML file: "25 GBps" is 25 and " GBps".
struct Number {
  std::string key;
  double value = 0;
  std::string unit;
  bool whole = false;
  std::string source;

  [[nodiscard]] std::string text(double scaled) const {
    return whole && scaled == std::round(scaled) ? fmt::format("{:.0f}", scaled)
                                                 : fmt::format("{:.17g}{}", scaled, unit);
  }
  [[nodiscard]] std::string shown() const { return fmt::format("{:g}{}", value, unit); }
  // Times `factor`, but at least one further for whole numbers, and at most 1 for shares.
  [[nodiscard]] double scaled(double factor) const {
    if (whole && !key.ends_with("efficiency")) {
      const double step = std::max(1.0, std::round(value * std::abs(factor - 1)));
      return std::max(1.0, value + std::copysign(step, factor - 1));
    }
    if (key.ends_with("efficiency")) return std::min(1.0, value * factor);
    return key.ends_with("oversubscription") ? std::max(1.0, value * factor) : value * factor;
  }
};

// The comment lines right above line `line` (from 1), joined.
std::string comment_above(const std::vector<std::string>& lines, std::size_t line) {
  std::string text;
  for (std::size_t i = line - 1; i > 0 && lines[i - 1].starts_with("# "); --i) {
    if (!text.empty()) text.insert(0, " ");
    text.insert(0, lines[i - 1], 2);
  }
  return text;
}

bool is_count(std::string_view key) {
  constexpr std::array kCounts{"cluster.nodes", "cluster.gpus_per_node", "network.nics_per_node",
                               "network.nodes_per_leaf", "network.leaves_per_pod"};
  return std::ranges::find(kCounts, key) != kCounts.end();
}

std::vector<Number> numbers_of(const std::filesystem::path& file) {
  const std::string text = read_input_text(file);
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::vector<Number> numbers;
  const TomlDocument document = parse_toml(text, file);
  for (const auto& [key, leaf] : document.leaves) {
    const auto* scalar = std::get_if<TomlScalar>(&leaf.value);
    if (scalar == nullptr || is_count(key)) continue;
    Number number{.key = key, .source = comment_above(lines, leaf.place.line)};
    if (const auto* whole = std::get_if<std::int64_t>(scalar)) {
      number.value = static_cast<double>(*whole);
      number.whole = true;
    } else if (const auto* decimal = std::get_if<double>(scalar)) {
      number.value = *decimal;
    } else if (const auto* quantity = std::get_if<std::string>(scalar)) {
      char* end = nullptr;
      number.value = std::strtod(quantity->c_str(), &end);
      if (end == quantity->c_str()) continue;  // "switched"
      number.unit = end;
    } else {
      continue;
    }
    if (number.value > 0) numbers.push_back(std::move(number));
  }
  return numbers;
}

class Sensitivity {
 public:
  Sensitivity(const Inputs& inputs, const std::vector<Measurement>& measurements, int jobs)
      : measurements_(measurements), jobs_(jobs) {
    at_rest_ = predictions(inputs, "");
  }

  // Fills lower and upper; false when no row moves. `change` gives the inputs for a factor; it
  // moves rows of `cluster` only.
  template <class Change>
  [[nodiscard]] bool measure(Constant& constant, const std::string& cluster, Change change) const {
    bool moves = false;
    std::array<double, 2> errors{};
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const Inputs changed = change(kFactors[i]);
      const std::vector<double> moved = predictions(changed, cluster);
      moves = moves || moved != at_rest_;
      errors[i] = mean_error(changed, moved) - mean_error(changed, at_rest_);
    }
    constant.lower = errors[0];
    constant.upper = errors[1];
    return moves;
  }

 private:
  [[nodiscard]] std::vector<double> predictions(const Inputs& inputs,
                                                const std::string& cluster) const {
    return in_parallel(jobs_, measurements_.size(), [&](std::size_t i) {
      const Measurement& one = measurements_[i];
      const bool known = !at_rest_.empty() && one.setup.cluster != cluster;
      return known ? at_rest_[i] : predict(inputs, one.setup).of(one.metric);
    });
  }

  [[nodiscard]] double mean_error(const Inputs& inputs, const std::vector<double>& all) const {
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < measurements_.size(); ++i) {
      const Measurement& one = measurements_[i];
      const auto& fitted = inputs.clusters.at(one.setup.cluster).fitted.rows;
      if (std::ranges::find(fitted, one.row) != fitted.end()) continue;
      sum += std::abs(all[i] / one.value - 1);
      ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  const std::vector<Measurement>& measurements_;
  const int jobs_;
  std::vector<double> at_rest_;
};

Calibration scaled_times(Calibration table, double factor) {
  for (auto& [key, times] : table.kernels.own()) {
    for (KernelTime& time : times) time.seconds *= factor;
  }
  table.memory_share /= factor;
  return table;
}

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& cluster) {
  return folder / "topologies" / (cluster + ".toml");
}

}  // namespace

int constant_count(const std::filesystem::path& folder, const Inputs& inputs) {
  std::size_t count = inputs.calibrations.size();
  for (const auto& [name, cluster] : inputs.clusters) {
    count += numbers_of(file_of(folder, name)).size();
  }
  return static_cast<int>(count);
}

std::vector<Constant> list_constants(const std::filesystem::path& folder, const Inputs& inputs,
                                     const std::vector<Measurement>& measurements, int jobs,
                                     const Tick& tick) {
  const Sensitivity sensitivity(inputs, measurements, jobs);
  std::vector<Constant> constants;
  for (const auto& entry : inputs.clusters) {
    const std::string& name = entry.first;
    const std::filesystem::path file = file_of(folder, name);
    for (const Number& number : numbers_of(file)) {
      tick();
      Constant constant{.file = file.filename().string(),
                        .key = number.key,
                        .value = number.shown(),
                        .source = number.source,
                        .fitted = number.source.empty() || number.key.starts_with("fitted.")};
      const auto change = [&](double factor) {
        const Setting setting{number.key, number.text(number.scaled(factor))};
        Inputs changed = inputs;
        changed.clusters.at(name) = read_cluster(file, {&setting, 1});
        return changed;
      };
      if (sensitivity.measure(constant, name, change)) constants.push_back(std::move(constant));
    }
  }
  for (const auto& entry : inputs.calibrations) {
    const auto& [name, table] = entry;
    tick();
    Constant constant{.file = table.name + ".json",
                      .key = "codecs[].median_s",
                      .value = fmt::format("{} kernels", table.kernels->size()),
                      .source = table.source};
    const auto change = [&](double factor) {
      Inputs changed = inputs;
      changed.calibrations.at(entry.first) = scaled_times(entry.second, factor);
      return changed;
    };
    if (sensitivity.measure(constant, name, change)) constants.push_back(std::move(constant));
  }
  return constants;
}

}  // namespace sim::validation
