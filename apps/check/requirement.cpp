// SPDX-License-Identifier: Apache-2.0
#include "apps/check/requirement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>

#include "apps/check/reference.hpp"
#include "apps/check/tolerance.hpp"
#include "sim/base/number_text.hpp"
#include "sim/study/sweep/base_units.hpp"

namespace apps {
namespace {

constexpr std::size_t kLongest = 1000;  // bytes
constexpr const char* kForms =
    "is no requirement; write METRIC>=VALUE (or <=, >, <) in quotes, as > redirects in a shell: "
    "'speedup>=1.05', 'step_time_s<=2.5 s' or 'speedup>=1.05 @ scheme=sdp4bit'";

bool is_share(const std::string& metric) {
  const sim::Figure* const figure = sim::find_figure(metric);
  return figure != nullptr && (figure->unit.scale == 100 || figure->unit == sim::kRatio);
}

// "1.05", "2.5 s" of what ends with _s, "40 %" of shares and ratios.
std::optional<double> value_of(std::string_view text, const std::string& metric) {
  if (const auto bare = sim::number_in<double>(text)) return bare;
  if (text.ends_with('%') && is_share(metric)) {
    text = text.substr(0, text.find_last_not_of(" %") + 1);
    const auto percent = sim::number_in<double>(text);
    return percent ? std::optional(*percent / 100) : std::nullopt;
  }
  const auto quantity = sim::sweep::in_base_units(text);
  const bool is_its_unit = quantity && metric.ends_with("_" + std::string(quantity->unit));
  return is_its_unit ? std::optional(quantity->value) : std::nullopt;
}

// The figure that it names, also without the unit that the value has: step_time of "2.5 s".
std::string with_unit(const std::string& metric, std::string_view value) {
  const auto quantity = sim::sweep::in_base_units(value);
  if (!quantity || sim::find_figure(metric) != nullptr) return metric;
  const std::string full = sim::sweep::column_of(metric, *quantity);
  return sim::find_figure(full) != nullptr ? full : metric;
}

// Of "nodes=4 network.nic_bandwidth=100 Gbps": values may have blanks.
std::vector<std::pair<std::string, std::string>> inputs_in(const std::string& text) {
  static const std::regex input(R"((\S+?)=(.*?)(?=\s+\S+=|\s*$))");
  std::vector<std::pair<std::string, std::string>> inputs;
  for (std::sregex_iterator one(text.begin(), text.end(), input), end; one != end; ++one) {
    inputs.emplace_back((*one)[1], (*one)[2]);
  }
  return inputs;
}

}  // namespace

sim::Parsed<Requirement> parse_requirement(const std::string& text, const std::string& place) {
  static const std::regex form(
      R"(\s*([\w.-]+)\s*(>=|<=|>|<)\s*([^\s<>=@][^@]*?)\s*(@\s*(\S+=.*?)\s*)?)");
  const auto refusal = [&](const std::string& problem) {
    return sim::Parsed<Requirement>{{}, fmt::format("'{}' {}", sim::printable(text), problem)};
  };
  std::smatch parts;
  if (text.size() > kLongest || !std::regex_match(text, parts, form)) return refusal(kForms);
  const std::string relation = parts[2], value = parts[3];
  const std::string metric = with_unit(parts[1], value);
  const auto number = value_of(value, metric);
  if (!number || !std::isfinite(*number)) {
    return refusal(
        fmt::format("has no number behind {}; write one in the unit of {}, as 1.05, or with "
                    "it, as \"2.5 s\" for step_time_s",
                    relation, sim::printable(metric)));
  }
  return {Requirement{.text = text,
                      .place = place,
                      .metric = metric,
                      .bound = relation + value,
                      .value = *number,
                      .is_least = relation.starts_with('>'),
                      .is_strict = relation.size() == 1,
                      .inputs = inputs_in(parts[5])},
          ""};
}

void add(const Requirement& requirement, std::vector<Requirement>& requirements) {
  std::erase_if(requirements, [&](const Requirement& old) {
    return old.metric == requirement.metric && old.is_least == requirement.is_least &&
           old.inputs == requirement.inputs;
  });
  requirements.push_back(requirement);
}

// A scheme that is its own reference has no speed-up to ask for.
bool is_for(const Requirement& requirement, const Result& point) {
  if (requirement.metric.starts_with("speedup") && is_own_reference(point)) return false;
  return std::ranges::all_of(requirement.inputs, [&](const auto& input) {
    const auto& [name, value] = input;
    return point.inputs.contains(name) && text_of(point.inputs[name]) == value;
  });
}

bool is_met(const Requirement& requirement, double value) {
  if (value == requirement.value) return !requirement.is_strict;
  return requirement.is_least ? value > requirement.value : value < requirement.value;
}

}  // namespace apps
