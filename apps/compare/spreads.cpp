// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/spreads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

using sim::InputError;
using sim::study::GivenSpread;

constexpr double kLargestSpread = 2;

GivenSpread parse_spread(const std::string& text) {
  const auto equals = text.find('=');
  GivenSpread given{.name = text.substr(0, equals), .spread = {.source = "--spread"}};
  std::vector<std::string_view> known;
  for (const sim::study::Assumption& one : sim::study::assumptions()) known.push_back(one.name);
  known.push_back(sim::study::kModel.name);
  known.emplace_back("all");
  if (equals == std::string::npos || std::ranges::find(known, given.name) == known.end()) {
    throw InputError(fmt::format("--spread: '{}' is not NAME=S; known names: {}",
                                 sim::printable(text), sim::joined(known)));
  }
  const auto value = sim::parse_number(std::string_view(text).substr(equals + 1)).value;
  if (!value || !(*value >= 0 && *value <= kLargestSpread)) {
    throw InputError(fmt::format("--spread: '{}' is not a number from 0 to {}",
                                 sim::printable(text.substr(equals + 1)), kLargestSpread));
  }
  given.spread.of_logarithm = *value;
  return given;
}

}  // namespace

std::vector<GivenSpread> spreads_of(const std::vector<std::string>& texts) {
  std::vector<GivenSpread> spreads;
  for (const std::string& text : texts) spreads.push_back(parse_spread(text));
  return spreads;
}

}  // namespace apps
