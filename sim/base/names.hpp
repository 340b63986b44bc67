// SPDX-License-Identifier: Apache-2.0
// Names of values, and what messages need of them: lists, and suggestions for misspelt names.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

// The name among `names` closest to `text`, if insertions, deletions, replacements and swaps of
// neighbours change at most a third of its letters, whose case does not matter; else empty.
[[nodiscard]] std::string_view closest_name(std::string_view text,
                                            std::span<const std::string_view> names);

// "; did you mean NAME, NAME or NAME?": the first few names that begin with `text`, whose case and
// separators do not matter; else the closest one, else the only one that `text` is a part of. Nothing
// if there is none.
[[nodiscard]] std::string suggestion(std::string_view text,
                                     std::span<const std::string_view> names);

// "; did you mean NAME? Known: a, b, c", or "; known: a, b, c" if none of `names` is close.
[[nodiscard]] std::string suggestion_and_list(std::string_view text,
                                              std::span<const std::string_view> names);

// One row of a table that names an enumeration's values, in files or on the command line.
template <class E>
struct EnumName {
  std::string_view name;
  E value;
};

template <class E>
[[nodiscard]] std::optional<E> value_named(std::string_view name,
                                           std::span<const EnumName<E>> names) {
  for (const EnumName<E>& entry : names) {
    if (entry.name == name) return entry.value;
  }
  return std::nullopt;
}

// The name of a value, which must be in the table.
template <class E, std::size_t N>
[[nodiscard]] std::string_view name_of(E value, const EnumName<E> (&names)[N]) {
  for (const EnumName<E>& entry : names) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

template <class E>
[[nodiscard]] std::vector<std::string_view> names_of(std::span<const EnumName<E>> names) {
  std::vector<std::string_view> all;
  for (const EnumName<E>& entry : names) all.push_back(entry.name);
  return all;
}

// "'rign' is not one of: auto, ring; did you mean ring?": of a name that is none of them.
[[nodiscard]] std::string unknown_name(std::string_view name,
                                       std::span<const std::string_view> known);
// Throws an InputError that lists the known names; `place` is where the name was given: a flag or a
// file.
[[noreturn]] void refuse_name(std::string_view place, std::string_view name,
                              std::span<const std::string_view> known);
// The value of a name, which must be in the table.
template <class E, std::size_t N>
[[nodiscard]] E chosen(std::string_view place, std::string_view name,
                       const EnumName<E> (&names)[N]) {
  const std::span<const EnumName<E>> all(names);
  if (const auto value = value_named(name, all)) return *value;
  refuse_name(place, name, names_of(all));
}

// The same of a registry's rows.
template <class Row>
[[nodiscard]] const Row& row_named(std::string_view place, std::string_view name,
                                   std::span<const Row* const> rows) {
  std::vector<std::string_view> names;
  for (const Row* row : rows) {
    if (row->name == name) return *row;
    names.push_back(row->name);
  }
  refuse_name(place, name, names);
}

}  // namespace sim
