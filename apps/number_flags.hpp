// SPDX-License-Identifier: Apache-2.0
// Flags that take numbers, as people write them (sim/base/number_text.hpp).
#pragma once

#include <boost/program_options.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/base/number_text.hpp"

namespace apps {

// T is int, int64_t, uint64_t or double. Throws an InputError at the flag, such as "--tp", for any
// other text, and for numbers that T does not hold.
template <class T>
[[nodiscard]] T flag_number(std::string_view flag, std::string_view text,
                            sim::Counting counting = sim::Counting::small);

using NumberFlag = boost::program_options::typed_value<std::string>;

// A flag whose number `take` is called with, the default's too.
template <class T>
[[nodiscard]] NumberFlag* number_flag(std::string flag, std::function<void(T)> take,
                                      sim::Counting counting = sim::Counting::small) {
  return boost::program_options::value<std::string>()->notifier(
      [flag = std::move(flag), take = std::move(take), counting](const std::string& text) {
        take(flag_number<T>(flag, text, counting));
      });
}
template <class T>
[[nodiscard]] NumberFlag* number_flag(std::string flag, T& into,
                                      sim::Counting counting = sim::Counting::small) {
  return number_flag<T>(
      std::move(flag), [&into](T value) { into = value; }, counting);
}

}  // namespace apps
