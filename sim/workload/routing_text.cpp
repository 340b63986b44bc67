// SPDX-License-Identifier: Apache-2.0
// Routings as text, and what is wrong with them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/workload/routing.hpp"

namespace sim {
namespace {

using RoutingKind = ExpertRouting::Kind;

constexpr std::string_view kPowerLaw = "power_law:";
constexpr double kMostExponent = 100;

bool is_exponent(double exponent) { return exponent > 0 && exponent <= kMostExponent; }

std::string share_problem(const ExpertRouting& routing, int experts, int top_k) {
  const auto count = routing.shares.size();
  if (count != static_cast<std::size_t>(experts)) {
    return fmt::format(
        "`routing`: {} has the loads of {} experts, and the model has {}; give one "
        "for each",
        printable_path(routing.file), count, experts);
  }
  const double most = std::ranges::max(routing.shares);
  if (most * top_k > 1 + 1e-6) {
    return fmt::format(
        "`routing`: {} gives {:.3g} of all rows to one expert, and a token that "
        "chooses {} gives it {:.3g} at most; count each token once at an expert",
        printable_path(routing.file), most, top_k, 1.0 / top_k);
  }
  return {};
}

// Adds the loads in a line; `place` is FILE:LINE.
void append_loads(std::string_view line, const std::string& place, std::vector<double>& loads) {
  constexpr std::string_view kBetween = ", \t\r";
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBetween), line.size()));
    if (line.empty()) return;
    const std::string_view word = line.substr(0, line.find_first_of(kBetween));
    const auto load = number_in<double>(word);
    if (!load || !std::isfinite(*load) || *load < 0) {
      throw InputError(
          fmt::format("{}: '{}' is not the load of an expert; write its rows or its "
                      "share of them, a number of at least 0",
                      place, printable(word)));
    }
    loads.push_back(*load);
    line.remove_prefix(word.size());
  }
}

}  // namespace

std::string problem_of(const ExpertRouting& routing, int experts, int top_k) {
  const bool limited = routing.capacity != 0;
  if (experts == 0) {
    if (routing.kind == RoutingKind::balanced && !limited) return {};
    return fmt::format("`{}`: the model has no experts; leave it out, or choose a model with some",
                       routing.kind == RoutingKind::balanced ? "capacity-factor" : "routing");
  }
  if (limited && !(routing.capacity >= 1 && std::isfinite(routing.capacity))) {
    return fmt::format(
        "`capacity-factor`: {} is not a number of at least 1, the mean; leave it out "
        "where no row is dropped",
        routing.capacity);
  }
  if (routing.kind == RoutingKind::power_law && !is_exponent(routing.exponent)) {
    return fmt::format(
        "`routing`: {} is not an exponent above 0 and up to {}; write e.g. "
        "power_law:1.2",
        routing.exponent, kMostExponent);
  }
  return routing.kind == RoutingKind::measured ? share_problem(routing, experts, top_k)
                                               : std::string();
}

ExpertRouting parse_routing(std::string_view text, std::string_view place) {
  if (text == "balanced") return {};
  if (text == "random") return {.kind = RoutingKind::random};
  if (text == "cyclic") return {.kind = RoutingKind::cyclic};
  if (text.starts_with(kPowerLaw) || text == kPowerLaw.substr(0, kPowerLaw.size() - 1)) {
    const auto exponent = number_in<double>(text.substr(std::min(kPowerLaw.size(), text.size())));
    if (exponent && is_exponent(*exponent)) {
      return {.kind = RoutingKind::power_law, .exponent = *exponent};
    }
    throw InputError(
        fmt::format("{}: '{}' lacks an exponent above 0 and up to {}; write e.g. "
                    "power_law:1.2",
                    place, printable(text), kMostExponent));
  }
  std::error_code none;
  if (std::filesystem::exists(text, none)) return routing_from_file(text);
  throw InputError(
      fmt::format("{}: '{}' is none of balanced, random, cyclic and power_law:EXPONENT, nor "
                  "is there such a file; name one with the load of each expert",
                  place, printable(text)));
}

std::string to_text(const ExpertRouting& routing) {
  switch (routing.kind) {
    case RoutingKind::balanced:
      return "balanced";
    case RoutingKind::random:
      return "random";
    case RoutingKind::cyclic:
      return "cyclic";
    case RoutingKind::power_law:
      return fmt::format("{}{}", kPowerLaw, routing.exponent);
    case RoutingKind::measured:
      return routing.file;
  }
  return {};
}

ExpertRouting routing_of_loads(std::string_view text, const std::string& file) {
  ExpertRouting routing{.kind = RoutingKind::measured, .file = file};
  const std::string name = printable_path(file);
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    append_loads(line.substr(0, line.find('#')), fmt::format("{}:{}", name, number),
                 routing.shares);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  const double sum = std::reduce(routing.shares.begin(), routing.shares.end());
  if (!(sum > 0 && std::isfinite(sum))) {
    throw InputError(fmt::format("{}: {}; write the rows of each expert in order, one a line", name,
                                 routing.shares.empty() ? "has no load of an expert"
                                 : sum > 0              ? "has loads whose sum is not finite"
                                                        : "has no expert with a load above 0"));
  }
  for (double& share : routing.shares) share /= sum;
  return routing;
}

ExpertRouting routing_from_file(const std::filesystem::path& file) {
  return routing_of_loads(read_input(file, kMostInputBytes), file.string());
}

}  // namespace sim
