// SPDX-License-Identifier: Apache-2.0
#include "sim/study/solve/unknowns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/search/wide_area_rates.hpp"

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

void begin_at_fragments(const Job& job, const Scheme& scheme, Range& range) {
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

// A round takes at least the sites that make its quorum.
void begin_at_quorum(const Job& job, const Scheme& scheme, Range& range) {
  if (job.topology.sites.size() != 1) {
    throw InputError(
        fmt::format("solve peers: {} has {} tables of sites; write a single one, with a count",
                    job.topology.name, job.topology.sites.size()));
  }
  range.lowest = std::max<double>(range.lowest, scheme.between_sites->quorum);
  if (range.lowest <= range.highest) return;
  throw InputError(fmt::format(
      "`set` scheme.quorum: {} is more than the {:.0f} sites that solve peers tries at most",
      scheme.between_sites->quorum, range.highest));
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

void end_where_held(const Job& job, const Scheme&, Range& range) {
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
       begin_at_fragments},
      {"latency",
       "s",
       {1e-6, 10},
       false,
       set_latency,
       as_it_is,
       [](double seconds) { return to_text(Seconds::from_base(seconds)); }},
      {"peers", "sites", {1, 128, true}, false, set_peers, as_it_is, whole_text, begin_at_quorum},
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
