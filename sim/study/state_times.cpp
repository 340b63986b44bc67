// SPDX-License-Identifier: Apache-2.0
#include "sim/study/state_times.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/sites/detours.hpp"
#include "sim/topology/ranks.hpp"
#include "sim/topology/wide_topology.hpp"

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

// The storage; else the last site or for others the first, or whoever reaches the place; else the syncer.
int source_of_state(const WideTopology& topology, int place) {
  const WideArea& area = topology.area();
  if (area.store) return store_place(area);
  const std::vector<int> all = all_places(area);
  std::vector<int> sources = all;
  if (place == 0) std::ranges::reverse(sources);
  for (const int source : sources) {
    if (source != place && reaches(topology, wide_hop(source, place), all)) return source;
  }
  require(area.syncer.has_value(), "sites that nobody reaches exchange by way of a place apart");
  return syncer_place(area);
}

}  // namespace

double load_s(const Job& job, const SiteExchange& exchange, std::size_t table) {
  const WideArea& area = job.topology;
  int place = 0;
  for (std::size_t before = 0; before < table; ++before) place += area.sites[before].count;
  if (!area.store && place_count(area) < 2) return 0;
  const WideTopology topology(area);
  const int source = source_of_state(topology, place);
  std::vector<std::pair<LinkId, double>> crossings;
  const WayCost cost =
      way_cost(topology, hops_of(topology, wide_hop(source, place), all_places(area)), crossings);
  return cost.latency_s + state_bytes(job, exchange) * cost.s_per_byte;
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
