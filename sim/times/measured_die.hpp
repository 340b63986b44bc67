// SPDX-License-Identifier: Apache-2.0
// What was measured on GPUs of one die. Two GPUs of a die, a power limit and a data sheet multiply
// matrices alike: what their tables differ by is the scatter of single GPUs. So they share one table,
// the mean of their own, and only what their memories bound differs.
#pragma once

#include <memory>
#include <span>

#include "sim/times/calibration.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// A measured table, and the published times for its GPU.
struct MeasuredGpu {
  Calibration table;
  std::shared_ptr<const PublishedKernels> published;
};

// The published times with what a table measured on that very GPU, and others on GPUs of its die;
// unchanged if the table is of another GPU or measured no products.
[[nodiscard]] std::shared_ptr<const PublishedKernels> with_measured(
    std::shared_ptr<const PublishedKernels> published, const Calibration& table, const Gpu& gpu,
    std::span<const MeasuredGpu> of_same_die = {});

// The table with the mean launch latency of its die.
[[nodiscard]] Calibration with_launches_of_die(Calibration table,
                                               std::span<const MeasuredGpu> of_same_die);

}  // namespace sim
