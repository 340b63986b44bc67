// SPDX-License-Identifier: Apache-2.0
// The grid on which folded collectives are compared with the same collectives step by step: every
// algorithm and protocol on every fabric. The tests take a part of it, gardenhose-fold-grid all of it.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {

// What the two forms may differ by, of the simulated time.
inline constexpr double kFoldTolerance = 0.001;

struct FoldPoint {
  CollectiveRow collective;
  const CollectiveAlgorithm* algorithm = nullptr;
  Protocol protocol = Protocol::simple;
  const NetworkFabric* fabric = nullptr;
  int gpus = 8;
  Bytes bytes;
  double oversubscription = 1;  // of each tapered level of the fabric
  int gpus_per_nic = 1;
};

struct FoldTimes {
  double folded_s = 0;
  double step_by_step_s = 0;
  [[nodiscard]] double difference() const { return folded_s / step_by_step_s - 1; }
};

struct FoldAxes {
  std::vector<int> gpus;
  std::vector<Bytes> bytes;
  std::vector<double> oversubscription;
  std::vector<int> gpus_per_nic;
};

inline FoldAxes full_axes() {
  return {.gpus = {4, 8, 12, 16, 24, 32, 64, 128},
          .bytes = {{1024}, {65536}, 2_MiB, 64_MiB, 1_GiB},
          .oversubscription = {1, 1.25, 1.5, 2, 4},
          .gpus_per_nic = {1, 2, 4}};
}

template <class Visit>
void for_each_way(const FoldAxes& axes, Visit visit) {
  for (const CollectiveRow& collective : all_collectives()) {
    for (const CollectiveAlgorithm* algorithm : all_algorithms()) {
      if (!algorithm->can_run(collective.collective)) continue;
      for (const Protocol protocol : kProtocols) {
        for (const int gpus_per_nic : axes.gpus_per_nic) {
          visit(FoldPoint{.collective = collective,
                          .algorithm = algorithm,
                          .protocol = protocol,
                          .gpus_per_nic = gpus_per_nic});
        }
      }
    }
  }
}

inline std::vector<FoldPoint> fold_points(const FoldAxes& axes) {
  std::vector<FoldPoint> points;
  for_each_way(axes, [&](FoldPoint point) {
    for (const NetworkFabric* fabric : all_network_fabrics()) {
      for (const double oversubscription : axes.oversubscription) {
        if (!fabric->takes("oversubscription") && oversubscription > 1) continue;
        for (const int gpus : axes.gpus) {
          for (const Bytes bytes : axes.bytes) {
            point.fabric = fabric;
            point.oversubscription = oversubscription;
            point.gpus = gpus;
            point.bytes = bytes;
            points.push_back(point);
          }
        }
      }
    }
  });
  return points;
}

// Nodes of 4 GPUs, so that 128 GPUs are more nodes than an all_to_all has shares for; four nodes a
// leaf and two leaves a pod, so that there is every distance.
inline Cluster cluster_of(const FoldPoint& point) {
  constexpr int kGpus = 4;
  Cluster cluster = sample_cluster({.nodes = point.gpus / kGpus,
                                    .gpus = kGpus,
                                    .nics = kGpus / point.gpus_per_nic,
                                    .fabric = point.fabric,
                                    .oversubscription = point.oversubscription,
                                    .pod_oversubscription = point.oversubscription});
  add_protocols(cluster);
  cluster.collectives.algorithm = point.algorithm;
  cluster.collectives.protocol = point.protocol;
  return cluster;
}

// Flows of the point step by step; none where its algorithm or its protocol cannot run.
inline double steps_of(const FoldPoint& point) {
  const Cluster cluster = cluster_of(point);
  if (cluster.nodes > point.algorithm->most_nodes) return 0;
  const std::vector<int> ranks = all_ranks(cluster);
  const LoneCollective alone =
      run_alone(point.collective, cluster, {&ranks, 1}, static_cast<double>(point.bytes.count),
                Detail::folded, Buffers::in_place);
  const bool asked = alone.protocol == name_of(std::optional(point.protocol), kProtocolNames);
  return asked ? alone.schedule.unfolded_flows : 0;
}

// Simulated time of one collective alone.
inline FoldTimes fold_times(const CollectiveRow& row, const Cluster& cluster,
                            const std::vector<int>& ranks, double bytes) {
  const auto seconds = [&](Detail detail) {
    return simulate(schedule_of(row, cluster, ranks, bytes, detail), cluster).makespan_s;
  };
  return {seconds(Detail::folded), seconds(Detail::step_by_step)};
}

inline FoldTimes fold_times(const FoldPoint& point) {
  const Cluster cluster = cluster_of(point);
  return fold_times(point.collective, cluster, all_ranks(cluster),
                    static_cast<double>(point.bytes.count));
}

}  // namespace sim
