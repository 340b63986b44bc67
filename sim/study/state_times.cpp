// SPDX-License-Identifier: Apache-2.0
#include "sim/study/state_times.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

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

}  // namespace

double load_s(const Job& job, const SiteExchange& exchange, std::size_t table) {
  const WideArea& area = job.topology;
  int place = 0;
  for (std::size_t before = 0; before < table; ++before) place += area.sites[before].count;
  if (!area.store && place_count(area) < 2) return 0;
  const int source = area.store ? store_place(area) : place == 0 ? place_count(area) - 1 : 0;
  const WideTopology topology(area);
  std::vector<int> all(static_cast<std::size_t>(place_count(area)));
  std::iota(all.begin(), all.end(), 0);
  double latency_s = 0, rate_Bps = std::numeric_limits<double>::infinity();
  std::vector<LinkId> crossed;
  for (const Hop& hop : hops_of(topology, wide_hop(source, place), all)) {
    latency_s += wide_latency(area, hop).base();
    rate_Bps = std::min(rate_Bps, wide_connection_rate(area, hop).base());
    std::ranges::copy(topology.way(hop).links, std::back_inserter(crossed));
  }
  for (const LinkId link : crossed) {
    const auto times = static_cast<double>(std::ranges::count(crossed, link));
    rate_Bps = std::min(rate_Bps, topology.links()[link].rate_Bps / times);
  }
  return latency_s + state_bytes(job, exchange) / rate_Bps;
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
