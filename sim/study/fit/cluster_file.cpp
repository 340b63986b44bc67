// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/cluster_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/fit/edited_text.hpp"

namespace sim::study {
namespace {

constexpr std::string_view kFittedTable = "fitted.";

// Of a constant, in its unit: a fit that finds that there is none ends a little above.
constexpr double kNothing = 1e-12;

std::string rows_text(std::span<const std::string> rows) {
  std::vector<std::string> quoted;
  for (const std::string& row : rows) quoted.push_back(toml_text(row));
  return fmt::format("[{}]", joined(quoted));
}

std::vector<fit::KeyEdit> edits_for(const ComputeFit& fit, const std::string& source,
                                    std::span<const std::string> rows) {
  std::vector<fit::KeyEdit> edits;
  bool any_fitted = false;
  for (const FittedJobConstant& one : fit.fitted) {
    if (is_rest(*one.constant)) continue;
    any_fitted = any_fitted || one.constant->key.starts_with(kFittedTable);
    const std::string value = value_text(*one.constant, one.value);
    edits.push_back({one.constant->key, one.constant->is_seconds ? toml_text(value) : value,
                     fmt::format("Fitted to {}{}; {} in the base.", source,
                                 one.interval ? ": 95 % interval " + interval_text(one) : "",
                                 value_text(*one.constant, one.base))});
  }
  if (any_fitted) edits.push_back({"fitted.rows", rows_text(rows), "What was measured."});
  return edits;
}

// A base without fitted constants has no table for them.
std::string with_fitted_table(std::string_view text, const std::filesystem::path& file) {
  std::string with(text);
  if (parse_toml(text, file).tables.contains("fitted")) return with;
  return with + (with.ends_with('\n') ? "\n[fitted]\n" : "\n\n[fitted]\n");
}

// Whether the text says what was fitted: keys that stand where no line shows them do not move.
bool says_all(const std::string& text, const std::filesystem::path& file, const ComputeFit& fit) {
  constexpr double kRounding = 1e-3;  // of a value, and kNothing of those that are next to none
  Job read;
  try {
    read.topology = area_of(parse_cluster(text, file));
  } catch (const InputError&) {
    return false;
  }
  read.calibrations.emplace_back();
  return std::ranges::all_of(fit.fitted, [&](const FittedJobConstant& one) {
    if (is_rest(*one.constant)) return true;
    const std::optional<double> value = one.constant->get(read);
    return value && std::abs(*value - one.value) <= kRounding * one.value + kNothing;
  });
}

}  // namespace

std::string value_text(const JobConstant& constant, double value) {
  if (!constant.is_seconds) return value > 0 ? fmt::format("{:.4g}", value) : "none";
  constexpr double kMilli = 1e-3;
  if (value < kNothing) return "0 us";
  if (std::isinf(value)) return "unbounded";
  return value < kMilli ? fmt::format("{:.4g} us", value * 1e6)
                        : fmt::format("{:.4g} ms", value * 1e3);
}

std::string interval_text(const FittedJobConstant& one) {
  if (!one.interval) return "-";
  return value_text(*one.constant, one.interval->low) + " to " +
         value_text(*one.constant, one.interval->high);
}

std::string cluster_text(const ComputeFit& fit, const std::string& source,
                         std::span<const std::string> rows, std::string_view base_text,
                         const std::filesystem::path& base_file) {
  const std::string base = with_fitted_table(base_text, base_file);
  const std::string text = fmt::format("# {} with constants fitted by gardenhose fit to {}.\n",
                                       printable_path(base_file.filename()), source) +
                           fit::edited_text(base, base_file, edits_for(fit, source, rows));
  if (!says_all(text, base_file, fit)) {
    throw InputError(fmt::format(
        "{}: gives [fitted] or [gpu] without a header, or fitted.rows on several lines; write each "
        "key on a line of its own below the header of its table",
        printable_path(base_file)));
  }
  return text;
}

}  // namespace sim::study
