// The tables of README.md, for tests that hold them against what `validate` prints.
#pragma once

#include <regex>
#include <string>
#include <vector>

#include "tests/shipped_files.hpp"

inline std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// The cells of every row of a Markdown table, in order.
inline std::vector<std::vector<std::string>> readme_rows() {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : lines_of(text_of(source_directory() / "README.md"))) {
    if (!line.starts_with("|")) continue;
    std::vector<std::string> cells;
    std::istringstream stream(line.substr(1));
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
    rows.push_back(std::move(cells));
  }
  return rows;
}

// The pairs "4.8 / 11.3 %" of the one line that starts with `title`, as shares: mean, worst, ...
inline std::vector<double> readme_errors(const std::string& title) {
  static const std::regex pair("([0-9.]+) / ([0-9.]+) %");
  std::vector<double> errors;
  for (const std::string& line : lines_of(text_of(source_directory() / "README.md"))) {
    if (!line.starts_with("  " + title + " ")) continue;
    for (std::sregex_iterator it(line.begin(), line.end(), pair), end; it != end; ++it) {
      errors.push_back(std::stod((*it)[1]) / 100);
      errors.push_back(std::stod((*it)[2]) / 100);
    }
  }
  return errors;
}
