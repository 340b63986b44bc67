// SPDX-License-Identifier: Apache-2.0
#include "sim/study/membership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/reliability/membership.hpp"
#include "sim/rounds/round_rates.hpp"
#include "sim/rounds/simulate_round.hpp"
#include "sim/sites/leader.hpp"
#include "sim/sites/regions.hpp"
#include "sim/study/simulation.hpp"
#include "sim/study/state_times.hpp"

namespace sim::study {
namespace {

constexpr double kMonth_s = 30 * kDay_s;
// Months that are played for a likely range, and of how many comings and goings at most.
constexpr double kFewestMonths = 8, kMostMonths = 40, kMostEvents = 2e6, kMostOfAMonth = 4e6;
constexpr std::uint64_t kSeed = 20;
// Of a table of more sites, rounds are simulated at so many numbers of them.
constexpr int kNumbers = 64;

// Asks for each number of sites once; that of all is known.
class RoundsByMembers {
 public:
  RoundsByMembers(const WideArea& area, int least, const Report& report, const PaceOf& pace)
      : area_(area), least_(least), figures_(*report.round), pace_(pace) {
    std::vector<int> all;
    std::vector<double> tokens;
    for (const Site& site : area.sites) all.push_back(site.count);
    for (const SiteReport& site : figures_.by_site) tokens.push_back(site.tokens);
    rounds_.emplace(std::move(all), round({.round_s = report.time_s,
                                           .cutoff_s = figures_.cutoff_s,
                                           .handed_in_s = figures_.handed_in_s},
                                          std::move(tokens)));
  }

  // Of about as many, but enough for the quorum.
  RoundLength operator()(std::span<const int> members) {
    std::vector<int> counts;
    for (std::size_t table = 0; table < members.size(); ++table) {
      const int unit = std::max(1, area_.sites[table].count / kNumbers);
      const int rounded = (members[table] + unit / 2) / unit * unit;
      counts.push_back(rounded == 0 ? members[table] : rounded);
    }
    if (std::accumulate(counts.begin(), counts.end(), 0) < least_) {
      counts.assign(members.begin(), members.end());
    }
    const auto known = rounds_.find(counts);
    if (known != rounds_.end()) return known->second.length;
    RoundPace pace = pace_(counts);
    for (double& tokens : pace.tokens) tokens *= figures_.inner_steps;
    Round added = round({.round_s = pace.step_s * figures_.inner_steps,
                         .cutoff_s = pace.cutoff_s,
                         .handed_in_s = pace.handed_in_s},
                        std::move(pace.tokens));
    return rounds_.emplace(std::move(counts), std::move(added)).first->second.length;
  }

 private:
  struct Round {
    std::vector<double> tokens;  // by table, of one site
    RoundLength length;          // refers to them
  };

  // With the time of its steps, and these tokens.
  [[nodiscard]] Round round(RoundLength length, std::vector<double> tokens) const {
    double steps_s = 0;
    for (std::size_t table = 0; table < tokens.size(); ++table) {
      if (tokens[table] == 0) continue;
      const SiteReport& site = figures_.by_site[table];
      steps_s = std::max(steps_s, site.inner_steps * site.inner_step_s);
    }
    length.steps_s = std::min(steps_s, length.round_s);
    Round round{std::move(tokens), length};
    round.length.per_round = round.tokens;
    return round;
  }

  const WideArea& area_;
  const int least_;
  const RoundFigures& figures_;
  const PaceOf& pace_;
  std::map<std::vector<int>, Round> rounds_;
};

MemberKind kind_of(const Job& job, const Setup& setup, std::size_t table, double tokens) {
  const Site& site = job.topology.sites[table];
  MemberKind kind{
      .count = site.count, .stays_s = std::numeric_limits<double>::infinity(), .per_round = tokens};
  const SiteExchange& exchange = *setup.scheme.between_sites;
  if (job.topology.checkpoints) {
    kind.saves_s = save_s(job, exchange, table);
    kind.restores_s = restore_s(job, exchange, table);
  }
  if (!site.stays) return kind;
  kind.stays_s = site.stays->base();
  kind.away_s = site.returns_after->base();
  kind.joins_s = load_s(job, exchange, table);
  return kind;
}

// Tables by what their sites are like, not by what they are called.
std::vector<std::size_t> by_rates(const WideArea& area, const std::vector<MemberKind>& kinds) {
  std::vector<std::size_t> tables(kinds.size());
  std::iota(tables.begin(), tables.end(), std::size_t{0});
  std::ranges::stable_sort(tables, {}, [&](std::size_t table) {
    const MemberKind& kind = kinds[table];
    const Site& site = area.sites[table];
    return std::tuple(kind.stays_s, kind.away_s, kind.per_round, kind.joins_s, kind.saves_s,
                      kind.restores_s, site.uplink, site.downlink, kind.count);
  });
  return tables;
}

// Of one site.
double events_of_a_month(double stays_s, double away_s) {
  return 2 * kMonth_s / (stays_s + away_s);
}

double months_played(const std::vector<MemberKind>& kinds, const WideArea& area) {
  double events = 0;  // of a month
  for (std::size_t table = 0; table < kinds.size(); ++table) {
    const MemberKind& kind = kinds[table];
    const double own = kind.count * events_of_a_month(kind.stays_s, kind.away_s);
    if (own > kMostOfAMonth) {
      throw InputError(
          fmt::format("sites.{}.stays: sites would leave and come back {:.3g} times a "
                      "month, at most {:.0g} are played; write longer times",
                      area.sites[table].name, own / 2, kMostOfAMonth / 2));
    }
    events += own;
  }
  return std::clamp(kMostEvents / std::max(1.0, events), kFewestMonths, kMostMonths);
}

// Without egress: the sites that are there, and all leased links.
double usd_per_second(const WideArea& area) {
  double usd = lease_price(area).base();
  for (const Site& site : area.sites) {
    usd += site.count * present_share(site) * price_of(site).base();
  }
  return usd;
}

// By the likely range of the speed with all sites, an error of its own.
void widen(const Report& report, MembershipFigures& figures) {
  if (!report.range) return;
  const auto end = [&](double of_months, double of_speed) {
    const double months = std::log(of_months / figures.tokens_per_s);
    const double speed = std::log(of_speed / report.tokens_per_s);
    return std::hypot(months, speed);
  };
  figures.tokens_per_s_low = figures.tokens_per_s / std::exp(end(figures.tokens_per_s_low,
                                                                 report.range->tokens_per_s_low));
  figures.tokens_per_s_high = figures.tokens_per_s * std::exp(end(figures.tokens_per_s_high,
                                                                  report.range->tokens_per_s_high));
}

TokenTarget target_of(double tokens, const MembershipFigures& figures) {
  const auto days = [&](double tokens_per_s) { return tokens / tokens_per_s / kDay_s; };
  // Sites and lines cost by the day; what is sent for so many tokens costs the same at any speed.
  const double egress_usd = figures.egress_usd_per_s * tokens / figures.tokens_per_s;
  const double usd = figures.usd_per_million_tokens / 1e6 * tokens;
  const auto usd_after = [&](double of_days) {
    return egress_usd + (usd - egress_usd) * of_days / days(figures.tokens_per_s);
  };
  TokenTarget target{.tokens = tokens,
                     .days = days(figures.tokens_per_s),
                     .days_low = days(figures.tokens_per_s_high),
                     .days_high = days(figures.tokens_per_s_low)};
  target.usd = usd;
  target.usd_low = usd_after(target.days_low);
  target.usd_high = usd_after(target.days_high);
  return target;
}

}  // namespace

int most_comers(const Site& site) {
  if (!site.stays) return kMostPlaces;
  const double events = events_of_a_month(site.stays->base(), site.returns_after->base());
  return static_cast<int>(std::min<double>(kMostPlaces, kMostOfAMonth / events));
}

// Without some sites, regions may exchange otherwise, and a round have other steps.
// Those that are there keep their share of the work.
RoundPace round_pace(const Job& job, Setup setup, std::span<const int> members) {
  const Job fewer = with_counts(job, members);
  std::vector<SiteSetup> sites;
  for (std::size_t table = 0; table < setup.sites.size(); ++table) {
    if (members[table] > 0) sites.push_back(std::move(setup.sites[table]));
  }
  setup.sites = std::move(sites);
  const SiteExchange exchange = by_regions(*setup.scheme.between_sites, fewer.topology);
  setup = balanced(fewer, std::move(setup));
  const RoundContext context = fewer.round(setup);
  const RoundResult result = simulate_round(context, setup.scheme, fewer.deadline);
  RoundPace pace{.step_s = result.round_s / exchange.inner_steps,
                 .cutoff_s = result.cutoff_s,
                 .handed_in_s = result.handed_in_s,
                 .tokens = std::vector<double>(members.size())};
  const std::vector<double> tokens = tokens_by_table(context, result);
  std::size_t present = 0;
  for (std::size_t table = 0; table < members.size(); ++table) {
    if (members[table] > 0) pace.tokens[table] = tokens[present++] / exchange.inner_steps;
  }
  return pace;
}

namespace {

// Fewest sites of a round.
int least_sites(const Setup& setup) { return std::max(1, setup.scheme.between_sites->quorum); }

Membership membership_with(const Job& job, const Setup& setup, const Report& report,
                           RoundsByMembers& rounds) {
  Membership membership{
      .kinds = {},
      .round = [&](std::span<const int> members) { return rounds(members); },
      .detection_s = job.topology.detection->base(),
      .is_led =
          led_by(job.topology.syncer, *setup.scheme.between_sites).exchange->has_leading_site(),
      .least = least_sites(setup)};
  if (const auto& checkpoints = job.topology.checkpoints) {
    membership.save_every = checkpoints->rounds;
    membership.saves_beside = checkpoints->asynchronous;
  }
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    membership.kinds.push_back(kind_of(job, setup, table, report.round->by_site[table].tokens));
  }
  membership.order = by_rates(job.topology, membership.kinds);
  return membership;
}

bool has_months(const Job& job, const Report& report) {
  return job.inner && has_comers(job.topology) && report.ended();
}

// Each is a row of the month that is written.
void check_checkpoints_of_a_month(const WideArea& area, const Report& report) {
  constexpr double kMost = 1e6;
  if (!area.checkpoints) return;
  const double checkpoints = kMonth_s / (report.time_s * area.checkpoints->rounds);
  if (checkpoints <= kMost) return;
  throw InputError(fmt::format(
      "`month`: sites would write {:.3g} checkpoints in a month, and at most {:.0f} are "
      "told of; leave it out, or write more membership.checkpoint_rounds",
      checkpoints, kMost));
}

PaceOf pace_of(const Job& job, const Setup& divided) {
  return [&](const std::vector<int>& members) { return round_pace(job, divided, members); };
}

}  // namespace

Month month_of_comers(const Job& job, const Setup& setup, const Report& report) {
  Month month;
  if (!has_months(job, report)) return month;
  check_checkpoints_of_a_month(job.topology, report);
  const Setup divided = balanced(job, setup);
  const PaceOf pace = pace_of(job, divided);
  RoundsByMembers rounds(job.topology, least_sites(divided), report, pace);
  static_cast<void>(
      play_rounds(membership_with(job, divided, report, rounds), kMonth_s, kSeed, &month));
  return month;
}

std::optional<MembershipFigures> months_of(const Job& job, const Setup& setup, const Report& report,
                                           const PaceOf& pace) {
  if (!has_months(job, report)) return std::nullopt;
  RoundsByMembers rounds(job.topology, least_sites(setup), report, pace);
  const Membership membership = membership_with(job, setup, report, rounds);
  PlayedRounds all;
  std::vector<double> tokens_per_s;  // of months
  double members = 0, heard = 0, saves_usd = 0;
  const double months = std::floor(months_played(membership.kinds, job.topology));
  for (std::uint64_t month = 0; month < static_cast<std::uint64_t>(months); ++month) {
    const PlayedRounds one = play_rounds(membership, kMonth_s, kSeed + month);
    tokens_per_s.push_back(one.kept / one.time_s);
    members += one.members * static_cast<double>(one.rounds);
    heard += one.heard * static_cast<double>(one.rounds);
    for (double PlayedRounds::*figure :
         {&PlayedRounds::time_s, &PlayedRounds::kept, &PlayedRounds::lost, &PlayedRounds::waited_s,
          &PlayedRounds::idle_s, &PlayedRounds::undone, &PlayedRounds::saved_s}) {
      all.*figure += one.*figure;
    }
    for (std::size_t table = 0; table < one.saves.size(); ++table) {
      saves_usd += one.saves[table] * save_usd(job, *setup.scheme.between_sites, table);
    }
    all.rounds += one.rounds;
    all.leaves += one.leaves;
  }
  const std::vector<double> by_month = tokens_per_s;
  std::ranges::sort(tokens_per_s);
  const auto rank = [&](double share) {
    return tokens_per_s[static_cast<std::size_t>(std::lround(share * (months - 1)))];
  };
  const double steps = all.lost + all.kept + all.undone;
  MembershipFigures figures{
      .sites = place_count(job.topology),
      .members = heard / static_cast<double>(std::max<std::int64_t>(1, all.rounds)),
      .tokens_per_s = all.kept / all.time_s,
      .tokens_per_s_low = rank(0.1),
      .tokens_per_s_high = rank(0.9),
      .expected_tokens_per_s = expected_per_second(membership),
      .lost_share = all.lost / std::max(1.0, steps),
      .waited_share = all.waited_s / all.time_s,
      .idle_share = all.idle_s / all.time_s,
      .leaves_per_day = static_cast<double>(all.leaves) / all.time_s * kDay_s,
      .months = by_month};
  if (job.topology.checkpoints) {
    figures.undone_share = all.undone / std::max(1.0, steps);
    figures.saved_share = all.saved_s / all.time_s;
  }
  figures.kept_share = figures.tokens_per_s / report.tokens_per_s;
  if (figures.tokens_per_s <= 0) {
    figures.usd_per_million_tokens = std::numeric_limits<double>::infinity();
    return figures;
  }
  // Those that nobody hears have sent, too.
  figures.egress_usd_per_s =
      (report.round->egress_usd * members / figures.sites + saves_usd) / all.time_s;
  const double usd = usd_per_second(job.topology) + figures.egress_usd_per_s;
  figures.usd_per_million_tokens = usd / figures.tokens_per_s * 1e6;
  return figures;
}

MembershipFigures with_ranges(MembershipFigures months, const Job& job, const Report& report) {
  if (months.tokens_per_s <= 0) return months;
  widen(report, months);
  if (job.target_tokens) months.target = target_of(*job.target_tokens, months);
  return months;
}

std::optional<MembershipFigures> membership_of(const Job& job, const Setup& setup,
                                               const Report& report) {
  const Setup divided = balanced(job, setup);
  const auto months = months_of(job, divided, report, pace_of(job, divided));
  return months ? std::optional(with_ranges(*months, job, report)) : std::nullopt;
}

}  // namespace sim::study
