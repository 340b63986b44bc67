// Wide areas and rounds for tests: sites of which only what a test says limits anything.
#pragma once

#include <vector>

#include "sim/rounds/simulate_round.hpp"

namespace sim {

inline constexpr double kUnlimited = 1e18;

inline Cluster one_gpu() {
  Cluster cluster{.nodes = 1, .gpus_per_node = 1};
  cluster.network.nics_per_node = 1;
  cluster.network.nic_bandwidth = Bandwidth::from_base(kUnlimited);
  cluster.network.efficiency = 1;
  cluster.network.gpu_nic = {0};
  return cluster;
}

// `count` sites of one GPU with lines of that rate into a backbone of that latency.
inline WideArea equal_sites(int count, double line_Bps, Seconds latency = {}) {
  const Bandwidth line = Bandwidth::from_base(line_Bps);
  WideArea area;
  area.transport.kind = Transport::Kind::rdma;
  area.transport.rdma = {.buffer = Bytes{1'000'000'000'000}, .channels = 1000, .queue_pairs = 1};
  area.sites = {
      Site{.name = "site", .count = count, .cluster = one_gpu(), .uplink = line, .downlink = line}};
  area.backbone = WideLink{.name = "backbone", .latency = latency};
  return area;
}

// Steps of a second, and `bytes` whole, in as many parts as there are sites.
inline RoundShape equal_rounds(Exchange exchange, int places, int inner_steps, double bytes) {
  const SiteWork work{.step_s = 1,
                      .ready_s = {1},
                      .needed_s = 1,
                      .whole_bytes = bytes,
                      .part_bytes = bytes / places};
  return {.exchange = exchange,
          .inner_steps = inner_steps,
          .gpus = places,
          .sites = std::vector<SiteWork>(static_cast<std::size_t>(places), work)};
}

}  // namespace sim
