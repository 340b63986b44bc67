// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/constants.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/topology/ranks.hpp"

namespace sim::fit {
namespace {

// Where coordinates begin: a time of 0 and a share of 1 are infinitely far away.
constexpr double kLeastSeconds = 1e-9;
constexpr double kMostShare = 0.999;

// One value of a pace that the cluster may lack, in [nvlink] or [network].
template <class Table>
Constant pace_latency(std::string_view key, Table Cluster::*table,
                      std::optional<LinkPace> Table::*pace) {
  return {key, Measure::seconds,
          [=](const Cluster& cluster) -> std::optional<double> {
            const std::optional<LinkPace>& known = cluster.*table.*pace;
            return known ? std::optional(known->latency.base()) : std::nullopt;
          },
          [=](Cluster& cluster, double value) {
            (cluster.*table.*pace).value().latency = Seconds::from_base(value);
          }};
}
template <class Table>
Constant pace_efficiency(std::string_view key, Table Cluster::*table,
                         std::optional<LinkPace> Table::*pace) {
  return {
      key, Measure::share,
      [=](const Cluster& cluster) -> std::optional<double> {
        const std::optional<LinkPace>& known = cluster.*table.*pace;
        return known ? std::optional(known->efficiency) : std::nullopt;
      },
      [=](Cluster& cluster, double value) { (cluster.*table.*pace).value().efficiency = value; }};
}

// Those of the Simple protocol, which every cluster has.
template <class Table>
Constant simple_time(std::string_view key, Table Cluster::*table, Seconds Table::*time) {
  return {
      key, Measure::seconds,
      [=](const Cluster& cluster) { return std::optional((cluster.*table.*time).base()); },
      [=](Cluster& cluster, double value) { cluster.*table.*time = Seconds::from_base(value); }};
}
Constant nvlink_efficiency() {
  return {"nvlink.efficiency", Measure::share,
          [](const Cluster& cluster) { return std::optional(cluster.nvlink.efficiency); },
          [](Cluster& cluster, double value) { cluster.nvlink.efficiency = value; }};
}
// What a log shows contains what copies cost.
Constant network_efficiency() {
  return {"network.efficiency", Measure::share,
          [](const Cluster& cluster) { return std::optional(network_share(cluster.network)); },
          [](Cluster& cluster, double value) {
            cluster.network.efficiency = value;
            cluster.network.copy_bandwidth.reset();
          }};
}

Constant channel_efficiency(std::string_view key) {
  return {key, Measure::share,
          [](const Cluster& cluster) { return cluster.nvlink.pairs_channel_efficiency; },
          [](Cluster& cluster, double value) { cluster.nvlink.pairs_channel_efficiency = value; }};
}

Constant protocol_launch(std::string_view key, std::optional<Seconds> Collectives::*launch) {
  return {key, Measure::seconds,
          [=](const Cluster& cluster) -> std::optional<double> {
            const std::optional<Seconds>& known = cluster.collectives.*launch;
            return known ? std::optional(known->base()) : std::nullopt;
          },
          [=](Cluster& cluster, double value) {
            cluster.collectives.*launch = Seconds::from_base(value);
          }};
}

std::vector<Constant> make_constants() {
  constexpr auto kNetwork = &Cluster::network;
  constexpr auto kNvlink = &Cluster::nvlink;
  return {
      network_efficiency(),
      pace_efficiency("network.ll128_efficiency", kNetwork, &Network::ll128),
      pace_efficiency("network.ll_efficiency", kNetwork, &Network::ll),
      simple_time("network.latency", kNetwork, &Network::latency),
      pace_latency("network.ll128_latency", kNetwork, &Network::ll128),
      pace_latency("network.ll_latency", kNetwork, &Network::ll),
      pace_efficiency("nvlink.nvls_efficiency", kNvlink, &Nvlink::nvls),
      pace_latency("nvlink.nvls_latency", kNvlink, &Nvlink::nvls),
      pace_efficiency("nvlink.pairs_efficiency", kNvlink, &Nvlink::pairs),
      pace_latency("nvlink.pairs_latency", kNvlink, &Nvlink::pairs),
      channel_efficiency("nvlink.pairs_channel_efficiency"),
      pace_efficiency("nvlink.ll_pairs_efficiency", kNvlink, &Nvlink::ll_pairs),
      pace_latency("nvlink.ll_pairs_latency", kNvlink, &Nvlink::ll_pairs),
      nvlink_efficiency(),
      pace_efficiency("nvlink.ll128_efficiency", kNvlink, &Nvlink::ll128),
      pace_efficiency("nvlink.ll_efficiency", kNvlink, &Nvlink::ll),
      simple_time("collectives.launch", &Cluster::collectives, &Collectives::launch),
      protocol_launch("collectives.ll128_launch", &Collectives::ll128_launch),
      protocol_launch("collectives.ll_launch", &Collectives::ll_launch),
      simple_time("nvlink.latency", kNvlink, &Nvlink::latency),
      pace_latency("nvlink.ll128_latency", kNvlink, &Nvlink::ll128),
      pace_latency("nvlink.ll_latency", kNvlink, &Nvlink::ll),
  };
}

}  // namespace

double Constant::coordinate(double value) const {
  if (measure == Measure::seconds) return std::log(std::max(value, kLeastSeconds));
  const double share = std::min(value, kMostShare);
  return std::log(share / (1 - share));
}

double Constant::value(double coordinate) const {
  return measure == Measure::seconds ? std::exp(coordinate) : 1 / (1 + std::exp(-coordinate));
}

double Constant::slope(double coordinate) const {
  return measure == Measure::seconds ? 1 : 1 - value(coordinate);
}

std::span<const Constant> all_constants() {
  static const std::vector<Constant> constants = make_constants();
  return constants;
}

}  // namespace sim::fit
