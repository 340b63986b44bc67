// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/round_rates.hpp"

namespace sim {
namespace {

// Of a site's own round, as much as falls into this one. A site that comes too late has lost its round,
// unless a later sum takes it.
double kept_rounds(const RoundResult& result, std::size_t place) {
  const Fate fate = result.shape.fate(place);
  if (result.outcome == RoundOutcome::aborted) return 0;
  if (fate == Fate::gone || (fate == Fate::skipped && !result.shape.sums_later())) return 0;
  return result.round_s / result.period_s(place);
}

}  // namespace

std::vector<double> tokens_by_table(const RoundContext& context, const RoundResult& result) {
  std::vector<double> tokens;
  std::size_t place = 0;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    const auto sequences =
        static_cast<double>(global_batch(site.cluster, context.parallelism_at(table)));
    const double of_round = sequences * context.model.sequence * result.shape.steps(place);
    double rounds = 0;
    for (int i = 0; i < site.count; ++i, ++place) rounds += kept_rounds(result, place);
    tokens.push_back(rounds / site.count * of_round);
  }
  return tokens;
}

void add_rates(const RoundContext& context, const RoundResult& result, Report& report) {
  RoundFigures& round = *report.round;
  double busy = 0;
  double usd = 0;
  std::size_t place = 0;
  for (SiteReport& row : round.by_site) {
    for (int i = 0; i < row.count; ++i, ++place) {
      const Site& site = site_of(context.area, static_cast<int>(place));
      report.gpus += row.gpus;
      if (!report.ended()) continue;
      usd += price_of(site).base() * report.time_s;
      report.energy_j += row.gpus * site.cluster.gpu.power.base() * report.time_s;
      const double rounds = kept_rounds(result, place);
      if (rounds == 0) continue;
      const double kept =
          rounds * static_cast<double>(row.sequences) * context.model.sequence * row.inner_steps;
      round.tokens += kept;
      row.tokens += kept / row.count;
      busy += rounds * row.gpus * row.inner_step_s * row.inner_steps;
    }
  }
  if (!report.ended()) return;
  report.tokens_per_s = round.tokens / report.time_s;
  round.utilisation = busy / report.gpus / report.time_s;
  round.link_usd = lease_price(context.area).base() * report.time_s;
  report.usd_per_million_tokens = (usd + round.link_usd + round.egress_usd) / round.tokens * 1e6;
}

}  // namespace sim
