#include "apps/plan/next_dollar.hpp"

#include <algorithm>
#include <cmath>

#include "apps/search/assumptions.hpp"

namespace apps {
namespace {

constexpr double kBetter = 1.1;

// Of all ports, for the bandwidth that a tenth is.
std::optional<double> cost_of_faster_nics(const sim::Cluster& cluster, sim::Seconds time) {
  const sim::Network& network = cluster.network;
  if (!network.bandwidth_price) return std::nullopt;
  const sim::DollarRate port = *network.bandwidth_price * (network.nic_bandwidth * (kBetter - 1));
  return (port * (double{1} * network.nics_per_node * cluster.nodes) * time).base();
}

}  // namespace

std::vector<Improvement> improvements(const Job& job, const Setup& setup, double step_time_s,
                                      const Price& price, sim::Seconds time) {
  std::vector<Improvement> all;
  for (const Assumption& assumption : assumptions()) {
    const bool of_network =
        assumption.name == "nic_bandwidth" || assumption.name == "network_latency";
    if (of_network && job.cluster.nodes == 1) continue;
    Improvement one{.name = std::string(assumption.name),
                    .meaning = std::string(assumption.meaning),
                    .sensitivity = sensitivity(job, setup, assumption, step_time_s)};
    const double gain = assumption.more_is_faster ? one.sensitivity : -one.sensitivity;
    const double left = std::pow(kBetter, -gain);  // of the time
    one.saves_usd = price.total() * (1 - left);
    if (assumption.name == "nic_bandwidth") {
      one.costs_usd = cost_of_faster_nics(job.cluster, time * left);
    }
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Improvement::saves_usd);
  return all;
}

}  // namespace apps
