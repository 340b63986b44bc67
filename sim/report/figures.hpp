// SPDX-License-Identifier: Apache-2.0
// The figures of a report, a row each. JSON, CSV and the table for people read these rows, so a new
// figure is one row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "sim/report/report.hpp"

namespace sim {

enum class FigureKind { number, count, text, truth };

struct Unit {
  std::string_view symbol = {};        // on a page, after the number; none where the name says it
  std::string_view format = "{:.0f}";  // in a table, of the scaled number
  double scale = 1;
  FigureKind kind = FigureKind::number;
  bool operator==(const Unit&) const = default;
};
inline constexpr Unit kText{.kind = FigureKind::text}, kTruth{.kind = FigureKind::truth};
inline constexpr Unit kCount{.kind = FigureKind::count}, kNoUnit;
inline constexpr Unit kSeconds{"s"}, kDays{"days"}, kBytes{"B"};  // tables choose their prefix
inline constexpr Unit kPercent{"%", "{:.1f} %", 100}, kSmallPercent{"%", "{:.2f} %", 100};
inline constexpr Unit kRatio{"×", "{:.2f}x"}, kBytesPerSecond{"B/s"}, kBits{"", "{:.4g}"};
inline constexpr Unit kMean{"", "{:.1f}"}, kPerDay{"", "{:.1f}"}, kTeraflops{"", "{:.1f}"};
inline constexpr Unit kTokenCount{"", "{:g}"}, kTokensPerDay{"", "{:.4g} billion", 1e-9};
inline constexpr Unit kTokensPerSecond{"tokens/s"}, kJoules{"J", "{:.1f} kJ", 1e-3};
inline constexpr Unit kDollars{"USD", "{:.4g} USD"}, kPrice{"USD", "{:.3f}"};

// What is worse than before: more seconds, fewer tokens.
enum class Worse { neither, more, less };

using FigureValue = std::variant<std::nullptr_t, bool, std::int64_t, double, std::string>;

// Of a report, or of a part of it.
template <class Of>
struct FigureOf {
  std::string_view name;  // in JSON and CSV, with the unit's suffix
  Unit unit;
  // Nothing in reports of another kind; null where it was not asked for.
  std::optional<FigureValue> (*value)(const Of&) = nullptr;
  const char* label = nullptr;  // of its row in a table, if it has one
  Worse worse = Worse::neither;
};
using Figure = FigureOf<Report>;

// All of them, in the order of JSON and CSV.
[[nodiscard]] std::span<const Figure> all_figures();
[[nodiscard]] const Figure& figure_named(std::string_view name);
[[nodiscard]] const Figure* find_figure(std::string_view name);  // null: there is none
// Parts that other records have too: how ranks are laid out, where the time goes, and what a month
// brings.
[[nodiscard]] std::span<const Figure> layout_figures();
[[nodiscard]] std::span<const Figure> later_layout_figures();  // behind all others of a record
[[nodiscard]] std::span<const Figure> time_part_figures();
[[nodiscard]] std::span<const Figure> month_figures();
// Parts that are objects of their own in JSON.
[[nodiscard]] std::span<const FigureOf<SiteReport>> site_figures();
[[nodiscard]] std::span<const FigureOf<Sensitivity>> sensitivity_figures();
[[nodiscard]] std::span<const FigureOf<LinkUse>> link_figures();
[[nodiscard]] std::span<const FigureOf<ParetoPlace>> pareto_figures();

void add_figure(std::string_view name, const std::optional<FigureValue>& value,
                nlohmann::ordered_json& record);
// Adds those that it has. JSON has no infinity: it becomes null.
template <class Of>
void add_figures(std::span<const FigureOf<Of>> figures, const std::type_identity_t<Of>& of,
                 nlohmann::ordered_json& record) {
  for (const FigureOf<Of>& figure : figures) add_figure(figure.name, figure.value(of), record);
}
void add_figures(std::initializer_list<std::string_view> names, const Report& report,
                 nlohmann::ordered_json& record);

}  // namespace sim
