// SPDX-License-Identifier: Apache-2.0
#include "apps/check/input_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

constexpr std::size_t kMostCauses = 10;
constexpr std::size_t kLongestCause = 400;  // bytes

// What run printed last before it ended with code 2; its warnings come first.
std::string cause_of(const Result& point) {
  std::istringstream lines(point.message);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("warning: ")) return sim::printable_line(line, kLongestCause);
  }
  return "refused";
}

bool is_refused(const Result& point) {
  return point.state == "refused" && !cause_of(point).starts_with("--require-fit: ");
}

sim::sweep::RefusalCount count_refusals(const Results& results) {
  sim::sweep::RefusalCount refusals;
  for (const Result& point : results.points) refusals.add(point.inputs, is_refused(point));
  return refusals;
}

// In the order of their first points.
std::vector<std::pair<std::string, std::size_t>> causes_in(const Results& results) {
  const sim::sweep::RefusalCount refusals = count_refusals(results);
  const auto values = refusals.refused_values();
  const std::set<std::string> refused(values.begin(), values.end());
  std::vector<std::pair<std::string, std::size_t>> causes;
  for (const Result& point : results.points) {
    const auto has_refused_value = [&] {
      return std::ranges::any_of(sim::sweep::values_of(point.inputs),
                                 [&](const std::string& value) { return refused.contains(value); });
    };
    if (!is_refused(point) || (!refusals.all_refused() && !has_refused_value())) continue;
    const std::string cause = cause_of(point);
    const auto known = std::ranges::find(causes, cause, [](const auto& one) { return one.first; });
    if (known == causes.end()) {
      causes.emplace_back(cause, 1);
    } else {
      ++known->second;
    }
  }
  return causes;
}

}  // namespace

std::string input_errors(const std::string& what, const Results& results) {
  const auto causes = causes_in(results);
  std::vector<std::string> lines;
  for (const auto& [cause, points] : causes) {
    if (lines.size() == kMostCauses) {
      lines.push_back(fmt::format("{}: {} more causes", what, causes.size() - kMostCauses));
      break;
    }
    lines.push_back(fmt::format("{}: {} of {} points cannot run: {}", what, points,
                                results.points.size(), cause));
  }
  return sim::joined(lines, "\n");
}

bool all_are_input_errors(const Results& results) { return count_refusals(results).all_refused(); }

}  // namespace apps
