// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/facts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/printable.hpp"

namespace sim::launch {
namespace {

constexpr double kMostCount = 1e15;

// "4e8" and "1_000" as well.
std::optional<std::int64_t> whole(const std::string& text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits += c;
  }
  if (const auto value = number_in<std::int64_t>(digits)) return value;
  const auto value = number_in<double>(digits);
  if (!value || !(std::abs(*value) <= kMostCount) || *value != std::floor(*value)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

}  // namespace

void refuse(const Fact& fact, std::string_view name, std::string_view what) {
  constexpr std::size_t kMostShown = 80;
  const std::string field =
      name.starts_with("model.") ? fmt::format("`set` {}", name) : fmt::format("`{}`", name);
  throw InputError(fmt::format("{}: {}: '{}' {}; give {} instead", fact.place.text(),
                               printable_line(fact.key, kMostShown),
                               printable_line(fact.value, kMostShown), what, field));
}

void Facts::set(std::string_view name, Fact fact) {
  if (is_given(name)) return;
  facts_.insert_or_assign(std::string(name), std::move(fact));
}

void Facts::assume(std::string_view name, std::string value, std::string why) {
  if (!has(name)) set(name, {std::move(value), std::move(why), {}});
}

void Facts::derive(std::string_view name, std::string value, std::string_view from) {
  const Fact* source = find(from);
  Fact fact = source == nullptr ? Fact{} : *source;
  fact.value = std::move(value);
  set(name, std::move(fact));
}

void Facts::forget(std::string_view name) {
  if (const auto found = facts_.find(name); found != facts_.end()) facts_.erase(found);
}

void Facts::warn(std::string_view name, std::string_view what) {
  const Fact* fact = find(name);
  if (fact == nullptr) return;
  const std::string where =
      fact->place.file.empty()
          ? fact->key
          : fmt::format("{}: {} = {}", fact->place.text(), fact->key, fact->value);
  warnings_.push_back(fmt::format("{}: {}", printable_line(where, 200), what));
}

const Fact* Facts::find(std::string_view name) const {
  const auto found = facts_.find(name);
  return found == facts_.end() ? nullptr : &found->second;
}

bool Facts::is(std::string_view name, std::string_view value) const {
  const Fact* fact = find(name);
  return fact != nullptr && fact->value == value;
}

std::string Facts::text(std::string_view name, std::string_view usual) const {
  const Fact* fact = find(name);
  return fact == nullptr ? std::string(usual) : fact->value;
}

std::optional<std::int64_t> Facts::count(std::string_view name) const {
  const Fact* fact = find(name);
  if (fact == nullptr) return std::nullopt;
  const auto value = whole(fact->value);
  if (value && *value > 0) return value;
  const std::string_view field = name.starts_with('_') ? name.substr(1) : name;
  if (value) refuse(*fact, field, "is not above 0");
  refuse(*fact, field,
         fact->value.find("${") != std::string::npos  ? "refers to what is not in the file"
         : fact->value.find('$') != std::string::npos ? "is known to a running shell alone"
         : fact->value == "auto"                      ? "is filled in when training starts"
                                                      : "is not a whole number");
}

std::int64_t Facts::count_or(std::string_view name, std::int64_t usual) const {
  return count(name).value_or(usual);
}

bool Facts::may_split_tensors() const { return is_given("tp") || count_or("tp", 1) > 1; }

}  // namespace sim::launch
