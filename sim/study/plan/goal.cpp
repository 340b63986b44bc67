// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/goal.hpp"

#include "sim/topology/topology.hpp"

namespace sim::study {

namespace {

Watts gpu_power(const Cluster& cluster) { return cluster.gpu.power * rank_count(cluster); }

}  // namespace

Price price_of(const Cluster& cluster, Seconds time, EnergyPrice electricity) {
  return {.gpus = (gpu_price(cluster) * time).base(),
          .network = (network_price(cluster) * time).base(),
          .power = (electricity * (gpu_power(cluster) * time)).base()};
}

Price price_of(const WideArea& area, Seconds time, EnergyPrice electricity) {
  Price price;
  for (const Site& site : area.sites) {
    const Price one = price_of(site.cluster, present_share(site) * time, electricity);
    price.gpus += site.count * one.gpus;
    price.network += site.count * one.network;
    price.power += site.count * one.power;
  }
  price.network += (lease_price(area) * time).base();
  return price;
}

double energy_j(const WideArea& area, Seconds time) {
  double joules = 0;
  for (const Site& site : area.sites) {
    joules += site.count * (gpu_power(site.cluster) * (present_share(site) * time)).base();
  }
  return joules;
}

Score score_of(const PlanGoal& goal, double usd, Seconds time, double nic_bandwidth_Bps) {
  switch (goal.aim) {
    case Aim::cheapest:
      return {usd, time.base(), 0};
    case Aim::fastest:
      return {time.base(), usd, 0};
    case Aim::smallest_network:
      break;
  }
  return {nic_bandwidth_Bps, usd, time.base()};
}

bool meets_limits(const PlanGoal& goal, double usd, Seconds time) {
  return time.base() <= goal.deadline_s && usd <= goal.budget_usd;
}

}  // namespace sim::study
