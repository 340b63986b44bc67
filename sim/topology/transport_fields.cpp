// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/transport_fields.hpp"

#include "sim/topology/ranks.hpp"

namespace sim {

void drive(const NcclTransport& transport, Nvlink& nvlink) {
  nvlink.efficiency = transport.simple.efficiency;
  nvlink.latency = transport.simple.latency;
  nvlink.ll = transport.ll;
  nvlink.ll128 = transport.ll128;
  if (has_switch(nvlink)) nvlink.nvls = transport.nvls;
  nvlink.sums = transport.sums;
  nvlink.pairs = transport.pairs;
  nvlink.ll_pairs = transport.ll_pairs;
  nvlink.pairs_channel_efficiency = transport.pairs_channel_efficiency;
  nvlink.ll_pairs_channel_efficiency = transport.ll_pairs_channel_efficiency;
}

void drive(const NcclTransport& transport, Network& network) {
  network.efficiency = transport.simple.efficiency;
  network.copy_bandwidth = transport.copy_bandwidth;
  network.latency = transport.simple.latency;
  network.ll = transport.ll;
  network.ll128 = transport.ll128;
  network.message = transport.message.value_or(Seconds());
}

void drive(const NcclTransport& transport, Collectives& collectives) {
  collectives.launch = transport.launch.value_or(Seconds());
  collectives.ll_launch = transport.ll_launch;
  collectives.ll128_launch = transport.ll128_launch;
  collectives.message = transport.message.value_or(Seconds());
}

}  // namespace sim
