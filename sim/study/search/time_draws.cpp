// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/time_draws.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sim::study {
namespace {

// Linear between -kFar, 0 and kFar, and beyond them.
double interpolated(double at_minus, double at_plus, double off) {
  return off < 0 ? at_minus * (-off / kFar) : off > 0 ? at_plus * (off / kFar) : 0;
}

// Two of a uniform law on (0, 1) make two of a normal one (Box and Muller, Ann. Math. Stat. 29, 1958).
std::pair<double, double> normal_of(double one, double other) {
  const double radius = std::sqrt(-2 * std::log(1 - one));
  return {radius * std::cos(2 * std::numbers::pi * other),
          radius * std::sin(2 * std::numbers::pi * other)};
}

}  // namespace

std::vector<Off> drawn_offs(int count) {
  // The root of x^5 = x + 1, by whose powers each of four coordinates steps (Roberts' R sequence).
  constexpr double kRoot = 1.1673039782614187;
  std::vector<Off> offs;
  for (int i = 1; i <= count; ++i) {
    const auto uniform = [&](int power) {
      const double at = 0.5 + i / std::pow(kRoot, power);
      return at - std::floor(at);
    };
    const auto [compute, network] = normal_of(uniform(1), uniform(2));
    const auto [codecs, host] = normal_of(uniform(3), uniform(4));
    offs.push_back({compute, network, codecs, host});
  }
  return offs;
}

double TimeWhenOff::at(const Off& off) const {
  const auto [slower, faster, slower_gpus, slower_network] = simulated;
  const double together = (off.compute + off.network) / 2;
  const double against = (off.compute - off.network) / 2;
  const double of_rates =
      std::exp(interpolated(std::log(slower), std::log(faster), together) +
               interpolated(std::log(slower_gpus), std::log(slower_network), against));
  const double of_codecs = codecs * (std::exp(-off.codecs * codecs_spread) - 1);
  const double slower_host = std::exp(-off.host * host_spread);
  return std::max(of_rates + of_codecs + host * (slower_host - 1), host_issue * slower_host);
}

std::pair<double, double> likely_times(const TimeWhenOff& time) {
  static const std::vector<Off> draws = drawn_offs(4096);
  std::vector<double> times;
  times.reserve(draws.size());
  for (const Off& off : draws) times.push_back(time.at(off));
  std::ranges::sort(times);
  const auto beyond =
      static_cast<std::size_t>(static_cast<double>(draws.size()) * (1 - kLikelyShare) / 2);
  return {times[beyond], times[times.size() - 1 - beyond]};
}

}  // namespace sim::study
