// SPDX-License-Identifier: Apache-2.0
// Values of fields by their C++ type: how a file gives them, and how they are read and written. For
// sim/base/fields.hpp alone.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/base/toml_reader.hpp"
#include "sim/base/units.hpp"

namespace sim {

// Values of quantities from 0, and of everything that has no range.
inline constexpr NumberRange kAny{};
inline constexpr NumberRange kAboveZero{.above_zero = true};
constexpr NumberRange from_to(double lowest, double highest) { return {lowest, highest}; }
constexpr NumberRange from_to(const IntegerRange& range) {
  return {static_cast<double>(range.lowest), static_cast<double>(range.highest)};
}

template <class E, std::size_t N>
constexpr std::span<const EnumName<E>> name_table(const EnumName<E> (&names)[N]) {
  return names;
}
template <class Row>
std::span<const Row* const> name_table(std::span<const Row* const> (&rows)()) {
  return rows();
}

namespace field_values {

template <class Pointer>
struct Member;
template <class C, class V>
struct Member<V C::*> {
  using Class = C;
  using Value = V;
};

template <class V>
V& opened(V& part) {
  return part;
}
template <class V>
V& opened(std::optional<V>& part) {
  return part ? *part : part.emplace();
}
template <class V>
const V* present(const V& part) {
  return &part;
}
template <class V>
const V* present(const std::optional<V>& part) {
  return part ? &*part : nullptr;
}

// The member that the path leads to; optional members on the way are filled.
template <auto outer, auto... inner, class T>
auto& slot(T& of) {
  if constexpr (sizeof...(inner) == 0) {
    return of.*outer;
  } else {
    return slot<inner...>(opened(of.*outer));
  }
}

// The value that the path leads to; null if there is none.
template <auto outer, auto... inner, class T>
auto found(const T& of) {
  const auto* part = present(of.*outer);
  if constexpr (sizeof...(inner) == 0) {
    return part;
  } else {
    using Found = decltype(found<inner...>(*part));
    return part == nullptr ? Found{} : found<inner...>(*part);
  }
}

// What the path leads to, without its optional.
template <auto outer, auto... inner>
using ValueOf = std::remove_cvref_t<decltype(*found<outer, inner...>(
    std::declval<const typename Member<decltype(outer)>::Class&>()))>;

inline IntegerRange whole(const NumberRange& range) {
  return {static_cast<std::int64_t>(range.lowest), static_cast<std::int64_t>(range.highest)};
}
inline Zero zero_of(const NumberRange& range) {
  return range.above_zero ? Zero::refused : Zero::allowed;
}

template <class V>
inline constexpr bool kIsCount = std::is_integral_v<V> && !std::is_same_v<V, bool>;
using Texts = std::vector<std::string>;
using Counts = std::vector<int>;

// As the list of keys words it.
template <class V>
std::string words(const NumberRange& range) {
  if constexpr (std::is_same_v<V, std::string>) {
    return "string";
  } else if constexpr (std::is_same_v<V, bool>) {
    return "true or false";
  } else if constexpr (std::is_same_v<V, double>) {
    return value_words(range);
  } else if constexpr (kIsCount<V>) {
    return value_words(whole(range));
  } else if constexpr (std::is_same_v<V, Texts>) {
    return "list of strings";
  } else if constexpr (std::is_same_v<V, Counts>) {
    return "list of whole numbers";
  } else {
    return value_words<V>(zero_of(range));
  }
}

template <class V>
V read(TomlReader& reader, std::string_view key, const NumberRange& range) {
  if constexpr (std::is_same_v<V, std::string>) {
    return reader.text(key);
  } else if constexpr (std::is_same_v<V, bool>) {
    return reader.boolean(key);
  } else if constexpr (std::is_same_v<V, double>) {
    return reader.number(key, range);
  } else if constexpr (kIsCount<V>) {
    return static_cast<V>(reader.integer(key, whole(range)));
  } else if constexpr (std::is_same_v<V, Texts>) {
    return reader.texts(key);
  } else if constexpr (std::is_same_v<V, Counts>) {
    const auto counts = reader.integers(key, whole(range));
    return Counts(counts.begin(), counts.end());
  } else {
    return reader.quantity<V>(key, zero_of(range));
  }
}

// As TOML, so that reading it gives the same value; empty for what the range does not allow, which
// stands for no value.
std::string text(const std::string& value, const NumberRange& range);
std::string text(bool value, const NumberRange& range);
std::string text(double value, const NumberRange& range);
std::string text(std::int64_t value, const NumberRange& range);
std::string text(const Texts& value, const NumberRange& range);
std::string text(const Counts& value, const NumberRange& range);
inline std::string text(int value, const NumberRange& range) {
  return text(std::int64_t{value}, range);
}
inline std::string text(std::uint64_t value, const NumberRange& range) {
  return text(static_cast<std::int64_t>(value), range);
}
// The shortest text with a unit that reads as exactly this value.
template <class V>
std::string exact_text(V value);
template <class Dimension>
std::string text(Quantity<Dimension> value, const NumberRange& range) {
  return range.above_zero && value.base() == 0 ? "" : exact_text(value);
}
inline std::string text(Bytes value, const NumberRange& range) {
  return range.above_zero && value.count == 0 ? "" : exact_text(value);
}

template <class E>
std::string one_of(std::span<const EnumName<E>> names) {
  return "one of " + joined(names_of(names));
}
template <class Row>
std::string one_of(std::span<const Row* const> rows) {
  std::vector<std::string_view> names;
  for (const Row* row : rows) names.push_back(row->name);
  return "one of " + joined(names);
}

template <class V, class E>
std::string name_text(const V& value, std::span<const EnumName<E>> names) {
  for (const EnumName<E>& one : names) {
    if (value == one.value) return toml_text(one.name);
  }
  return {};
}
template <class Row>
std::string name_text(const Row* value, std::span<const Row* const>) {
  return value == nullptr ? std::string() : toml_text(value->name);
}

}  // namespace field_values
}  // namespace sim
