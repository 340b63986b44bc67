#include "sim/base/csv.hpp"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <sstream>

#include "sim/base/error.hpp"

namespace sim {

const std::string& CsvRow::text(const std::string& column) const {
  const auto found = fields_.find(column);
  if (found == fields_.end()) throw InputError(place_ + "1: no column " + column);
  return found->second;
}

double CsvRow::number(const std::string& column) const {
  const std::string& field = text(column);
  double value = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (error != std::errc() || end != field.data() + field.size() || !(value > 0)) {
    throw InputError(fmt::format("{}1: {}: '{}' is not a number above 0", place_, column, field));
  }
  return value;
}

namespace {

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

}  // namespace

std::vector<CsvRow> read_csv(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw InputError(file.string() + ": cannot be read");
  std::vector<CsvRow> rows;
  std::vector<std::string> columns;
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const std::vector<std::string> fields = split(line);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    const std::string place = fmt::format("{}:{}:", file.string(), number);
    if (fields.size() != columns.size()) {
      throw InputError(
          fmt::format("{}1: {} fields, {} columns", place, fields.size(), columns.size()));
    }
    std::map<std::string, std::string> by_name;
    for (std::size_t i = 0; i < fields.size(); ++i) by_name[columns[i]] = fields[i];
    rows.emplace_back(place, std::move(by_name));
  }
  return rows;
}

}  // namespace sim
