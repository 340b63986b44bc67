// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/readings.hpp"

#include "sim/times/calibration_rows.hpp"

namespace sim::validation {

Calibration counted_both_ways(Calibration published) {
  constexpr double kValueBytes = 4;
  for (auto& [key, times] : published.kernels.own()) {
    for (KernelTime& one : times) one.seconds *= one.moved_bytes / (kValueBytes * one.elements);
  }
  published.memory_share = memory_share(published);
  return published;
}

std::vector<Row> counted_both_ways(const Inputs& inputs, std::vector<Row> rows) {
  Inputs other = inputs;
  for (auto& [cluster, table] : other.calibrations) {
    if (table.kind == "published") table = counted_both_ways(table);
  }
  for (Row& row : rows) {
    const Measurement& measured = row.measured;
    if (inputs.calibrations.at(measured.setup.cluster).kind != "published") continue;
    if (measured.setup.scheme == "sharded") continue;
    row.predicted.fitted = predict(other, measured.setup).of(measured.metric);
  }
  return rows;
}

}  // namespace sim::validation
