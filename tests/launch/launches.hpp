// SPDX-License-Identifier: Apache-2.0
// Launch files in memory, as tests write them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/launch/launch.hpp"

namespace sim::launch {

// "(none)" where the document has no such key.
inline std::string value_of(const Document& document, std::string_view key) {
  const Entry* entry = find(document, key);
  return entry == nullptr ? "(none)" : entry->value;
}

inline std::string field_of(const Launch& launch, std::string_view name) {
  for (const auto* fields : {&launch.fields, &launch.model}) {
    const auto found = std::ranges::find(*fields, name, &Field::name);
    if (found != fields->end()) return found->fact.value;
  }
  return "(none)";
}

// What is wrong with it; fails the test where nothing is.
template <class Read>
std::string refusal(const Read& read) {
  try {
    static_cast<void>(read());
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "is not refused";
  return "";
}

}  // namespace sim::launch
