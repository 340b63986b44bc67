// SPDX-License-Identifier: Apache-2.0
// What ships and what files may hold, as tables: `list` prints them as text and as JSON, from which
// the reference is made.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

struct Listing {
  std::string_view name;  // of the JSON: "schemes_between_sites"
  std::string heading;    // what the lines are
  std::vector<std::string_view> columns;
  std::vector<std::vector<std::string>> rows;
  std::string_view line;  // a format string of all columns
  // The same of lines above a row where they differ from those of the row before, outermost first.
  std::vector<std::string_view> above = {};
};

struct Section {
  std::string_view name;
  bool always;  // whether `list` alone prints it
  std::vector<Listing> (*listings)();
};

[[nodiscard]] std::span<const Section> catalogue();

// The keys that files may hold, and the units of their values.
[[nodiscard]] std::vector<Listing> key_listings();
[[nodiscard]] std::vector<Listing> unit_listings();
// What reports hold.
[[nodiscard]] std::vector<Listing> figure_listings();

}  // namespace apps
