// SPDX-License-Identifier: Apache-2.0
// Rows of a table that show one figure each, with the label, the value and the unit that the table of
// figures has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/figures.hpp"
#include "sim/report/table_rows.hpp"

namespace sim {

inline constexpr const char* kNone = "-";  // the cell of a figure that a report does not have

[[nodiscard]] std::optional<double> number_of(const Figure& figure, const Report& report);

// As `text` has the number; without it, as is usual for the unit.
using NumberText = std::string (*)(double);
[[nodiscard]] TableRow row_of(const Figure& figure, NumberText text = nullptr);
[[nodiscard]] TableRow row_of(std::string_view name, NumberText text = nullptr);
// "75761-81010", for below the figure's own row.
[[nodiscard]] TableRow range_of(const std::string& name, NumberText text = nullptr,
                                const char* unit = "");

// Another row made from one: a part of what is above, under another name, "-" unless a condition
// holds or its figure is above a number, or with more text after its own.
[[nodiscard]] TableRow below(TableRow row);
[[nodiscard]] TableRow called(std::string label, TableRow row);
[[nodiscard]] TableRow only_if(std::function<bool(const Report&)> holds, TableRow row);
[[nodiscard]] TableRow if_above(double least, TableRow row);
[[nodiscard]] TableRow followed_by(std::function<std::string(const Report&)> more, TableRow row);

// The rows, with the cells marked of reports that do not fit.
[[nodiscard]] std::vector<TableRow> if_they_fit(std::vector<TableRow> rows,
                                                const std::function<bool(const Report&)>& fit);

// "1.25 GiB"; "0" without a unit.
[[nodiscard]] std::string byte_text(double bytes);

}  // namespace sim
