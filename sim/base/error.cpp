// SPDX-License-Identifier: Apache-2.0
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/joined.hpp"

namespace sim {

void throw_problems(const std::string& file, std::span<const std::string> lines) {
  if (lines.empty()) return;
  const auto shown = lines.first(std::min(lines.size(), kMostProblems));
  std::string text = joined(shown, "\n");
  if (lines.size() > kMostProblems) {
    text += fmt::format("\n{}: more than {} problems; the rest are omitted", file, kMostProblems);
  }
  throw InputError(text);
}

}  // namespace sim
