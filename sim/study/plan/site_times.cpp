// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/site_times.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/rounds/cut_off.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/rounds/simulate_round.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/sites/leader.hpp"
#include "sim/study/membership.hpp"
#include "sim/topology/topology.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of all that a site sends: what its line and its NICs let through.
double access_rate(const Site& site) {
  return std::min(site.uplink, all_nics_rate(site.cluster)).base();
}

// Bytes per second of the fastest path to another place, or to the storage.
double fastest_path(const WideArea& area, int place, const Exchange& exchange) {
  if (exchange.is_stored) {
    return wide_connection_rate(area, wide_hop(place, store_place(area))).base();
  }
  if (exchange.has_syncer && area.syncer) {
    return std::min(wide_connection_rate(area, wide_hop(place, syncer_place(area))),
                    area.syncer->downlink)
        .base();
  }
  double fastest = 0;
  for (int other = 0; other < place_count(area); ++other) {
    if (other == place || is_dead_between(area, place, other)) continue;
    const auto& shared = path_between(area, place, other).bandwidth;
    const double connected = wide_connection_rate(area, wide_hop(place, other)).base();
    fastest = std::max(fastest, shared ? std::min(connected, shared->base()) : connected);
  }
  return fastest;
}

// What it takes a site of the table to send what it has: all of it by its access, and by one path at
// least what goes to one other.
double sending_s(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  const double sent = least_sent(context, table, scheme);
  if (sent == 0) return 0;
  const WideArea& area = context.area;
  const Exchange& exchange = *scheme.between_sites->exchange;
  const double places = place_count(area);
  const double to_one = sent * exchange.copies_to_one(places) / exchange.copies_sent(places);
  return std::max(sent / access_rate(area.sites[table]),
                  to_one / fastest_path(area, first_place(area, table), exchange));
}

// What it takes the site that leads, whichever that is, to send the others what came of theirs; or
// the syncer, to send it to all.
double leading_s(const RoundContext& context, const Scheme& scheme) {
  if (!scheme.between_sites->exchange->has_leader) return 0;
  const std::optional<Syncer>& syncer = context.area.syncer;
  const bool apart = scheme.between_sites->exchange->has_syncer && syncer;
  double others = apart ? 0 : -1;
  double fastest = apart ? syncer->uplink.base() : 0;
  double bytes = kInfinity;
  for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
    const Site& site = context.area.sites[table];
    others += lost_at(site) ? 0 : site.count;
    if (!apart) fastest = std::max(fastest, access_rate(site));
    bytes = std::min(bytes, whole_bytes(context, table, scheme));
  }
  return others > 0 ? others * bytes / fastest : 0;
}

// Of a site that is lost before the last of its steps, which take so long in all: nobody hears it.
Fate least_fate(const Site& site, const SiteExchange& exchange, double steps_s) {
  const double steps = steps_inside(site, exchange);
  const auto lost = lost_at(site);
  return lost && lost->base() < steps_s * (steps - 1) / steps ? Fate::gone : Fate::heard;
}

// Of one site in a round, least.
struct PlaceTime {
  double seconds = 0;
  double sequences = 0;
  Fate fate = Fate::heard;
};

// Whether those that are left wait for sites that are gone, or that nobody reaches without them.
bool wait_forever(const WideArea& area, const SiteExchange& exchange,
                  const std::vector<PlaceTime>& places) {
  std::vector<Fate> fates;
  for (const PlaceTime& place : places) fates.push_back(place.fate);
  add_cut_off(area, *led_by(area.syncer, exchange).exchange, fates);
  const auto there = std::ranges::count(fates, Fate::heard);
  return there < (exchange.quorum == 0
                      ? std::ssize(fates)
                      : std::min<std::ptrdiff_t>(exchange.quorum, std::ssize(fates)));
}

// When the last of the places that are heard has taken its time: all of them, or a quorum of those that
// are not gone, whichever they are; but sites that are lost once they were heard are missing from it,
// and over dead links those that only they reach.
double last_heard_s(const WideArea& area, int quorum, std::vector<PlaceTime> places) {
  const auto gone =
      std::erase_if(places, [](const PlaceTime& one) { return one.fate == Fate::gone; });
  std::ptrdiff_t lost = -static_cast<std::ptrdiff_t>(gone);
  for (const Site& site : area.sites) lost += lost_at(site) ? site.count : 0;
  std::ptrdiff_t heard = quorum == 0 ? std::ssize(places) : quorum - lost;
  if (quorum > 0 && lost > 0 && has_dead_link(area)) heard = 1;
  heard = std::clamp<std::ptrdiff_t>(heard, 1, std::ssize(places));
  std::ranges::sort(places, {}, &PlaceTime::seconds);
  return places[static_cast<std::size_t>(heard - 1)].seconds;
}

// Time for so many tokens; infinite if none are kept.
double seconds_for(double tokens, double tokens_per_s) {
  return tokens_per_s > 0 ? tokens / tokens_per_s : kInfinity;
}

// Seconds that all sites together take for as many tokens as each has in a round, where those that
// take longer than `round_s` go on beside the others, and what is gone is not kept.
double of_own_pace(const std::vector<PlaceTime>& places, double round_s) {
  double sequences = 0;
  double rate = 0;
  for (const PlaceTime& place : places) {
    sequences += place.sequences;
    if (place.fate == Fate::gone) continue;
    rate += place.sequences / std::max(place.seconds, round_s);
  }
  return sequences / rate;
}

// Whoever is there: each site is at most as fast as alone. Where nobody waits for the slowest, no round
// is shorter than the steps of the fastest.
double bound_of_comers(const std::vector<PlaceTime>& places, const SiteExchange& exchange) {
  const bool waits_for_all = exchange.quorum == 0 && !exchange.delayed;
  return waits_for_all ? of_own_pace(places, 0)
                       : std::ranges::min(places, {}, &PlaceTime::seconds).seconds;
}

}  // namespace

double least_sent(const RoundContext& context, std::size_t table, const Scheme& scheme) {
  const int places = place_count(context.area);
  const SiteExchange& exchange = *scheme.between_sites;
  if (places == 1 || exchange.quorum > 0) return 0;
  const bool pauses = exchange.exchange->joins_two && places % 2 == 1;
  return whole_bytes(context, table, scheme) * exchange.exchange->copies_sent(places) *
         (pauses ? 0.5 : 1) / exchange.across_every;
}

Setup SiteTimes::setup(std::size_t table, const SiteLayout& at) const {
  const Setup of_job = space_.setup(at);
  const auto [scheme, parallelism] =
      inside_of(space_.tables[table].topology.sites.front(), {of_job.scheme, of_job.parallelism});
  return {scheme, parallelism};
}

double SiteTimes::first_step(std::size_t table, const SiteLayout& at) {
  return first_steps_.of(step_key(table, at.layout), [&] {
    const Job& job = space_.tables[table];
    return first_[table].of(job, setup(table, at)).seconds(job.cluster());
  });
}

double SiteTimes::planned_step(std::size_t table, const SiteLayout& at) {
  return planned_steps_.of(step_key(table, at.layout), [&] {
    const Setup own = setup(table, at);
    const auto [schedule, wiring] = plan_few_periods(space_.tables[table].context(own), own.scheme);
    return least_time(schedule, wiring).base();
  });
}

// A round lasts as long as the steps of its slowest site, and as long as it takes a site to send all
// that it has; as both together, where it is the only one that is played, so that nothing overlaps
// its end. Sites that others do not wait for go on at their own pace, or for nothing. Infinite where the
// round never ends.
double SiteTimes::bound(const SiteCandidate& candidate, StepBound of_step) {
  const SiteLayout& at = space_.layouts[candidate.layout];
  const SiteOffer& offer = space_.offers[at.offer];
  const Scheme& scheme = space_.schemes[candidate.scheme];
  const SiteExchange& exchange = *scheme.between_sites;
  const RoundContext context = space_.context(at);
  const bool one_by_one =
      rounds_played(context, scheme) == 1 && !exchange.delayed && !exchange.gradients;
  const bool comes_and_goes = has_comers(offer.area);
  std::vector<PlaceTime> places;
  for (std::size_t table = 0; table < offer.tables.size(); ++table) {
    const Site& site = offer.area.sites[table];
    double seconds =
        steps_inside(site, exchange) * (this->*of_step)(offer.tables[table], at) / site.speed;
    const Fate fate = least_fate(site, exchange, seconds);
    const double sent = comes_and_goes ? 0 : sending_s(context, table, scheme);
    seconds = one_by_one ? seconds + sent : std::max(seconds, sent);
    places.insert(places.end(), static_cast<std::size_t>(site.count),
                  {seconds, round_sequences(context, table, exchange), fate});
  }
  if (wait_forever(offer.area, exchange, places)) return kInfinity;
  if (comes_and_goes) return bound_of_comers(places, exchange) * (1 - kRounded);
  const double round_s =
      std::max(last_heard_s(offer.area, exchange.quorum, places), leading_s(context, scheme));
  if (round_s * (1 - kRounded) > kRoundLimit.base()) return kInfinity;
  return (exchange.delayed ? of_own_pace(places, round_s) : round_s) * (1 - kRounded);
}

double SiteTimes::first_bound(const SiteCandidate& candidate) {
  return bound(candidate, &SiteTimes::first_step);
}

double SiteTimes::planned_bound(const SiteCandidate& candidate) {
  return bound(candidate, &SiteTimes::planned_step);
}

std::vector<InnerStep> SiteTimes::inner_steps(const SiteCandidate& candidate) {
  const SiteLayout& at = space_.layouts[candidate.layout];
  const std::vector<std::size_t>& tables = space_.offers[at.offer].tables;
  const Scheme& scheme = space_.schemes[candidate.scheme];
  const SiteExchange& exchange = *scheme.between_sites;
  std::vector<InnerStep> steps;
  for (std::size_t table = 0; table < tables.size(); ++table) {
    steps.push_back(inner_steps_.of(
        {step_key(tables[table], at.layout), exchange.gradients, exchange.overlap_steps > 0},
        [&] { return space_.given.inner_steps->of(space_.context(at), table, scheme); }));
  }
  return steps;
}

const Report& SiteTimes::simulated(const SiteCandidate& candidate) {
  return reports_.of(key(candidate), [&] {
    const SiteLayout& at = space_.layouts[candidate.layout];
    const Scheme& scheme = space_.schemes[candidate.scheme];
    const RoundContext context = space_.context(at);
    const RoundResult result = simulate_round(context, scheme, inner_steps(candidate));
    Report report = summarize(context, scheme, result);
    const double seconds = seconds_for(round_tokens(space_, candidate), report.tokens_per_s);
    require(first_bound(candidate) <= seconds, "no round beats its first bound");
    require(planned_bound(candidate) <= seconds, "no round beats its schedules' bound");
    return report;
  });
}

std::string SiteTimes::why_endless(const SiteCandidate& candidate) {
  const RoundContext context = space_.context(space_.layouts[candidate.layout]);
  return joined(
      simulate_round(context, space_.schemes[candidate.scheme], inner_steps(candidate)).reasons,
      "; ");
}

const std::optional<MembershipFigures>& SiteTimes::months(const SiteCandidate& candidate) {
  return months_.of(key(candidate), [&] {
    const Layout& layout = space_.layouts[candidate.layout].layout;
    const SiteOffer& offer = space_.offers[space_.layouts[candidate.layout].offer];
    const Job job = job_of(space_, candidate);
    const Setup setup = setup_of(space_, candidate);
    const auto pace = [&](const std::vector<int>& members) {
      std::vector<int> counts(offer.counts.size());
      for (std::size_t table = 0; table < members.size(); ++table) {
        counts[offer.tables[table]] = members[table];
      }
      return paces_.of({candidate.scheme, layout.scheme, layout.parallelism, std::move(counts)},
                       [&] { return round_pace(job, setup, members); });
    };
    return months_of(job, setup, simulated(candidate), pace);
  });
}

double SiteTimes::seconds(const SiteCandidate& candidate) {
  const std::optional<MembershipFigures>& comers = months(candidate);
  const double tokens_per_s = comers ? comers->tokens_per_s : simulated(candidate).tokens_per_s;
  return seconds_for(round_tokens(space_, candidate), tokens_per_s);
}

}  // namespace sim::study
