// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/balance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.hpp"

namespace sim {
namespace {

constexpr double kMostUnits = 1e5;

void refuse_own(const Site& site, const char* key, bool is_own) {
  if (!is_own) return;
  throw InputError(
      fmt::format("`balance`: sites.{}.{} is given; remove it or `balance`", site.name, key));
}

// Sequences of a micro-batch of every replica at all sites of the table.
double micro_batches(const RoundContext& context, std::size_t table) {
  Parallelism p = context.parallelism_at(table);
  p.accumulation = 1;
  const Site& site = context.area.sites[table];
  return site.count * static_cast<double>(global_batch(site.cluster, p));
}

std::vector<SiteSetup> with_steps(const RoundContext& context, const Scheme& scheme,
                                  std::vector<SiteSetup> setups) {
  const SiteExchange& exchange = *scheme.between_sites;
  if (exchange.gradients) return setups;
  const std::vector<InnerStep> steps = inner_steps(context, scheme);
  std::vector<Pace> paces;
  double work = 0;
  for (std::size_t table = 0; table < setups.size(); ++table) {
    refuse_own(context.area.sites[table], "inner_steps", setups[table].inner_steps.has_value());
    const double sequences =
        micro_batches(context, table) * context.parallelism_at(table).accumulation;
    paces.push_back({.weight = sequences, .each_s = steps[table].seconds});
    work += sequences * exchange.inner_steps;
  }
  const int least = std::max({1, exchange.fragments, exchange.overlap_steps});
  const std::vector<int> shares = shares_of(work, paces, least);
  for (std::size_t table = 0; table < setups.size(); ++table) {
    if (shares[table] != exchange.inner_steps) setups[table].inner_steps = shares[table];
  }
  return setups;
}

std::vector<SiteSetup> with_batches(const RoundContext& context, const Scheme& scheme,
                                    std::vector<SiteSetup> setups) {
  RoundContext doubled = context;
  doubled.setups = setups;
  for (std::size_t table = 0; table < setups.size(); ++table) {
    refuse_own(context.area.sites[table], "accumulation", setups[table].accumulation.has_value());
    doubled.setups[table].accumulation = 2 * context.parallelism_at(table).accumulation;
  }
  const std::vector<InnerStep> once = inner_steps(context, scheme);
  const std::vector<InnerStep> twice = inner_steps(doubled, scheme);
  std::vector<Pace> paces;
  double work = 0;
  for (std::size_t table = 0; table < setups.size(); ++table) {
    const double count = context.parallelism_at(table).accumulation;
    const double each_s = (twice[table].seconds - once[table].seconds) / count;
    require(each_s > 0, "more micro-batches take longer");
    paces.push_back({.weight = micro_batches(context, table),
                     .fixed_s = once[table].seconds - count * each_s,
                     .each_s = each_s});
    work += paces.back().weight * count;
  }
  const std::vector<int> shares = shares_of(work, paces, 1);
  for (std::size_t table = 0; table < setups.size(); ++table) {
    if (shares[table] != context.parallelism_at(table).accumulation) {
      setups[table].accumulation = shares[table];
    }
  }
  return setups;
}

}  // namespace

std::vector<int> shares_of(double work, std::span<const Pace> paces, int least) {
  std::vector<int> shares(paces.size(), 0);
  const auto is_open = [&](std::size_t i) { return shares[i] == 0; };
  for (bool again = true; again;) {
    double left = work;
    double rate = 0;  // of work a second
    for (std::size_t i = 0; i < paces.size(); ++i) {
      const Pace& pace = paces[i];
      left += is_open(i) ? pace.weight * pace.fixed_s / pace.each_s : -pace.weight * least;
      rate += is_open(i) ? pace.weight / pace.each_s : 0;
    }
    again = false;
    std::vector<double> open(paces.size(), 0);
    for (std::size_t i = 0; i < paces.size(); ++i) {
      if (!is_open(i)) continue;
      open[i] = (left / rate - paces[i].fixed_s) / paces[i].each_s;
      if (open[i] >= least) continue;
      shares[i] = least;
      again = true;
    }
    if (again) continue;
    for (std::size_t i = 0; i < paces.size(); ++i) {
      if (is_open(i)) shares[i] = static_cast<int>(std::lround(std::min(open[i], kMostUnits)));
    }
  }
  return shares;
}

std::vector<SiteSetup> balanced_setups(const RoundContext& context, const Scheme& scheme,
                                       Balance balance) {
  std::vector<SiteSetup> setups;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    setups.push_back(context.setup(table));
  }
  switch (balance) {
    case Balance::none:
      break;
    case Balance::steps:
      return with_steps(context, scheme, std::move(setups));
    case Balance::batch:
      return with_batches(context, scheme, std::move(setups));
  }
  return setups;
}

}  // namespace sim
