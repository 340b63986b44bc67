// SPDX-License-Identifier: Apache-2.0
// Whether a scheme file is about the inside of a site or about what sites exchange.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"
#include "sim/schemes/scheme_keys.hpp"

namespace sim {
namespace {

// Whether the key, or the table, belongs to a scheme within a site.
bool is_inside(std::string_view key) {
  constexpr std::array<std::string_view, 5> tables{"zero", "weights", "gradients", "activations",
                                                   "overlap"};
  return std::ranges::find(tables, key.substr(0, key.find('.'))) != tables.end();
}

}  // namespace

bool is_between_sites(const TomlDocument& document) {
  return document.tables.contains("between_sites") ||
         std::ranges::any_of(document.leaves, [](const auto& leaf) {
           return leaf.first.starts_with("between_sites.");
         });
}

void refuse_mixture(const TomlDocument& document) {
  const TomlPlace* first = nullptr;
  std::string name;
  const auto note = [&](const std::string& wrong, const TomlPlace& place) {
    if (first != nullptr &&
        std::pair(first->line, first->column) <= std::pair(place.line, place.column)) {
      return;
    }
    first = &place;
    name = wrong;
  };
  for (const auto& [table, place] : document.tables) {
    if (is_inside(table)) note(fmt::format("[{}]", table), place);
  }
  for (const auto& [key, leaf] : document.leaves) {
    if (is_inside(key)) note(key, leaf.place);
  }
  if (first == nullptr) return;
  throw InputError(
      fmt::format("{}:{}:{}: {}: applies within a site, but [between_sites] makes this a scheme "
                  "between sites; remove one of them, and give the scheme within a site a file of "
                  "its own",
                  document.file, first->line, first->column, name));
}

}  // namespace sim
