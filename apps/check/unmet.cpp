// SPDX-License-Identifier: Apache-2.0
// add_unmet() of comparison.hpp.

#include <fmt/format.h>

#include <optional>
#include <set>

#include "apps/check/comparison.hpp"
#include "apps/check/reference.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

std::optional<double> figure_of(const Result& point, const std::string& metric) {
  const auto compared = number_of(point.metrics, metric);
  return compared ? compared : number_of(point.uncompared, metric);
}

// "likely 1.02 to 1.11", where the point was run with a range.
std::string range_text(const Result& point, const std::string& metric) {
  const auto low = figure_of(point, metric + "_low"), high = figure_of(point, metric + "_high");
  if (low && high) return fmt::format("likely {:.4g} to {:.4g}", *low, *high);
  // Steps have as many tokens each.
  const auto tokens = figure_of(point, "tokens_per_s"), step = figure_of(point, metric);
  const auto slow = figure_of(point, "tokens_per_s_low");
  const auto fast = figure_of(point, "tokens_per_s_high");
  if (metric != "step_time_s" || !tokens || !step || !slow || !fast) return "";
  return fmt::format("likely {:.4g} to {:.4g}", *step * *tokens / *fast, *step * *tokens / *slow);
}

// Why a point meets no requirement; empty if its figure decides.
std::string reason_of(const Result& point, const Requirement& requirement) {
  if (point.state == "too_large") return "does not fit in memory";
  if (point.metrics.empty()) return point.state;
  return figure_of(point, requirement.metric) ? "" : "has no " + requirement.metric;
}

std::optional<Difference> unmet(const Result& point, const Requirement& requirement) {
  const auto figure = figure_of(point, requirement.metric);
  std::string note = reason_of(point, requirement);
  if (note.empty() && is_met(requirement, *figure)) return std::nullopt;
  const auto add = [&note](const std::string& more) {
    if (!more.empty()) note += (note.empty() ? "" : "; ") + more;
  };
  if (figure) add(range_text(point, requirement.metric));
  if (requirement.metric.starts_with("speedup")) add(reference_text(nullptr, point));
  return Difference{.what = requirement.metric,
                    .before = requirement.bound,
                    .now = figure ? number_text(*figure) : "-",
                    .change = figure ? change_text(requirement.value, *figure) : "",
                    .verdict = Verdict::unmet,
                    .note = note};
}

// What no point has of the inputs behind @: "no point has scheme=sdp5bit; did you mean sdp4bit? ...".
std::string missing_input(const Requirement& requirement, const ComparedResults& comparison) {
  for (const auto& [name, value] : requirement.inputs) {
    std::set<std::string> inputs, values;
    for (const ComparedPoint& compared : comparison.points) {
      for (const auto& [key, of_point] : compared.point->inputs.items()) {
        inputs.insert(key);
        if (key == name) values.insert(text_of(of_point));
      }
    }
    if (values.contains(value)) continue;
    const std::set<std::string>& known = values.empty() ? inputs : values;
    const std::vector<std::string_view> names(known.begin(), known.end());
    return fmt::format("no point has {}{}", values.empty() ? name : name + "=" + value,
                       sim::suggestion_and_list(values.empty() ? name : value, names));
  }
  return requirement.metric.starts_with("speedup")
             ? "no point has these inputs, or each is its own reference, whose speed-up is 1"
             : "no point has all of these inputs";
}

void add_unmet(const Requirement& requirement, ComparedResults& comparison) {
  bool is_for_any = false, has_figures = false, has_metric = false;
  for (ComparedPoint& compared : comparison.points) {
    const Result& point = *compared.point;
    if (compared.is_gone() || !is_for(requirement, point)) continue;
    is_for_any = true;
    has_figures |= !point.metrics.empty();
    has_metric |= figure_of(point, requirement.metric).has_value();
    if (auto difference = unmet(point, requirement)) {
      compared.differences.push_back(std::move(*difference));
    }
  }
  const auto refuse = [&](const std::string& problem) {
    throw sim::InputError(fmt::format("{}: '{}': {}", requirement.place,
                                      sim::printable(requirement.text),
                                      sim::printable_line(problem, 400)));
  };
  if (!is_for_any) refuse(missing_input(requirement, comparison));
  if (has_figures && !has_metric) {
    refuse(fmt::format("none of its points has {}{}", requirement.metric,
                       how_to_have(requirement.metric)));
  }
}

}  // namespace

void add_unmet(const std::vector<Requirement>& requirements, ComparedResults& comparison) {
  for (const Requirement& requirement : requirements) add_unmet(requirement, comparison);
  comparison.has_requirements = !requirements.empty();
}

}  // namespace apps
