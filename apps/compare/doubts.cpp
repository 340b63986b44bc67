#include "apps/compare/doubts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

using sim::InputError;

constexpr double kLargestSpread = 2;

bool is_shared(Concern concern, const Job& a, const Job& b) {
  switch (concern) {
    case Concern::gpu:
      return a.cluster.gpu.name == b.cluster.gpu.name && a.calibration.name == b.calibration.name;
    case Concern::links:
      return a.cluster.name == b.cluster.name;
    case Concern::library:
      return true;
    case Concern::wide_area:
      return false;  // not of clusters
  }
  return false;
}

struct GivenSpread {
  std::string name;
  double value = 0;
};

GivenSpread parse_spread(const std::string& text) {
  const auto equals = text.find('=');
  GivenSpread given{.name = text.substr(0, equals)};
  std::vector<std::string_view> known;
  for (const Assumption& one : assumptions()) known.push_back(one.name);
  known.emplace_back("all");
  if (equals == std::string::npos || std::ranges::find(known, given.name) == known.end()) {
    throw InputError(fmt::format("--spread: '{}' is not NAME=S with a name out of {}",
                                 sim::printable(text), fmt::join(known, ", ")));
  }
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, given.value);
  if (error != std::errc() || stop != end || !(given.value >= 0 && given.value <= kLargestSpread)) {
    throw InputError(fmt::format("--spread: '{}' is no number from 0 to {}",
                                 sim::printable(text.substr(equals + 1)), kLargestSpread));
  }
  return given;
}

const Spread& wider(const Spread& one, const Spread& other) {
  return one.of_logarithm < other.of_logarithm ? other : one;
}

Job doubted(const Job& job, bool is_a, const std::vector<Doubt>& doubts,
            const std::vector<double>& factors) {
  Job result = job;
  for (std::size_t i = 0; i < doubts.size(); ++i) {
    const bool concerned = is_a ? doubts[i].of_a : doubts[i].of_b;
    if (concerned) result = scaled(std::move(result), *doubts[i].assumption, factors[i]);
  }
  return result;
}

}  // namespace

std::vector<Doubt> doubts_of(const Side& a, const Side& b,
                             const std::vector<std::string>& spreads) {
  std::vector<Doubt> doubts;
  for (const Assumption& one : assumptions()) {
    const Spread of_a = one.spread(a.job.cluster, a.job.calibration);
    const Spread of_b = one.spread(b.job.cluster, b.job.calibration);
    if (is_shared(one.concern, a.job, b.job)) {
      doubts.push_back({&one, true, true, wider(of_a, of_b)});
    } else {
      doubts.push_back({&one, true, false, of_a});
      doubts.push_back({&one, false, true, of_b});
    }
  }
  for (const std::string& text : spreads) {
    const GivenSpread given = parse_spread(text);
    for (Doubt& doubt : doubts) {
      if (given.name != "all" && given.name != doubt.assumption->name) continue;
      doubt.spread = {given.value, "--spread"};
    }
  }
  return doubts;
}

StepPair simulate_pair(const Comparison& comparison, const std::vector<Doubt>& doubts,
                       const std::vector<double>& factors) {
  const auto& [options, a, b] = comparison;
  return {step_seconds(doubted(a.job, true, doubts, factors), a.setup),
          step_seconds(doubted(b.job, false, doubts, factors), b.setup)};
}

std::vector<StepPair> simulate_repetitions(const Comparison& comparison,
                                           const std::vector<Doubt>& doubts,
                                           const std::function<void()>& step) {
  std::mt19937_64 generator(comparison.options.seed);
  std::normal_distribution<double> normal;
  std::vector<StepPair> pairs;
  std::vector<double> factors(doubts.size());
  for (int i = 0; i < comparison.options.repetitions; ++i) {
    step();
    for (std::size_t j = 0; j < doubts.size(); ++j) {
      factors[j] = std::exp(doubts[j].spread.of_logarithm * normal(generator));
    }
    pairs.push_back(simulate_pair(comparison, doubts, factors));
  }
  return pairs;
}

}  // namespace apps
