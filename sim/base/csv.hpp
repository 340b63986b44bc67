// CSV files with a header line; lines that start with # are comments. No quotes.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace sim {

// One line by column name.
class CsvRow {
 public:
  CsvRow(std::string place, std::map<std::string, std::string> fields)
      : place_(std::move(place)), fields_(std::move(fields)) {}

  // Throws InputError located at the line where there is no such column.
  [[nodiscard]] const std::string& text(const std::string& column) const;
  // The same where the field is not a number above 0.
  [[nodiscard]] double number(const std::string& column) const;
  [[nodiscard]] int integer(const std::string& column) const {
    return static_cast<int>(number(column));
  }

 private:
  std::string place_;  // "file:line:"
  std::map<std::string, std::string> fields_;
};

// Throws InputError where the file cannot be read or a line has not as many fields as the header.
[[nodiscard]] std::vector<CsvRow> read_csv(const std::filesystem::path& file);

}  // namespace sim
