// SPDX-License-Identifier: Apache-2.0
#include "sim/report/figure_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <variant>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

std::string unit_text(double value, const Unit& unit) {
  if (unit == kSeconds) return time_text(value);
  if (unit == kDays) return long_time_text(value * kDay_s);
  if (unit == kBytes) return byte_text(value);
  return std::isfinite(value) ? fmt::format(fmt::runtime(unit.format), value * unit.scale) : kNone;
}

}  // namespace

std::string byte_text(double bytes) {
  return bytes == 0 ? "0" : to_text(Bytes{std::llround(bytes)});
}

std::optional<double> number_of(const Figure& figure, const Report& report) {
  const auto value = figure.value(report);
  if (!value) return std::nullopt;
  if (const auto* const count = std::get_if<std::int64_t>(&*value)) return *count;
  const auto* const number = std::get_if<double>(&*value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

TableRow row_of(const Figure& figure, NumberText text) {
  require(figure.label != nullptr, "a row of a table has a label");
  const auto cell = [figure, text](const Report& report) -> std::string {
    const FigureValue value = figure.value(report).value_or(nullptr);
    if (const auto* const known = std::get_if<std::string>(&value)) return *known;
    if (const auto* const known = std::get_if<bool>(&value)) return *known ? "yes" : "no";
    const std::optional<double> number = number_of(figure, report);
    return !number ? kNone : text ? text(*number) : unit_text(*number, figure.unit);
  };
  return {.label = figure.label, .cell = cell, .figure = figure.name};
}

TableRow row_of(std::string_view name, NumberText text) { return row_of(figure_named(name), text); }

TableRow range_of(const std::string& name, NumberText text, const char* unit) {
  const Figure &low = figure_named(name + "_low"), &high = figure_named(name + "_high");
  const auto cell = [&low, &high, text, unit](const Report& report) -> std::string {
    const auto from = number_of(low, report), to = number_of(high, report);
    if (!from || !std::isfinite(*to)) return kNone;
    const auto end = [&](double value) { return text ? text(value) : unit_text(value, low.unit); };
    return end(*from) + "-" + end(*to) + unit;
  };
  return below({.label = kLikely, .cell = cell});
}

TableRow below(TableRow row) {
  ++row.depth;
  return row;
}

TableRow called(std::string label, TableRow row) {
  row.label = std::move(label);
  return row;
}

TableRow only_if(std::function<bool(const Report&)> holds, TableRow row) {
  row.cell = [holds = std::move(holds), cell = std::move(row.cell)](const Report& report) {
    return holds(report) ? cell(report) : kNone;
  };
  return row;
}

TableRow if_above(double least, TableRow row) {
  const Figure& figure = figure_named(row.figure);
  return only_if(
      [&figure, least](const Report& report) {
        const std::optional<double> number = number_of(figure, report);
        return number && *number > least;
      },
      std::move(row));
}

TableRow followed_by(std::function<std::string(const Report&)> more, TableRow row) {
  row.cell = [more = std::move(more), cell = std::move(row.cell)](const Report& report) {
    TableCell one = cell(report);
    if (one.text != kNone) one.text += more(report);
    return one;
  };
  return row;
}

std::vector<TableRow> if_they_fit(std::vector<TableRow> rows,
                                  const std::function<bool(const Report&)>& fit) {
  for (TableRow& row : rows) {
    row.cell = [cell = row.cell, fit](const Report& report) {
      TableCell one = cell(report);
      return fit(report) || one.text == kNone ? one : TableCell(one.text + kDoesNotFit, Style::bad);
    };
  }
  return rows;
}

}  // namespace sim
