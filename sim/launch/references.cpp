// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/references.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "sim/base/number_text.hpp"

namespace sim::launch {
namespace {

constexpr int kMostSteps = 8;                     // of references to references
constexpr std::size_t kMostFollowedBytes = 1024;  // a value with references is short

using Values = std::map<std::string, std::string, std::less<>>;

std::string parent_of(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  return std::string(dot == std::string_view::npos ? "" : key.substr(0, dot));
}

// The key that a reference in `from` names: each dot in front of it goes one level up.
std::string key_named(std::string_view name, std::string_view from) {
  if (!name.starts_with('.')) return std::string(name);
  std::string base = parent_of(from);
  for (name.remove_prefix(1); name.starts_with('.'); name.remove_prefix(1)) base = parent_of(base);
  return base.empty() ? std::string(name) : fmt::format("{}.{}", base, name);
}

// Of "multiply:4, 4096".
std::optional<std::string> computed(std::string_view text) {
  const std::size_t colon = text.find(':'), comma = text.find(',');
  if (colon == std::string_view::npos || comma == std::string_view::npos) return std::nullopt;
  const std::string_view operation = text.substr(0, colon);
  const auto a =
      number_in<std::int64_t>(without_blanks_around(text.substr(colon + 1, comma - colon - 1)));
  const auto b = number_in<std::int64_t>(without_blanks_around(text.substr(comma + 1)));
  std::int64_t product = 0;
  if (!a || !b) return std::nullopt;
  if (operation == "multiply" && !__builtin_mul_overflow(*a, *b, &product)) {
    return std::to_string(product);
  }
  if (operation.starts_with("divide") && *b > 0 && *a % *b == 0) return std::to_string(*a / *b);
  return std::nullopt;
}

// Of a key of the document; or of one below the name under which other files include this one, as
// NeMo's "training.model.hidden_size".
std::optional<std::string> value_named(std::string_view key, const Values& values) {
  auto found = values.find(key);
  if (found == values.end() && key.find('.') != std::string_view::npos) {
    found = values.find(key.substr(key.find('.') + 1));
  }
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

// Replaces the innermost reference that can be followed; false if there is none.
bool follow_one(std::string& text, std::string_view key, const Values& values) {
  for (std::size_t open = text.rfind("${"); open != std::string::npos;
       open = open == 0 ? std::string::npos : text.rfind("${", open - 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) continue;
    const std::string inside = text.substr(open + 2, close - open - 2);
    auto value = computed(inside);
    if (!value) value = value_named(key_named(inside, key), values);
    if (!value || text.size() + value->size() > kMostFollowedBytes) continue;
    text.replace(open, close - open + 1, *value);
    return true;
  }
  return false;
}

}  // namespace

void follow_references(Document& document) {
  Values values;
  for (const Entry& entry : document.entries) values[entry.key] = entry.value;
  for (Entry& entry : document.entries) {
    for (int step = 0; step < kMostSteps && follow_one(entry.value, entry.key, values);) ++step;
  }
}

}  // namespace sim::launch
