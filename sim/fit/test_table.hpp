// SPDX-License-Identifier: Apache-2.0
// The table of times that nccl-tests prints: a line of column names, and rows of figures that must
// agree with each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/fit/log.hpp"
#include "sim/fit/log_line.hpp"

namespace sim::fit {

struct TestRow {
  LogTime time;
  // The results differ from those expected, by rounding or by more: the line below the table says.
  bool inexact = false;
};

class TestTable {
 public:
  // `place`, here and below, begins the InputError for what cannot be believed.
  TestTable(const Words& columns, const std::string& place);

  // Whether the words may be a row of it.
  [[nodiscard]] bool is_row(const Words& words) const;
  // Nothing for a size that gives no rank an element.
  [[nodiscard]] std::optional<TestRow> row(const Words& words, const Log& log,
                                           const std::string& place) const;

 private:
  [[nodiscard]] bool has(std::string_view column) const;
  // The column's value in a row. The first of equal names is out of place.
  [[nodiscard]] std::string_view in(const Words& words, std::string_view column) const;
  [[nodiscard]] double figure(const Words& words, std::string_view column,
                              const std::string& place) const;
  void check_bandwidths(const Words& words, const Log& log, const std::string& place) const;

  std::vector<std::string> columns_;
};

}  // namespace sim::fit
