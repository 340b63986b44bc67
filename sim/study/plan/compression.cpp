// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/compression.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/study/search/likely_range.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/search/verdict.hpp"
#include "sim/study/simulation.hpp"
#include "sim/topology/nic_rates.hpp"

namespace sim::study {
namespace {

constexpr std::size_t kMostNics = 5;

bool pays(const Job& job, const Setup& plain, const Setup& compressed, double speedup) {
  if (speedup <= least_win()) return false;
  const auto sensitivity = [&](const Setup& setup) {
    return sensitivity_of(job, setup, simulate(job, setup).report);
  };
  const LikelyRatio range = range_of_ratio(speedup, sensitivity(compressed), sensitivity(plain));
  return verdict_of({.speedup = speedup, .range = range}) == Verdict::win;
}

CompressionAt compression_with(const Setup& plain, std::span<const Setup> compressed,
                               const Job& job, StepTimes& times, double factor) {
  const double plain_s = times.seconds(plain, factor);
  std::vector<std::pair<double, std::size_t>> bounds;
  for (std::size_t i = 0; i < compressed.size(); ++i) {
    bounds.emplace_back(times.at_least(compressed[i], factor), i);
  }
  std::ranges::sort(bounds);
  std::pair<double, std::size_t> best{std::numeric_limits<double>::infinity(), 0};
  for (const auto& [bound, i] : bounds) {
    best = std::min(best, {times.seconds(compressed[i], factor, best.first), i});
  }
  const double speedup = plain_s / best.first;
  Job there = job;
  there.cluster() = with_nics(job.cluster(), factor);
  return {there.cluster().network.nic_bandwidth, best.second, speedup,
          pays(there, plain, compressed[best.second], speedup)};
}

// Nearest first, each at least twice as far as the one before.
std::vector<Bandwidth> rates_from(Bandwidth nics, bool faster) {
  constexpr double kApart = 1.99;
  std::vector<Bandwidth> sold = nic_rates(), rates;
  if (!faster) std::ranges::reverse(sold);
  for (const Bandwidth one : sold) {
    if ((faster ? one / nics : nics / one) < kApart) continue;
    rates.push_back(one);
    nics = one;
  }
  return rates;
}

}  // namespace

std::vector<CompressionAt> compression_at(const Job& job, const Setup& plain,
                                          std::span<const Setup> compressed, StepTimes& times) {
  const Bandwidth nics = job.cluster().network.nic_bandwidth;
  const auto with = [&](double factor) {
    return compression_with(plain, compressed, job, times, factor);
  };
  std::vector<CompressionAt> all{with(1)};
  for (const Bandwidth other : rates_from(nics, all.front().pays)) {
    if (all.size() == kMostNics || all.back().pays != all.front().pays) break;
    all.push_back(with(other / nics));
  }
  return all;
}

}  // namespace sim::study
