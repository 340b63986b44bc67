// SPDX-License-Identifier: Apache-2.0
// A small cluster for tests, with round numbers: NVLink 400 GBps, NICs of 50 GBps.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/topology/cluster.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {

struct SampleShape {
  int nodes = 2;
  int gpus = 8;
  int nics = 8;
  const NetworkFabric* fabric = &fabrics::single_switch;
  double oversubscription = 1;
  int nodes_per_leaf = 4;
  int leaves_per_pod = 2;
  double pod_oversubscription = 1;
  const NvlinkFabric* nvlink = &fabrics::switched;
};

// The most square torus of so many nodes.
inline std::vector<int> sample_torus(int nodes) {
  int first = 1;
  for (int size = 1; size * size <= nodes; ++size) {
    if (nodes % size == 0) first = size;
  }
  return {nodes / first, first};
}

inline Cluster sample_cluster(const SampleShape& shape) {
  Cluster cluster;
  cluster.name = "sample";
  cluster.nodes = shape.nodes;
  cluster.gpus_per_node = shape.gpus;
  cluster.gpu = {.name = "sample",
                 .multiprocessors = 100,
                 .bf16 = 400_TFLOPs,
                 .fp32 = 40_TFLOPs,
                 .memory = 80_GiB,
                 .memory_bandwidth = 2000_GBps,
                 .memory_efficiency = 1,
                 .launch_latency = 0_us,
                 .price = {},
                 .power = {}};
  cluster.nvlink = {.kind = shape.nvlink,
                    .bandwidth = shape.nvlink->direct ? 100_GBps : 400_GBps,
                    .efficiency = 1,
                    .latency = 2_us,
                    .gpus_per_bridge = 2,
                    .gpus_per_socket = 4,
                    .bridge_bandwidth = 400_GBps,
                    .socket_bandwidth = 400_GBps};
  cluster.network = {.fabric = shape.fabric,
                     .nics_per_node = shape.nics,
                     .nic_bandwidth = 50_GBps,
                     .efficiency = 1,
                     .latency = 5_us,
                     .gpu_nic = {},
                     .switch_latency = 1_us,
                     .nodes_per_leaf = shape.nodes_per_leaf,
                     .oversubscription = shape.oversubscription,
                     .leaves_per_pod = shape.leaves_per_pod,
                     .pod_oversubscription = shape.pod_oversubscription,
                     .dimensions = sample_torus(shape.nodes),
                     .link_bandwidth = 50_GBps,
                     .nodes_per_router = 2,
                     .routers_per_group = 2,
                     .groups = (shape.nodes + 3) / 4,
                     .global_links = std::max(1, (shape.nodes + 3) / 8)};
  for (int gpu = 0; gpu < shape.gpus; ++gpu) {
    cluster.network.gpu_nic.push_back(gpu * shape.nics / shape.gpus);
  }
  cluster.collectives = {.channels = 8, .launch = 10_us, .algorithm = &algorithms::ring};
  return cluster;
}

// Every algorithm by every protocol, the fastest for each size.
inline void add_protocols(Cluster& cluster) {
  cluster.nvlink.ll = LinkPace{1_us, 0.1};
  cluster.nvlink.ll128 = LinkPace{1_us, 0.4};
  if (!cluster.nvlink.kind->direct) cluster.nvlink.nvls = LinkPace{30_us, 0.7};
  cluster.network.ll = LinkPace{3_us, 0.2};
  cluster.network.ll128 = LinkPace{4_us, 0.8};
  cluster.collectives.ll_launch = 4_us;
  cluster.collectives.ll128_launch = 6_us;
  cluster.collectives.algorithm = nullptr;
}

inline Cluster run_by(const CollectiveAlgorithm& algorithm, const SampleShape& shape) {
  Cluster cluster = sample_cluster(shape);
  cluster.collectives.algorithm = &algorithm;
  return cluster;
}

}  // namespace sim
