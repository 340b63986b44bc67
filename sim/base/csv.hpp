// CSV files with a header line; lines that start with # are comments. No quotes; blanks around a
// field do not count.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// One line by column name.
class CsvRow {
 public:
  CsvRow(std::string place, std::map<std::string, std::string> fields)
      : place_(std::move(place)), fields_(std::move(fields)) {}

  // Throws InputError located at the line where there is no such column.
  [[nodiscard]] const std::string& text(const std::string& column) const;
  // The same where the field is not a finite number above 0.
  [[nodiscard]] double number(const std::string& column) const;
  [[nodiscard]] int integer(const std::string& column) const {
    return static_cast<int>(number(column));
  }
  // Throws InputError located at the line.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  std::string place_;  // "file:line:1: "
  std::map<std::string, std::string> fields_;
};

// Throws InputError where the file cannot be read or a line has not as many fields as the header.
[[nodiscard]] std::vector<CsvRow> read_csv(const std::filesystem::path& file);
// The same from text in memory, of at most 1 MiB, whose header has to be `columns` where any are
// given. Throws with a located line for each problem.
[[nodiscard]] std::vector<CsvRow> parse_csv(std::string_view text,
                                            const std::filesystem::path& file,
                                            std::span<const std::string_view> columns = {});

}  // namespace sim
