// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/transport_fields.hpp"

#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

const NcclTransport& row_of(const NcclTransport& named, bool by_channels) {
  return by_channels && named.by_channels != nullptr ? *named.by_channels : named;
}

}  // namespace

void drive(const NcclTransport& named, Nvlink& nvlink) {
  const NcclTransport& transport = row_of(named, nvlink.by_channels);
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

void drive(const NcclTransport& named, Network& network) {
  const NcclTransport& transport = row_of(named, network.by_channels);
  network.efficiency = transport.simple.efficiency;
  network.copy_bandwidth = transport.copy_bandwidth;
  network.latency = transport.simple.latency;
  network.ll = transport.ll;
  network.ll128 = transport.ll128;
  network.message = transport.message.value_or(Seconds());
}

void drive(const NcclTransport& named, Collectives& collectives) {
  const NcclTransport& transport = row_of(named, collectives.by_channels);
  collectives.launch = transport.launch.value_or(Seconds());
  collectives.ll_launch = transport.ll_launch;
  collectives.ll128_launch = transport.ll128_launch;
  collectives.message = transport.message.value_or(Seconds());
}

}  // namespace sim
