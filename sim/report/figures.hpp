// SPDX-License-Identifier: Apache-2.0
// The figures of a report, a row each. JSON and CSV read these rows, so a new figure is one row.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/report/report.hpp"

namespace sim {

enum class Unit {
  text,
  truth,
  count,
  share,
  ratio,  // "1.25x"
  seconds,
  days,
  per_day,
  bytes,
  bytes_per_s,
  bits,
  tokens,
  tokens_per_s,
  tokens_per_day,
  tflops,
  joules,
  usd,
  usd_per_million_tokens,
};

// Nothing where a report could have the figure and has not: null in JSON, empty in CSV, "-" in a
// table.
using FigureValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

[[nodiscard]] inline bool always(const Report&) { return true; }

struct Figure {
  std::string_view name;  // in JSON and CSV, with the unit's suffix
  Unit unit = Unit::text;
  FigureValue (*value)(const Report&) = nullptr;
  bool (*when)(const Report&) = always;  // else it is absent
};

// All of them, in the order of JSON and CSV.
[[nodiscard]] const std::vector<Figure>& all_figures();
// Parts that other records have too: how ranks are laid out, where the time goes, and what a month
// brings.
[[nodiscard]] std::span<const Figure> layout_figures();
[[nodiscard]] std::span<const Figure> time_part_figures();
[[nodiscard]] std::span<const Figure> month_figures();

// Adds those that the report has. JSON has no infinity: it becomes null.
void add_figures(std::span<const Figure> figures, const Report& report,
                 nlohmann::ordered_json& record);

}  // namespace sim
