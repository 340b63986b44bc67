// SPDX-License-Identifier: Apache-2.0
#include "sim/study/solve/unknowns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/rounds/simulate_round.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/search/wide_area_rates.hpp"
#include "sim/workload/parameters.hpp"

namespace sim::study {
namespace {

double narrowest_Bps(const WideArea& area) {
  double least = std::numeric_limits<double>::infinity();
  const auto take = [&](Bandwidth rate) { least = std::min(least, rate.base()); };
  for (const Site& site : area.sites) {
    take(site.uplink);
    take(site.downlink);
  }
  for (const WideLink& link : area.links) {
    if (link.bandwidth) take(*link.bandwidth);
  }
  if (area.backbone && area.backbone->bandwidth) take(*area.backbone->bandwidth);
  return least;
}

void scale_rates(Job& job, double factor) {
  job.topology = with_rates(std::move(job.topology), factor);
}

void set_latency(Job& job, double seconds) {
  const auto latency = Seconds::from_base(seconds);
  for (WideLink& link : job.topology.links) link.latency = latency;
  if (job.topology.backbone) job.topology.backbone->latency = latency;
  if (job.topology.store) job.topology.store->latency = latency;
  if (job.topology.syncer) job.topology.syncer->latency = latency;
}

void set_inner_steps(Job& job, double steps) {
  for (Setup& setup : job.setups) {
    SiteExchange& exchange = *setup.scheme.between_sites;
    exchange.inner_steps = std::max(exchange.fragments, static_cast<int>(steps));
  }
}

void begin_at_fragments(const Job& job, const Setup& setup, Range& range) {
  const Scheme& scheme = setup.scheme;
  for (const Site& site : job.topology.sites) {
    if (!site.setup.inner_steps) continue;
    throw InputError(fmt::format(
        "`topology`: sites.{}.inner_steps: solve inner_steps varies those of all sites; remove it",
        site.name));
  }
  range.lowest = std::max<double>(range.lowest, scheme.between_sites->fragments);
  if (!scheme.between_sites->gradients) return;
  throw InputError(
      fmt::format("solve inner_steps: {} exchanges gradients in every step", scheme.name));
}

void set_peers(Job& job, double peers) {
  job.topology.sites.front().count = static_cast<int>(peers);
}

// A round takes at least the sites that make its quorum, and at most as many as are simulated.
void within_rounds(const Job& job, const Setup& setup, Range& range) {
  const SiteExchange& exchange = *setup.scheme.between_sites;
  if (job.topology.sites.size() != 1) {
    throw InputError(
        fmt::format("solve peers: {} has {} tables of sites; write a single one, with a count",
                    job.topology.name, job.topology.sites.size()));
  }
  const int most =
      std::min(most_sites(job.round(setup), setup.scheme), most_comers(job.topology.sites.front()));
  range.highest = std::min<double>(range.highest, most);
  range.lowest = std::max<double>(range.lowest, exchange.quorum);
  if (range.lowest <= range.highest) return;
  throw InputError(fmt::format(
      "`set` scheme.quorum: {} is more than the {:.0f} sites that solve peers tries at most",
      exchange.quorum, range.highest));
}

void set_quorum(Job& job, double sites) {
  for (Setup& setup : job.setups) {
    setup.scheme.between_sites->quorum = static_cast<int>(sites);
  }
}

void end_at_all_sites(const Job& job, const Setup& setup, Range& range) {
  if (!setup.scheme.between_sites->exchange->has_leader) {
    throw InputError(fmt::format(
        "solve quorum: {} has no quorum; a leader or a syncer waits for one", setup.scheme.name));
  }
  range.highest = std::min<double>(range.highest, place_count(job.topology));
}

void set_deadline(Job& job, double seconds) { job.deadline = Seconds::from_base(seconds); }

// From before the first site is heard until all have been, or one that left would have been noticed.
void around_arrivals(const Job& job, const Setup& given, Range& range) {
  if (job.deadline) {
    throw InputError("`deadline`: is what solve deadline looks for; leave it out");
  }
  const Setup setup = balanced(job, given);
  // With a deadline, even one that no site misses, none is late because it waits for another.
  std::vector<double> heard = simulate_round(job.round(setup), setup.scheme, kRoundLimit).heard_s;
  std::erase_if(heard, [](double seconds) { return std::isinf(seconds) || seconds <= 0; });
  if (heard.empty()) return;
  const auto [first, last] = std::ranges::minmax(heard);
  const double noticed = job.topology.detection.value_or(Seconds{}).base();
  range.lowest = std::max(range.lowest, first / 2);
  range.highest = std::min(range.highest, std::max(range.lowest, 2 * (last + noticed)));
}

void set_layers(Job& job, double layers) {
  int stages = 1;  // of the site that has most
  for (const Site& site : job.topology.sites) {
    const Parallelism p = job.parallelism_at(site);
    stages = std::max(stages, p.pipeline * p.virtual_stages);
  }
  // Twice as many where an end counts as a layer: a stage of an end alone has none.
  const int least = job.parallelism.counted_ends == CountedEnds::none ? stages : 2 * stages;
  job.model.layers = std::max(least, static_cast<int>(layers) / stages * stages);
}

void end_where_held(const Job& job, const Setup&, Range& range) {
  for (const Site& site : job.topology.sites) {
    range.highest =
        std::min<double>(range.highest, most_layers(site.cluster, job.parallelism_at(site)));
  }
}

double as_it_is(const Job&, double value) { return value; }

double parameters_of(const Job& job, double layers) {
  Job changed = job;
  set_layers(changed, layers);
  return static_cast<double>(total_parameters(changed.model));
}

std::string rate_text(double gigabits) { return fmt::format("{:.4g} Gbps", gigabits); }

std::string seconds_text(double seconds) { return to_text(Seconds::from_base(seconds)); }

std::string whole_text(double value) { return fmt::format("{:.0f}", value); }

const std::vector<Unknown>& unknowns() {
  static const std::vector<Unknown> all{
      {"bandwidth",
       "Gbps",
       {1e-4, 1e4},
       false,
       scale_rates,
       [](const Job& job, double factor) { return factor * narrowest_Bps(job.topology) * 8 / 1e9; },
       rate_text},
      {"inner_steps",
       "steps",
       {1, 100'000, true},
       false,
       set_inner_steps,
       as_it_is,
       whole_text,
       begin_at_fragments,
       Prefers::least},
      {"latency", "s", {1e-6, 10}, false, set_latency, as_it_is, seconds_text},
      {"peers",
       "sites",
       {1, kMostPlaces, true},
       false,
       set_peers,
       as_it_is,
       whole_text,
       within_rounds,
       Prefers::greatest},
      {"quorum",
       "sites",
       {1, 1024, true},
       false,
       set_quorum,
       as_it_is,
       whole_text,
       end_at_all_sites,
       Prefers::greatest},
      {"deadline",
       "s",
       {1e-3, 1e6},
       false,
       set_deadline,
       as_it_is,
       seconds_text,
       around_arrivals,
       Prefers::least},
      {"layers",
       "parameters",
       {1, 1024, true},
       true,
       set_layers,
       parameters_of,
       [](double parameters) { return fmt::format("{:.4g} B parameters", parameters / 1e9); },
       end_where_held}};
  return all;
}

}  // namespace

const Unknown& nic_bandwidth() {
  static const Unknown one{
      "bandwidth",
      "Gbps per NIC",
      kNicFactors,
      false,
      [](Job& job, double factor) { job.cluster() = with_nics(job.cluster(), factor); },
      [](const Job& job, double factor) {
        return (job.cluster().network.nic_bandwidth * factor).base() * 8 / 1e9;
      },
      rate_text};
  return one;
}

const Unknown& unknown_named(const std::string& name) {
  std::string known;
  for (const Unknown& unknown : unknowns()) {
    if (unknown.name == name) return unknown;
    known += (known.empty() ? "" : ", ") + std::string(unknown.name);
  }
  throw InputError(fmt::format("solve: '{}' is not one of: {}", printable(name), known));
}

}  // namespace sim::study
