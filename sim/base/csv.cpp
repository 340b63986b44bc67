// SPDX-License-Identifier: Apache-2.0
#include "sim/base/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_document.hpp"

namespace sim {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// The parts of `text` between separators; an empty part is a part.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

// A field in quotes may contain commas. Without its last quote it is the rest of the line.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t text = std::min(line.find_first_not_of(" \t\r", begin), line.size());
    const bool is_quoted = text < line.size() && line[text] == '"';
    const std::size_t last = is_quoted ? line.find('"', text + 1) : begin;
    const std::size_t end = std::min(line.find(',', std::min(last, line.size())), line.size());
    const std::string_view field = trimmed(line.substr(begin, end - begin));
    const bool has_quotes = is_quoted && field.size() > 1 && field.back() == '"';
    fields.emplace_back(has_quotes ? field.substr(1, field.size() - 2) : field);
    begin = end + 1;
  }
  return fields;
}

// `columns`, then any of `optional`.
bool is_header(std::span<const std::string> header, std::span<const std::string_view> columns,
               std::span<const std::string_view> optional) {
  if (header.size() < columns.size()) return false;
  const auto further = header.subspan(columns.size());
  return std::ranges::equal(header.first(columns.size()), columns) &&
         std::ranges::all_of(further, [&](const std::string& name) {
           return std::ranges::find(optional, name) != optional.end();
         });
}

// The later of two columns of one name would win.
void refuse_repeated(std::span<const std::string> header, const std::string& place) {
  for (auto name = header.begin(); name != header.end(); ++name) {
    if (std::find(header.begin(), name, *name) == name) continue;
    throw InputError(
        fmt::format("{}{}: is the name of two columns; keep one", place, printable(*name)));
  }
}

}  // namespace

void CsvRow::fail(std::string_view what) const { throw InputError(place_ + std::string(what)); }

const std::string& CsvRow::text(const std::string& column) const {
  const auto found = fields_.find(column);
  if (found == fields_.end()) fail("no column " + column);
  return found->second;
}

bool CsvRow::has(const std::string& column) const {
  const auto found = fields_.find(column);
  return found != fields_.end() && !found->second.empty();
}

double CsvRow::number(const std::string& column) const {
  const std::string& field = text(column);
  const auto value = number_in<double>(field);
  if (!value || !(*value > 0) || !std::isfinite(*value)) {
    fail(fmt::format("{}: '{}' is not a number above 0", column, printable(field)));
  }
  return *value;
}

double CsvRow::number_within(const std::string& column, double lowest, double highest) const {
  const double value = number(column);
  if (value < lowest || value > highest) {
    fail(fmt::format("{}: {} is out of range; write a number from {:g} to {:g}", column, value,
                     lowest, highest));
  }
  return value;
}

int CsvRow::integer(const std::string& column, int highest) const {
  const double value = number(column);
  if (value != std::floor(value) || value > highest) {
    fail(fmt::format("{}: {} is not a whole number from 1 to {}", column, value, highest));
  }
  return static_cast<int>(value);
}

std::optional<double> CsvRow::known(const std::string& column) const {
  if (text(column) == "-") return std::nullopt;
  return number(column);
}

std::vector<CsvRow> parse_csv(std::string_view text, const std::filesystem::path& file,
                              std::span<const std::string_view> columns,
                              std::span<const std::string_view> optional) {
  const std::string name = printable_path(file);
  if (text.size() > kMostInputBytes) {
    throw InputError(name + ": is larger than 1 MiB; is it the right file?");
  }
  std::vector<CsvRow> rows;
  std::vector<std::string> header;
  std::string header_place;
  std::vector<std::string> problems;
  int number = 0;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";  // spreadsheets begin a file so
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trimmed(line).empty() || line.front() == '#') continue;
    const std::string place = fmt::format("{}:{}:1: ", name, number);
    const std::vector<std::string> fields = fields_of(line);
    if (header.empty()) {
      header = fields;
      header_place = place;
      refuse_repeated(header, place);
      if (columns.empty() || is_header(header, columns, optional)) continue;
      throw InputError(fmt::format(
          "{}is not the header; write {}{}", place, joined(columns, ","),
          optional.empty() ? "" : fmt::format(", and after them any of {}", joined(optional))));
    }
    if (fields.size() != header.size()) {
      problems.push_back(fmt::format("{}{} field{} for {} column{}", place, fields.size(),
                                     fields.size() == 1 ? "" : "s", header.size(),
                                     header.size() == 1 ? "" : "s"));
      continue;
    }
    std::map<std::string, std::string> by_name;
    for (std::size_t i = 0; i < fields.size(); ++i) by_name[header[i]] = fields[i];
    rows.emplace_back(place, header_place, std::move(by_name));
  }
  throw_problems(name, problems);
  if (header.empty() && !columns.empty()) {
    throw InputError(fmt::format("{}:1:1: is empty; write {} and a line for each size", name,
                                 joined(columns, ",")));
  }
  if (rows.empty() && !columns.empty()) {
    throw InputError(header_place + "is followed by no line; write one for each size");
  }
  return rows;
}

std::vector<CsvRow> read_csv(const std::filesystem::path& file) {
  return parse_csv(read_input_text(file), file);
}

}  // namespace sim
