// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/test_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim::fit {
namespace {

// Printed figures are rounded, and so are their quotients.
bool agree(double printed, double expected) {
  constexpr double kHalfLastDigit = 0.006, kRounded = 0.01;
  return std::isfinite(expected) &&
         std::abs(printed - expected) <= kHalfLastDigit + kRounded * expected;
}

// "3", or with an asterisk where more is wrong than the test allows; "N/A" if nothing was checked.
bool is_above_zero(std::string_view figure) {
  return figure.ends_with('*') || number_in<double>(figure).value_or(0) > 0;
}

}  // namespace

TestTable::TestTable(const Words& columns, const std::string& place)
    : columns_(columns.begin(), columns.end()) {
  constexpr std::string_view kNeeded[] = {"time", "algbw", "busbw"};
  const auto time = std::ranges::find(columns_, kNeeded[0]);
  if (columns_.end() - time < std::ssize(kNeeded) ||
      !std::equal(std::begin(kNeeded), std::end(kNeeded), time)) {
    throw InputError(
        place + "no columns time, algbw and busbw side by side; print all columns of nccl-tests");
  }
}

bool TestTable::has(std::string_view column) const {
  return std::ranges::find(columns_, column) != columns_.end();
}

std::string_view TestTable::in(const Words& words, std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  return words[static_cast<std::size_t>(found - columns_.begin())];
}

double TestTable::figure(const Words& words, std::string_view column,
                         const std::string& place) const {
  const auto value = number_in<double>(in(words, column));
  if (!value || !std::isfinite(*value) || *value < 0) {
    throw InputError(fmt::format("{}{}: '{}' is not a number of 0 or more; run the test again",
                                 place, column, printable(in(words, column))));
  }
  return *value;
}

bool TestTable::is_row(const Words& words) const {
  return words.size() == columns_.size() && number_in<double>(in(words, "size")) &&
         number_in<double>(in(words, "busbw"));
}

std::optional<TestRow> TestTable::row(const Words& words, const Log& log,
                                      const std::string& place) const {
  if (words.size() != columns_.size()) {
    throw InputError(
        fmt::format("{}has {} of {} columns; if the log is cut off here, remove the line", place,
                    words.size(), columns_.size()));
  }
  const double bytes = figure(words, "size", place), us = figure(words, "time", place);
  if (bytes == 0) return std::nullopt;
  if (us == 0) throw InputError(place + "time: is 0; run the test again");
  if (has("#wrong") && is_above_zero(in(words, "#wrong"))) {
    throw InputError(place + "the collective's results were wrong; run the test again");
  }
  check_bandwidths(words, log, place);
  return TestRow{.time = {bytes, us * 1e-6},
                 .inexact = has("error") && is_above_zero(in(words, "error"))};
}

void TestTable::check_bandwidths(const Words& words, const Log& log,
                                 const std::string& place) const {
  const double bytes = figure(words, "size", place), us = figure(words, "time", place);
  const double algorithm_GBps = bytes / us * 1e-3;
  if (!agree(figure(words, "algbw", place), algorithm_GBps)) {
    throw InputError(fmt::format("{}algbw: {} is not {} B in {} us; run the test again", place,
                                 printable(in(words, "algbw")), printable(in(words, "size")),
                                 printable(in(words, "time"))));
  }
  const double bus_GBps = algorithm_GBps * log.collective->sent_share(log.gpus());
  if (agree(figure(words, "busbw", place), bus_GBps)) return;
  throw InputError(
      fmt::format("{}busbw: {} is not that of {} on {} GPUs; keep the lines that list all ranks "
                  "and name the program",
                  place, printable(in(words, "busbw")), log.collective->name, log.gpus()));
}

}  // namespace sim::fit
