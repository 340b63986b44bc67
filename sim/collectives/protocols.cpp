// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/protocols.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/collectives/connections.hpp"
#include "sim/collectives/link_loads.hpp"
#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

// How much longer than at full rate a byte takes by the protocol.
std::optional<double> slowdown(double s_per_byte, double efficiency,
                               const std::optional<LinkPace>& pace) {
  if (s_per_byte == 0) return 0;  // no such link is in use
  if (!pace) return std::nullopt;
  return s_per_byte * efficiency / pace->efficiency;
}

std::optional<double> unused_s_per_byte(const Cluster& cluster, const Paces& paces,
                                        const Busiest& busiest, Protocol protocol, double share) {
  const auto inside =
      slowdown(busiest.nvlink_s, cluster.nvlink.efficiency, at(paces.nvlink, protocol));
  const auto between =
      slowdown(busiest.network_s, network_share(cluster.network), at(paces.network, protocol));
  if (!inside || !between) return std::nullopt;
  return std::max(0.0, std::max(*inside, *between) / share - busiest.seconds());
}

template <class T>
std::optional<T>& simple(ByProtocol<T>& values) {
  return values[static_cast<std::size_t>(Protocol::simple)];
}

}  // namespace

Paces paces_of(const Cluster& cluster) {
  const Nvlink& nvlink = cluster.nvlink;
  const Network& network = cluster.network;
  const Collectives& collectives = cluster.collectives;
  return {
      .launch = {collectives.ll_launch, collectives.ll128_launch, collectives.launch},
      .nvlink = {nvlink.ll, nvlink.ll128, LinkPace{nvlink.latency, nvlink.efficiency}},
      .network = {network.ll, network.ll128, LinkPace{network.latency, network_share(network)}}};
}

Paces paces_of_pairs(const Cluster& cluster) {
  const Nvlink& nvlink = cluster.nvlink;
  Paces paces = paces_of(cluster);
  paces.launch = {std::nullopt, std::nullopt, cluster.collectives.launch};
  if (nvlink.pairs) {
    simple(paces.launch) = nvlink.pairs->latency;
    simple(paces.nvlink) = LinkPace{{}, nvlink.pairs->efficiency};
  }
  if (nvlink.ll_pairs) {
    paces.launch.front() = nvlink.ll_pairs->latency;
    paces.nvlink.front() = LinkPace{{}, nvlink.ll_pairs->efficiency};
  }
  return paces;
}

double Busiest::seconds() const { return std::max(nvlink_s, network_s); }

Busiest busiest_of(const Topology& topology, std::span<const LegDraft> all) {
  Connections connections(topology.cluster());
  LinkLoads inside(topology), between(topology);
  for (const LegDraft& one : all) {
    const LegDraft& leg = connections.over(one);
    for (const Hop& hop : leg.hops) {
      (hop.over_network() ? between : inside).add(hop, leg.unit * hop.times);
    }
  }
  return {.nvlink_s = inside.seconds(), .network_s = between.seconds()};
}

double step_latency(const Topology& topology, const Paces& paces, const Hop& hop,
                    Protocol protocol) {
  const auto& pace = at(hop.over_network() ? paces.network : paces.nvlink, protocol);
  require(pace.has_value(), "a protocol that is known for the link");
  return step_latencies(topology, paces, hop)[static_cast<std::size_t>(protocol)];
}

ProtocolTimes step_latencies(const Topology& topology, const Paces& paces, const Hop& hop) {
  return step_latencies(topology, paces, hop, hop.over_network() ? topology.way(hop) : Way{});
}

ProtocolTimes step_latencies(const Topology& topology, const Paces& paces, const Hop& hop,
                             const Way& way) {
  const bool network = hop.over_network();
  const Seconds further =
      network ? topology.latency_over(way) - topology.cluster().network.latency : Seconds{};
  ProtocolTimes latencies{};
  for (const Protocol protocol : kProtocols) {
    const auto& pace = at(network ? paces.network : paces.nvlink, protocol);
    if (pace) latencies[static_cast<std::size_t>(protocol)] = (further + pace->latency).base();
  }
  return latencies;
}

ProtocolCosts protocol_costs(const Cluster& cluster, const Paces& paces, const Busiest& busiest,
                             const std::function<double(Protocol)>& step_s, double share) {
  ProtocolCosts costs;
  for (const Protocol protocol : kProtocols) {
    const auto& launch = at(paces.launch, protocol);
    const auto unused = unused_s_per_byte(cluster, paces, busiest, protocol, share);
    if (!launch || !unused) continue;
    costs[static_cast<std::size_t>(protocol)] =
        ProtocolCost{.launch_s = launch->base(), .step_s = step_s(protocol), .s_per_byte = *unused};
  }
  return costs;
}

double slower_s_per_byte(const nccl::Tuner* tuner, nccl::Algorithm algorithm, const Order& order,
                         double full, double beyond) {
  if (tuner == nullptr) return beyond;
  const int taken = nccl::channels_taken(tuner->group, algorithm, order.protocol, order.bytes);
  return (full + beyond) * tuner->group.channels / taken - full;
}

double own_copy_s_per_byte(const Cluster& cluster) {
  // A ring's first step stores the share twice. Fitted, in parts of a share that is sent, on the
  // logs of nvlink3, nvlink4 and nvlink5: 0.26, 0.32 and 0.57.
  constexpr double kPartOfSending = 0.4;
  return kPartOfSending / gpu_rate(cluster).base();
}

std::vector<double> values_of(const ProtocolCosts& costs) {
  std::vector<double> values;
  for (const auto& cost : costs) {
    const ProtocolCost one = cost.value_or(ProtocolCost{.launch_s = -1});
    values.insert(values.end(), {one.launch_s, one.step_s, one.s_per_byte});
  }
  return values;
}

}  // namespace sim
