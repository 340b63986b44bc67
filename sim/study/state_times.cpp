// SPDX-License-Identifier: Apache-2.0
#include "sim/study/state_times.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "sim/sites/detours.hpp"
#include "sim/topology/ranks.hpp"
#include "sim/topology/wide_topology.hpp"
#include "sim/workload/parameters.hpp"

namespace sim::study {
namespace {

// Bytes a parameter: the weights in FP32 and the outer momentum; where sites exchange gradients, Adam's
// two moments instead.
constexpr double kOuterState = 4 + 4, kInnerState = 4 + 8;

double state_bytes(const Job& job, const SiteExchange& exchange) {
  return (exchange.gradients ? kInnerState : kOuterState) *
         static_cast<double>(total_parameters(job.model));
}

// Over the site's line and NICs.
double checkpoint_s(const Job& job, const SiteExchange& exchange, std::size_t table,
                    Bandwidth Site::*line) {
  const Site& site = job.topology.sites[table];
  const Bandwidth rate =
      std::min({job.topology.checkpoints->bandwidth, site.*line, all_nics_rate(site.cluster)});
  return state_bytes(job, exchange) / rate.base();
}

}  // namespace

double load_s(const Job& job, const SiteExchange& exchange, std::size_t table) {
  const WideArea& area = job.topology;
  const int receiver = first_place(area, table);
  std::vector<int> sources;
  if (area.store) {
    sources = {store_place(area)};
  } else {
    for (std::size_t other = 0; other < area.sites.size(); ++other) {
      const int own = other == table ? 1 : 0;  // another one of it, if there is
      if (area.sites[other].count > own) sources.push_back(first_place(area, other) + own);
    }
  }
  if (sources.empty()) return 0;
  const WideTopology topology(area);
  const std::vector<int> relays = all_places(area);
  std::erase_if(sources,
                [&](int source) { return !reaches(topology, wide_hop(source, receiver), relays); });
  if (sources.empty() && area.syncer) sources = {syncer_place(area)};
  if (sources.empty()) return 0;  // nobody reaches it: it takes part in no round
  double soonest_s = std::numeric_limits<double>::infinity();
  for (const int source : sources) {
    std::vector<std::pair<LinkId, double>> crossings;
    const WayCost cost =
        way_cost(topology, hops_of(topology, wide_hop(source, receiver), relays), crossings);
    soonest_s = std::min(soonest_s, cost.latency_s + state_bytes(job, exchange) * cost.s_per_byte);
  }
  return soonest_s;
}

double save_s(const Job& job, const SiteExchange& exchange, std::size_t table) {
  return checkpoint_s(job, exchange, table, &Site::uplink);
}

double restore_s(const Job& job, const SiteExchange& exchange, std::size_t table) {
  return checkpoint_s(job, exchange, table, &Site::downlink);
}

double save_usd(const Job& job, const SiteExchange& exchange, std::size_t table) {
  return job.topology.sites[table].egress.base() * state_bytes(job, exchange);
}

}  // namespace sim::study
