// SPDX-License-Identifier: Apache-2.0
// CSV files with a header line; lines that start with # are comments. A field in double quotes may
// contain commas, but no quotes; blanks around a field are ignored.
#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// One line, with its fields by column name.
class CsvRow {
 public:
  CsvRow(std::string place, std::string header_place, std::map<std::string, std::string> fields)
      : place_(std::move(place)),
        header_place_(std::move(header_place)),
        fields_(std::move(fields)) {}

  // Throws an InputError with the line's location if there is no such column.
  [[nodiscard]] const std::string& text(const std::string& column) const;
  // Whether there is such a column, and the field is not empty.
  [[nodiscard]] bool has(const std::string& column) const;
  // As text(), and also throws if the field is not a finite number above 0.
  [[nodiscard]] double number(const std::string& column) const;
  // As number(), and also throws if it is not from `lowest` to `highest`.
  [[nodiscard]] double number_within(const std::string& column, double lowest,
                                     double highest) const;
  // As number(); none if the field is a hyphen, which stands for what is not known.
  [[nodiscard]] std::optional<double> known(const std::string& column) const;
  // As number(), and also throws if the field is not a whole number of at most `highest`.
  [[nodiscard]] int integer(const std::string& column,
                            int highest = std::numeric_limits<int>::max()) const;
  [[nodiscard]] const std::map<std::string, std::string>& fields() const { return fields_; }
  // "file:line:1: column", for errors of others.
  [[nodiscard]] std::string place_of(const std::string& column) const { return place_ + column; }
  // "file:line:1: " of the header, for errors in the names of columns.
  [[nodiscard]] const std::string& header_place() const { return header_place_; }
  // Throws an InputError with the line's location.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string place_, header_place_;  // "file:line:1: "
  std::map<std::string, std::string> fields_;
};

// Throws InputError if the file cannot be read or a line and the header differ in their number of
// fields.
[[nodiscard]] std::vector<CsvRow> read_csv(const std::filesystem::path& file);
// Reads text in memory, of at most 1 MiB. Its header must equal `columns` unless they are empty; any of
// `optional` may follow, and a row or more. Throws with a located line for each problem.
[[nodiscard]] std::vector<CsvRow> parse_csv(std::string_view text,
                                            const std::filesystem::path& file,
                                            std::span<const std::string_view> columns = {},
                                            std::span<const std::string_view> optional = {});

}  // namespace sim
