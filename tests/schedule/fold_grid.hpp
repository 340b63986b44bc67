// SPDX-License-Identifier: Apache-2.0
// The grid on which folded collectives are compared with the same collectives step by step. The
// tests take a part of it, gardenhose-fold-grid all of it.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {

// What the two forms may differ by, of the simulated time.
inline constexpr double kFoldTolerance = 0.02;

struct FoldPoint {
  CollectiveRow collective;
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
  return {.gpus = {8, 16, 32, 64, 128},
          .bytes = {1_MiB, 16_MiB, 1_GiB},
          .oversubscription = {1, 1.25, 1.5, 2, 4},
          .gpus_per_nic = {1, 2, 4}};
}

inline std::vector<FoldPoint> fold_points(const FoldAxes& axes) {
  std::vector<FoldPoint> points;
  const auto add_sizes = [&](FoldPoint point) {
    for (const Bytes bytes : axes.bytes) {
      for (const int gpus_per_nic : axes.gpus_per_nic) {
        point.bytes = bytes;
        point.gpus_per_nic = gpus_per_nic;
        points.push_back(point);
      }
    }
  };
  for (const int gpus : axes.gpus) {
    for (const CollectiveRow& collective : all_collectives()) {
      for (const NetworkFabric* fabric : all_network_fabrics()) {
        const bool uplinks = fabric->takes("oversubscription");
        for (const double oversubscription : axes.oversubscription) {
          if (!uplinks && oversubscription > 1) continue;
          add_sizes({.collective = collective,
                     .fabric = fabric,
                     .gpus = gpus,
                     .oversubscription = oversubscription});
        }
      }
    }
  }
  return points;
}

// Nodes of 4 GPUs, so that 128 GPUs are more nodes than an all_to_all has shares for; four nodes a
// leaf and two leaves a pod, so that there is every distance.
inline Cluster cluster_of(const FoldPoint& point) {
  constexpr int kGpus = 4;
  return sample_cluster({.nodes = point.gpus / kGpus,
                         .gpus = kGpus,
                         .nics = kGpus / point.gpus_per_nic,
                         .fabric = point.fabric,
                         .oversubscription = point.oversubscription,
                         .pod_oversubscription = point.oversubscription});
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
