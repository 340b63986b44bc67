// SPDX-License-Identifier: Apache-2.0
// What a protocol of NCCL costs a group: a start, a latency for each step, and the bandwidth that it
// leaves unused. A schedule moves a collective's bytes at the full rate of its links; what a protocol
// takes beyond that is latency, during which other traffic can use the links.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/nccl/tuner.hpp"

namespace sim {

// By protocol; nothing where one is not known for the links in use.
template <class T>
using ByProtocol = std::array<std::optional<T>, std::size(kProtocols)>;
template <class T>
[[nodiscard]] const std::optional<T>& at(const ByProtocol<T>& values, Protocol protocol) {
  return values[static_cast<std::size_t>(protocol)];
}

// How the protocols drive a cluster's links.
struct Paces {
  ByProtocol<Seconds> launch;
  ByProtocol<LinkPace> nvlink, network;
};
[[nodiscard]] Paces paces_of(const Cluster& cluster);
// Of all_to_alls. If they have paces of their own, the launch includes the steps over NVLink.
[[nodiscard]] Paces paces_of_pairs(const Cluster& cluster);

// Seconds per byte of a collective at the full rate of the busiest link of each kind.
struct Busiest {
  double nvlink_s = 0, network_s = 0;

  [[nodiscard]] double seconds() const;
};
// Of legs whose connections are still to be told apart.
[[nodiscard]] Busiest busiest_of(const Topology& topology, std::span<const LegDraft> legs);

// Latency of one step over the hop, by a protocol that is known for it.
[[nodiscard]] double step_latency(const Topology& topology, const Paces& paces, const Hop& hop,
                                  Protocol protocol);
// By each protocol; 0 where one is not known for it.
using ProtocolTimes = std::array<double, std::size(kProtocols)>;
[[nodiscard]] ProtocolTimes step_latencies(const Topology& topology, const Paces& paces,
                                           const Hop& hop);
// The same of a hop whose way is known.
[[nodiscard]] ProtocolTimes step_latencies(const Topology& topology, const Paces& paces,
                                           const Hop& hop, const Way& way);

struct ProtocolCost {
  double launch_s = 0;
  double step_s = 0;
  double s_per_byte = 0;  // beyond the full rate
};
using ProtocolCosts = ByProtocol<ProtocolCost>;
// `share`: what the algorithm reaches of a protocol's bandwidth.
[[nodiscard]] ProtocolCosts protocol_costs(const Cluster& cluster, const Paces& paces,
                                           const Busiest& busiest,
                                           const std::function<double(Protocol)>& step_s,
                                           double share = 1);

// The same of an order: the few channels that NCCL takes for a small buffer are slower than all
// together. `full`: seconds per byte at the full rate. Without a tuner, channels carry whatever there
// is.
[[nodiscard]] double slower_s_per_byte(const nccl::Tuner* tuner, nccl::Algorithm algorithm,
                                       const Order& order, double full, double beyond);

// What the copy of an own share takes, out of place.
[[nodiscard]] double own_copy_s_per_byte(const Cluster& cluster);

// All values, for LaidOut::pace.
[[nodiscard]] std::vector<double> values_of(const ProtocolCosts& costs);

}  // namespace sim
