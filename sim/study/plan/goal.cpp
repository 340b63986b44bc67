// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/goal.hpp"

#include "sim/study/search/verdict.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {

namespace {

constexpr double kYear_s = 365.25 * kDay_s;

Watts gpu_power(const Cluster& cluster) { return cluster.gpu.power * rank_count(cluster); }

void add_idle_hours(const Extras& extras, Price& price) {
  price.idle = (price.gpus + price.network + price.storage) * extras.idle / (1 - extras.idle);
}

}  // namespace

Price price_of(const Cluster& cluster, Seconds time, const Extras& extras) {
  Price price{.gpus = (gpu_price(cluster) * time).base(),
              .network = (network_price(cluster) * time).base(),
              .power = (extras.electricity * (gpu_power(cluster) * time)).base(),
              .storage = (extras.storage * time).base()};
  add_idle_hours(extras, price);
  return price;
}

Price price_to_buy(const Cluster& cluster, const NetworkParts& parts, EnergyPrice electricity) {
  const Bill bill = bill_of(cluster, parts);
  const double nodes = bill.nodes_alone().price.base();
  return {
      .gpus = nodes,
      .network = bill.price().base() - nodes,
      .power = (electricity * (bill.power() * Seconds::from_base(parts.years * kYear_s))).base()};
}

Price price_of(const WideArea& area, Seconds time, const Extras& extras) {
  Price price{.storage = (extras.storage * time).base()};
  for (const Site& site : area.sites) {
    const Price one =
        price_of(site.cluster, present_share(site) * time, {.electricity = extras.electricity});
    price.gpus += site.count * one.gpus;
    price.network += site.count * one.network;
    price.power += site.count * one.power;
  }
  price.network += (lease_price(area) * time).base();
  add_idle_hours(extras, price);
  return price;
}

double energy_j(const WideArea& area, Seconds time) {
  double joules = 0;
  for (const Site& site : area.sites) {
    joules += site.count * (gpu_power(site.cluster) * (present_share(site) * time)).base();
  }
  return joules;
}

Score score_of(const PlanGoal& goal, const Worth& worth) {
  switch (goal.aim) {
    case Aim::cheapest:
      return {worth.usd, worth.time_s, 0};
    case Aim::fastest:
      return {worth.time_s, worth.usd, 0};
    case Aim::smallest_network:
      break;
  }
  return {worth.nic_bandwidth_Bps, worth.usd, worth.time_s};
}

bool meets_limits(const PlanGoal& goal, const Worth& worth, double factor) {
  return worth.time_s <= factor * goal.deadline_s && worth.usd <= factor * goal.budget_usd;
}

bool beats(const PlanGoal& goal, const Worth& one, const Worth& other) {
  if (goal.aim == Aim::smallest_network && one.nic_bandwidth_Bps != other.nic_bandwidth_Bps) {
    return one.nic_bandwidth_Bps < other.nic_bandwidth_Bps;
  }
  const double apart = least_win();
  if (one.usd > other.usd * apart || one.time_s > other.time_s * apart) return false;
  return one.usd * apart < other.usd || one.time_s * apart < other.time_s;
}

}  // namespace sim::study
