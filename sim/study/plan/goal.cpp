// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/goal.hpp"

#include "sim/topology/topology.hpp"

namespace sim::study {

Price price_of(const Cluster& cluster, Seconds time, EnergyPrice electricity) {
  const Watts power = cluster.gpu.power * rank_count(cluster);
  return {.gpus = (gpu_price(cluster) * time).base(),
          .network = (network_price(cluster) * time).base(),
          .power = (electricity * (power * time)).base()};
}

Price price_of(const WideArea& area, Seconds time, EnergyPrice electricity) {
  Price price;
  for (const Site& site : area.sites) {
    const Price one = price_of(site.cluster, time, electricity);
    price.gpus += site.count * one.gpus;
    price.network += site.count * one.network;
    price.power += site.count * one.power;
  }
  for (const WideLink& link : area.links) price.network += (link.price * time).base();
  if (area.backbone) price.network += (area.backbone->price * time).base();
  return price;
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
