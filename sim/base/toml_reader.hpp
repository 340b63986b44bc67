// SPDX-License-Identifier: Apache-2.0
// TomlReader: typed access to a TOML document. It records every problem instead of stopping at the
// first, and every key that was read, so that one run reports everything wrong, missing or unknown.
#pragma once

#include <any>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/base/toml_keys.hpp"

namespace sim {

// Allowed values of a number; both ends are included, except 0 with `above_zero`.
struct IntegerRange {
  std::int64_t lowest = 0;
  std::int64_t highest = std::numeric_limits<int>::max();
};
struct NumberRange {
  double lowest = 0;
  double highest = 0;
  bool above_zero = false;
};
inline constexpr NumberRange kShare{.lowest = 0, .highest = 1, .above_zero = true};

enum class Zero { allowed, refused };

// Such values in the list of keys: "whole number from 1 to 8", "number above 0 and at most 1".
[[nodiscard]] std::string value_words(const IntegerRange& range);
[[nodiscard]] std::string value_words(const NumberRange& range);
// "bandwidth above 0", "time".
template <class T>
[[nodiscard]] std::string value_words(Zero zero) {
  return std::string(quantity_noun<T>()) + (zero == Zero::refused ? " above 0" : "");
}

// Keys are dotted ("network.nic_bandwidth"). Reading a missing or wrong key records the problem and
// returns a meaningless value; finish() throws before anyone can use it. Code that decides on other
// keys by one key's value checks is_good() first.
class TomlReader {
 public:
  // With a table of keys, reading a key that has no row there, or as a value other than its row's,
  // is a bug.
  explicit TomlReader(TomlDocument document, std::span<const TomlKey> keys = {})
      : document_(std::move(document)), keys_(keys) {}

  [[nodiscard]] std::string text(std::string_view key);
  [[nodiscard]] bool boolean(std::string_view key);
  // A number may also be a string, as people write numbers: "2T", "2 %", "2:1" (number_text.hpp).
  [[nodiscard]] std::int64_t integer(std::string_view key, const IntegerRange& range);
  [[nodiscard]] double number(std::string_view key, const NumberRange& range);
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key, const IntegerRange& range);
  // A list of numbers, or a single number.
  [[nodiscard]] std::vector<double> numbers(std::string_view key, const NumberRange& range);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);
  template <class T>
  [[nodiscard]] T quantity(std::string_view key, Zero zero = Zero::refused);
  // `remark` ends the message about a name that is close to none of `names`.
  template <class E>
  [[nodiscard]] E one_of(std::string_view key, std::span<const EnumName<E>> names,
                         std::string_view remark = {});
  // Of a registry's rows, by name.
  template <class Row>
  [[nodiscard]] const Row* one_of(std::string_view key, std::span<const Row* const> rows,
                                  std::string_view remark = {});

  // True if the document has the key. Also marks the key as known, so an optional key is read by
  // `if (reader.has(key)) ... reader.number(key)`.
  [[nodiscard]] bool has(std::string_view key);
  // True if the document has the key and nothing has been wrong with it so far.
  [[nodiscard]] bool is_good(std::string_view key) const;
  // True if the key is neither missing nor wrong so far; a key that may be left out may be.
  [[nodiscard]] bool is_settled(std::string_view key) const;

  // Records a problem with a key or table in the document: "24 does not divide 100; write a
  // divisor".
  void wrong(std::string_view key, std::string_view what);
  // If the document has the key, this reason is recorded as an error: "does not apply with ...".
  void inapplicable(std::string_view key, std::string_view why);
  // Whether to read `key`, which applies only with some values of `chooser`, a key read earlier;
  // with other values it is an error. If the chooser itself is wrong, `key` is read all the same,
  // so that its own errors are reported.
  [[nodiscard]] bool applies(std::string_view key, std::string_view chooser, bool goes_with_it);
  // A line located in another file that this one names; it is printed last.
  void elsewhere(std::string_view line) {
    problems_.push_back({{.line = std::numeric_limits<std::uint32_t>::max()}, std::string(line)});
  }
  // Where this table is missing: what may be written in its place, as the end of the message, e.g.
  // "write times = \"roofline\" before the first table".
  void alternative(std::string_view table, std::string_view remedy) {
    alternatives_.emplace(table, remedy);
  }
  // Allows the table to stand in the document without any of its keys.
  void optional_table(std::string_view table) { known_tables_.emplace(table); }

  // What reading some keys takes besides the document, such as where other files lie.
  std::any context;

  // The names of the tables inside `table`, sorted: "east" and "west" for [sites.east] and
  // [sites.west]. Their keys still have to be read.
  [[nodiscard]] std::vector<std::string> tables_in(std::string_view table);
  // The leaves inside `table`, sorted, for tables whose keys may have any name. They still have to
  // be read.
  [[nodiscard]] std::vector<std::string> keys_in(std::string_view table);
  // True if the document has the table. Also marks it as known.
  [[nodiscard]] bool has_table(std::string_view table);
  // The file's name in messages.
  [[nodiscard]] const std::string& file() const { return document_.file; }
  // True if nothing has been missing or wrong so far.
  [[nodiscard]] bool all_good() const { return problems_.empty() && missing_.empty(); }

  // Throws one InputError with a line for each problem, in the order of the file, unless there is
  // none. Keys of the document that were never read are problems too.
  void finish();

 private:
  struct Problem {
    TomlPlace place;
    std::string line;
  };
  // How a key gives a number.
  template <class T>
  struct NumberForm {
    std::string_view noun, example;  // for messages
    std::optional<T> (*get)(const TomlScalar&) = nullptr;
    Parsed<T> (*parse)(std::string_view text, Counting, std::string_view example) = nullptr;
    Counting counting = Counting::small;
  };

  // The value; if it is missing, records that and returns nullptr.
  const TomlValue* find(std::string_view key);
  // Holds the table of keys to what is asked.
  void expect(std::string_view key, std::string_view value) const;
  std::string text_in(std::string_view key);
  // The number; if it is missing or none, records that.
  template <class T>
  std::optional<T> number_at(std::string_view key, const NumberForm<T>& form);
  double number_in(std::string_view key, const NumberRange& range);
  template <class T>
  const T* find_as(std::string_view key, std::string_view wanted);
  // The elements of a list of one kind, each converted by `get`.
  template <class T>
  std::vector<T> list(std::string_view key, std::optional<T> (*get)(const TomlScalar&),
                      std::string_view wanted);
  // A number as written, without a unit; for any other value, its kind.
  static std::string bare_text(const TomlScalar& value);
  void none_of(std::string_view key, std::string_view given,
               std::span<const std::string_view> known, std::string_view remark);
  // The key's own example; empty: what is usual for such values.
  [[nodiscard]] std::string_view example_of(std::string_view key) const;
  void check_range(std::string_view key, std::int64_t value, const IntegerRange& range);
  void check_range(std::string_view key, double value, const NumberRange& range);
  void note(const TomlPlace& place, std::string_view key, std::string_view what);
  void note_missing();
  void note_unknown();
  std::string suggestion(std::string_view key) const;

  TomlDocument document_;
  std::span<const TomlKey> keys_;
  std::set<std::string, std::less<>> known_;
  std::set<std::string, std::less<>> known_tables_;
  std::set<std::string, std::less<>> bad_;
  std::map<std::string, std::string, std::less<>> alternatives_;
  std::vector<std::string> missing_;
  std::vector<Problem> problems_;
};

template <class T>
T TomlReader::quantity(std::string_view key, Zero zero) {
  expect(key, value_words<T>(zero));
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* scalar = std::get_if<TomlScalar>(value);
  const std::string* text = scalar != nullptr ? std::get_if<std::string>(scalar) : nullptr;
  // A bare number is reported as lacking a unit, with the unit to write.
  std::string given;
  if (text != nullptr) given = *text;
  if (text == nullptr && scalar != nullptr) given = bare_text(*scalar);
  const Parsed<T> parsed = parse_quantity<T>(given, example_of(key));
  if (!parsed.value) {
    wrong(key, parsed.problem);
    return {};
  }
  if (zero == Zero::refused && *parsed.value == T{}) wrong(key, "is 0; write more than 0");
  return *parsed.value;
}

template <class E>
E TomlReader::one_of(std::string_view key, std::span<const EnumName<E>> names,
                     std::string_view remark) {
  expect(key, "one of " + joined(names_of(names)));
  const std::string given = text_in(key);
  if (const auto value = value_named(given, names)) return *value;
  if (is_good(key)) none_of(key, given, names_of(names), remark);
  return names.front().value;
}

template <class Row>
const Row* TomlReader::one_of(std::string_view key, std::span<const Row* const> rows,
                              std::string_view remark) {
  std::vector<EnumName<const Row*>> names;
  for (const Row* row : rows) names.push_back({row->name, row});
  return one_of<const Row*>(key, std::span<const EnumName<const Row*>>(names), remark);
}

}  // namespace sim
