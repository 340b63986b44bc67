// SPDX-License-Identifier: Apache-2.0
// Fields: a row for each key of a table, beside the member that the key sets. The reader, the
// writer, the list of keys and what is suggested for misspelt keys come from the rows. A key that is
// left out leaves in the struct what it had before, or what the row's `fill` makes of others.
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/field_values.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/toml_reader.hpp"

namespace sim {

// What a table without the key means.
struct Usual {
  enum class Needed { never, written, always, with, without };
  std::string_view words = {};  // in the list of keys; empty: the key is required
  Needed needed = Needed::never;
  std::string_view other = {};  // key of the same table, for `with` and `without`
  bool is_value = false;        // the list of keys shows the value that the struct has
};
inline constexpr Usual kRequired{.needed = Usual::Needed::always};
// The value that the struct has.
inline constexpr Usual kUsualValue{.is_value = true};
constexpr Usual left_out(std::string_view words) { return {.words = words}; }
// Written all the same.
constexpr Usual written_out(std::string_view words) { return {words, Usual::Needed::written}; }
// Needed wherever the row applies.
constexpr Usual needed(std::string_view words) { return {words, Usual::Needed::always}; }
// Needed beside the other key, unless the struct has a value.
constexpr Usual needed_with(std::string_view other, std::string_view words) {
  return {words, Usual::Needed::with, other};
}
constexpr Usual needed_without(std::string_view other) {
  return {{}, Usual::Needed::without, other};
}

// A key goes with some values of another key of its table, the chooser.
template <class T>
struct Condition {
  std::string_view chooser = {};
  bool (*holds)(const T& so_far, std::string_view name) = nullptr;
  // What to say of a key that does not go with it. Empty, of a chooser that is required: that it does
  // not apply with the chooser's value.
  std::string_view why = {};
  // The same of a struct that is there, after its name: "has no ring".
  std::string_view lack = {};
};

template <class T>
struct Field {
  std::string_view name;  // without its table
  NumberRange range = {};
  Usual usual = kRequired;
  std::string_view meaning = {};
  std::string_view example = {};
  std::string_view subject = {};                       // stands for {} in the meaning
  std::string_view remark = {};                        // TomlReader::one_of()'s
  std::string (*value)(const NumberRange&) = nullptr;  // "bandwidth above 0"
  // Null for a key that other code reads.
  void (*read)(TomlReader& reader, std::string_view key, const Field& row, T& into) = nullptr;
  // As TOML; empty if the struct has no value. Null for a key that nobody writes.
  std::string (*write)(const T& from, const NumberRange& range) = nullptr;
  std::array<Condition<T>, 3> conditions = {};
  // In place of usual.needed.
  bool (*is_needed)(TomlReader& reader, const T& so_far) = nullptr;
  void (*fill)(T& into) = nullptr;  // what is usual, from the fields before it
  bool presets = false;             // reading it sets what is usual for the rows after it
  std::string_view setting = {};    // its name as a setting of a struct that is there, if it is one
  // What such a struct lacks for it, besides the conditions; empty: nothing.
  std::string_view (*lack)(const T& of) = nullptr;

  [[nodiscard]] constexpr Field only(const Condition<T>& condition) const {
    Field row = *this;
    for (Condition<T>& one : row.conditions) {
      if (one.holds != nullptr) continue;
      one = condition;
      return row;
    }
    throw "a row has three conditions at most";
  }
  [[nodiscard]] constexpr Field needed_if(bool (*condition)(TomlReader&, const T&)) const {
    Field row = *this;
    row.is_needed = condition;
    return row;
  }
  [[nodiscard]] constexpr Field filled_by(void (*function)(T&)) const {
    Field row = *this;
    row.fill = function;
    return row;
  }
  // A setting too, by the same name.
  [[nodiscard]] constexpr Field settable() const {
    Field row = *this;
    row.setting = name;
    return row;
  }
  [[nodiscard]] constexpr Field lacking(std::string_view (*function)(const T&)) const {
    Field row = *this;
    row.lack = function;
    return row;
  }
  // Ends the message about a name that is close to none.
  [[nodiscard]] constexpr Field remarking(std::string_view text) const {
    Field row = *this;
    row.remark = text;
    return row;
  }
};

// A row for a member, or for a member of a member, which may be optional:
// field<&Network::ll, &LinkPace::latency>("ll_latency", ...). The member's type is the kind of value.
template <auto outer, auto... inner>
constexpr auto field(std::string_view name, const NumberRange& range, const Usual& usual,
                     std::string_view meaning, std::string_view example = {}) {
  using T = typename field_values::Member<decltype(outer)>::Class;
  using Value = field_values::ValueOf<outer, inner...>;
  return Field<T>{.name = name,
                  .range = range,
                  .usual = usual,
                  .meaning = meaning,
                  .example = example,
                  .value = field_values::words<Value>,
                  .read =
                      [](TomlReader& reader, std::string_view key, const Field<T>& row, T& into) {
                        field_values::slot<outer, inner...>(into) =
                            field_values::read<Value>(reader, key, row.range);
                      },
                  .write = [](const T& from, const NumberRange& allowed) -> std::string {
                    const auto* value = field_values::found<outer, inner...>(from);
                    return value == nullptr ? "" : field_values::text(*value, allowed);
                  }};
}

// A row for a member, or for a member of a member, that is one of a table's values (EnumName) or of a
// registry's rows.
template <auto outer, auto& names, auto... inner>
constexpr auto choice(std::string_view name, const Usual& usual, std::string_view meaning) {
  using T = typename field_values::Member<decltype(outer)>::Class;
  return Field<T>{
      .name = name,
      .usual = usual,
      .meaning = meaning,
      .value = [](const NumberRange&) { return field_values::one_of(name_table(names)); },
      .read =
          [](TomlReader& reader, std::string_view key, const Field<T>& row, T& into) {
            field_values::slot<outer, inner...>(into) =
                reader.one_of(key, name_table(names), row.remark);
          },
      .write =
          [](const T& from, const NumberRange&) {
            return field_values::name_text(field_values::slot<outer, inner...>(from),
                                           name_table(names));
          }};
}

template <class T>
constexpr std::array<Field<T>, 1> as_rows(const Field<T>& row) {
  return {row};
}
template <class T, std::size_t N>
constexpr std::array<Field<T>, N> as_rows(const std::array<Field<T>, N>& rows) {
  return rows;
}
// Rows, and arrays of rows that belong together, as one array.
template <class... Rows>
constexpr auto joined_rows(const Rows&... rows) {
  return std::apply([](const auto&... row) { return std::array{row...}; },
                    std::tuple_cat(as_rows(rows)...));
}

// "network.fabric"; the keys before the first table have none.
[[nodiscard]] std::string dotted(std::string_view table, std::string_view name);

// Whether to read the key, unless it is wrong already. While a chooser is wrong or missing, a key that
// is given is read, so that its own errors are reported.
template <class T>
bool applies(TomlReader& reader, std::string_view table, const Field<T>& row, const T& so_far) {
  const std::string key = dotted(table, row.name);
  if (!reader.is_settled(key)) return false;
  for (const Condition<T>& condition : row.conditions) {
    if (condition.holds == nullptr) continue;
    const std::string chooser = dotted(table, condition.chooser);
    if (!reader.is_settled(chooser)) return reader.has(key);
    if (condition.holds(so_far, row.name)) continue;
    if (condition.why.empty()) return reader.applies(key, chooser, false);
    reader.inapplicable(key, condition.why);
    return false;
  }
  return true;
}

// What a struct that is there lacks for a setting; empty: nothing.
template <class T>
std::string_view lack_of(const Field<T>& row, const T& of) {
  const std::string_view own = row.lack == nullptr ? std::string_view() : row.lack(of);
  if (!own.empty()) return own;
  for (const Condition<T>& condition : row.conditions) {
    if (condition.holds != nullptr && !condition.holds(of, row.name)) return condition.lack;
  }
  return {};
}

// Reads a table into a struct that has what is usual.
template <class T>
void read_fields(TomlReader& reader, std::string_view table,
                 std::type_identity_t<std::span<const Field<T>>> rows, T& into) {
  T usual = into;
  const auto is_needed = [&](const Field<T>& row) {
    if (row.is_needed != nullptr) return row.is_needed(reader, into);
    const auto other = [&] { return reader.has(dotted(table, row.usual.other)); };
    switch (row.usual.needed) {
      case Usual::Needed::never:
      case Usual::Needed::written:
        return false;
      case Usual::Needed::always:
        return true;
      case Usual::Needed::with:
        return other() && row.write(usual, row.range).empty();
      case Usual::Needed::without:
        return !other();
    }
    return false;
  };
  for (const Field<T>& row : rows) {
    const std::string key = dotted(table, row.name);
    if (row.read == nullptr) continue;
    if (applies(reader, table, row, into) && (reader.has(key) || is_needed(row))) {
      row.read(reader, key, row, into);
      if (row.presets) usual = into;
    } else if (row.fill != nullptr) {
      row.fill(into);
    }
  }
}

struct KeyAndValue {
  std::string_view name;  // as a row's
  std::string value;
};
// The lines of a table, its own before those of tables inside it. A name for it begins them.
[[nodiscard]] std::string table_lines(std::string_view table, std::vector<KeyAndValue> keys);

// The same, without keys whose values are usual.
template <class T>
[[nodiscard]] std::string written_fields(std::type_identity_t<std::span<const Field<T>>> rows,
                                         const T& from, const T& usual,
                                         std::string_view table = {}) {
  std::vector<KeyAndValue> keys;
  for (const Field<T>& row : rows) {
    const bool applies = std::ranges::all_of(row.conditions, [&](const Condition<T>& condition) {
      return condition.holds == nullptr || condition.holds(from, row.name);
    });
    if (!applies || row.write == nullptr) continue;
    T without = usual;
    if (row.fill != nullptr) row.fill(without = from);
    const bool may_lack =
        row.usual.needed != Usual::Needed::always && row.usual.needed != Usual::Needed::written;
    std::string value = row.write(from, row.range);
    if (value.empty() || (may_lack && value == row.write(without, row.range))) continue;
    keys.push_back({row.name, std::move(value)});
  }
  return table_lines(table, std::move(keys));
}

// Rows of several tables as one list of keys: KeyTable().add("gpu", rows, Gpu()).add(...).
class KeyTable {
 public:
  KeyTable() = default;
  KeyTable(KeyTable&&) = default;  // no copies: keys_ would point to the texts of another
  // `usual` has the values that are usual.
  template <class T>
  KeyTable&& add(std::string_view table, std::type_identity_t<std::span<const Field<T>>> rows,
                 const T& usual) && {
    for (const Field<T>& row : rows) {
      add_row({dotted(table, row.name), row.value(row.range),
               row.usual.is_value ? row.write(usual, row.range) : std::string(row.usual.words),
               meaning_of(row.meaning, row.subject)},
              row.example);
    }
    return std::move(*this);
  }
  [[nodiscard]] std::span<const TomlKey> keys() const { return keys_; }

 private:
  struct Texts {
    std::string key, value, usual, meaning;
  };
  static std::string meaning_of(std::string_view meaning, std::string_view subject);
  void add_row(Texts texts, std::string_view example);

  std::deque<Texts> texts_;  // that keys_ points to
  std::vector<TomlKey> keys_;
};

// A rule over several fields. It is checked if all of its keys are settled, so that a wrong value
// gives one message, and speaks only about a key that the file has. Keys are without the table that
// check_rules() is given, or full if that is "".
template <class T>
struct Rule {
  std::string_view key;                       // that is to blame
  std::string_view others[8] = {};            // that it rests on
  std::string (*broken)(const T&) = nullptr;  // what is wrong; empty: nothing
};

template <class T>
void check_rules(TomlReader& reader, std::string_view table,
                 std::type_identity_t<std::span<const Rule<T>>> rules, const T& of) {
  for (const Rule<T>& rule : rules) {
    const std::string key = dotted(table, rule.key);
    bool settled = reader.is_good(key);
    for (const std::string_view other : rule.others) {
      settled = settled && reader.is_settled(dotted(table, other));
    }
    if (!settled) continue;
    const std::string problem = rule.broken(of);
    if (!problem.empty()) reader.wrong(key, problem);
  }
}

}  // namespace sim
