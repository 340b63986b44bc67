// SPDX-License-Identifier: Apache-2.0
// Fields of layout and software: a row for each, beside the member that it sets. The flags of a job
// with their help, the reader of what is given and the writer of what differs come from the rows.
#pragma once

#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/base/fields.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/stacks.hpp"

namespace sim {

struct ParallelismField {
  enum class Kind { text, count, long_count, number };
  std::string_view name;
  std::string_view meaning;  // names other fields in backticks, as `usual` does
  Usual usual = kUsualValue;
  Kind kind = Kind::text;  // a number is checked before files are read
  NumberRange range = {};
  std::string_view beyond = {};  // what is wrong with other values
  // Throws InputError.
  void (*read)(const ParallelismField& row, const std::string& text, Parallelism& into) = nullptr;
  // Empty if there is no value. Null for a field that is not written.
  std::string (*write)(const ParallelismField& row, const Parallelism& from) = nullptr;
  // Why the field cannot be given beside the others, which are read first; empty if it can.
  std::string_view (*misfit)(const Parallelism& of) = nullptr;
  // The values of one that is chosen among some; null of others.
  std::vector<std::string> (*choices)() = nullptr;
  bool first_day = false;        // one of the few that a short help shows
  std::string_view before = {};  // the row that it is written before; empty: where it stands

  template <auto member, class V>
  [[nodiscard]] constexpr ParallelismField with(V value) const {
    ParallelismField row = *this;
    row.*member = value;
    return row;
  }
};
using ParallelismFields = std::span<const ParallelismField>;
[[nodiscard]] ParallelismFields parallelism_fields();

[[noreturn]] void refuse(const ParallelismField& row, std::string_view what);

template <class V>
V number_of(const ParallelismField& row, const std::string& text) {
  const auto value = number_in<V>(text);
  const auto number = static_cast<double>(value.value_or(0));
  if (value && number >= row.range.lowest && number <= row.range.highest) return *value;
  refuse(row, fmt::format("{} {}", printable(text), value ? row.beyond : "is not a number"));
}
constexpr Usual usual_of(std::string_view words) {
  return words.empty() ? kUsualValue : left_out(words);
}
inline constexpr NumberRange kFromOne = from_to(1, std::numeric_limits<double>::max());

// A row for a whole number or a factor. One outside the range stands for no value. Without words for
// what is usual it is the value that the struct has.
template <auto outer, auto... inner>
constexpr ParallelismField number_field(std::string_view name, std::string_view meaning,
                                        std::string_view usual = {},
                                        const NumberRange& range = kFromOne,
                                        std::string_view beyond = "is less than 1") {
  using V = field_values::ValueOf<outer, inner...>;
  ParallelismField row{.name = name, .meaning = meaning, .usual = usual_of(usual)};
  row.kind =
      std::is_same_v<V, int> ? ParallelismField::Kind::count : ParallelismField::Kind::number;
  row.range = range;
  row.beyond = beyond;
  row.read = [](const auto& of, const std::string& text, auto& into) {
    field_values::slot<outer, inner...>(into) = number_of<V>(of, text);
  };
  row.write = [](const auto& of, const auto& from) {
    const V value = field_values::slot<outer, inner...>(from);
    return value < of.range.lowest ? "" : fmt::format("{}", value);
  };
  return row;
}

// A row for one of a table's values (EnumName).
template <auto& names, auto... path>
constexpr ParallelismField choice_field(std::string_view name, std::string_view meaning,
                                        std::string_view usual = {}) {
  ParallelismField row{.name = name, .meaning = meaning, .usual = usual_of(usual)};
  row.choices = [] {
    std::vector<std::string> all;
    for (const auto& one : names) all.emplace_back(one.name);
    return all;
  };
  row.read = [](const auto& of, const std::string& text, auto& into) {
    field_values::slot<path...>(into) = chosen(fmt::format("`{}`", of.name), text, names);
  };
  row.write = [](const auto&, const auto& from) {
    return std::string(name_of(field_values::slot<path...>(from), names));
  };
  return row;
}

// The value that a list of the fields shows, or the words for it.
[[nodiscard]] std::string usual_text(const ParallelismField& row);

// Texts by the names of fields. What is not among them is usual.
using GivenFields = std::map<std::string_view, std::string>;
// Reads into a struct that has what is usual. Throws InputError.
void read_given(ParallelismFields rows, const GivenFields& given, Parallelism& into);

// The stage of ZeRO that is given, or that of a given stack.
[[nodiscard]] std::optional<int> stage_of(const GivenFields& given);
// What is not given.
[[nodiscard]] OpenSoftware open_software(const GivenFields& given);
[[nodiscard]] Parallelism parallelism_of(const GivenFields& given);
// The accumulation that is given, or that a given global batch implies for `replicas`, the number of
// replicas in a step.
[[nodiscard]] int accumulation_of(const GivenFields& given, const Parallelism& read, int replicas);

// The fields in which `b` differs from `a`: "`zero` 3 `overlap` all". Empty if they are equal.
[[nodiscard]] std::string changed_fields(const Parallelism& a, const Parallelism& b,
                                         ParallelismFields rows = parallelism_fields());

}  // namespace sim
