#include "apps/plan/goal.hpp"

#include "sim/cluster/fabric.hpp"

namespace apps {

Price price_of(const sim::Cluster& cluster, sim::Seconds time, sim::EnergyPrice electricity) {
  const sim::Watts power = cluster.gpu.power * sim::rank_count(cluster);
  return {.gpus = (gpu_price(cluster) * time).base(),
          .network = (network_price(cluster) * time).base(),
          .power = (electricity * (power * time)).base()};
}

Score score_of(const Goal& goal, const sim::Cluster& cluster, double seconds_per_token) {
  const sim::Seconds time = goal.time(seconds_per_token);
  const double usd = price_of(cluster, time, goal.electricity).total();
  switch (goal.aim) {
    case Aim::cheapest:
      return {usd, time.base(), 0};
    case Aim::fastest:
      return {time.base(), usd, 0};
    case Aim::smallest_network:
      break;
  }
  return {cluster.network.nic_bandwidth.base(), usd, time.base()};
}

bool meets_limits(const Goal& goal, const sim::Cluster& cluster, double seconds_per_token) {
  const sim::Seconds time = goal.time(seconds_per_token);
  return time.base() <= goal.deadline_s &&
         price_of(cluster, time, goal.electricity).total() <= goal.budget_usd;
}

}  // namespace apps
