// SPDX-License-Identifier: Apache-2.0
#include "sim/times/calibration_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

using codecs::Operation;

int usual_value_bytes(Operation operation) {
  const bool of_weights =
      operation == Operation::encode_difference || operation == Operation::decode_add;
  return of_weights ? 2 : 4;
}

double moved_bytes(const codecs::KernelShape& shape) {
  const codecs::Traffic traffic = codecs::memory_traffic(shape);
  return traffic.read + traffic.written;
}

std::string kernel_key(const codecs::KernelShape& shape, std::string_view codec,
                       std::string_view to) {
  std::string key = fmt::format("{}/{}/{}/{}", codec, name_of(shape.operation), shape.inputs, to);
  // Sums that are encoded again have no values.
  const bool usual = shape.operation == Operation::decode_reduce_encode ||
                     shape.value_bytes == usual_value_bytes(shape.operation);
  return usual ? key : fmt::format("{}/{}", key, shape.value_bytes);
}

const codecs::MethodStep* step_named(std::string_view method, std::string_view step) {
  for (const codecs::MethodStep& one : codecs::all_method_steps()) {
    if (one.method == method && one.step == step) return &one;
  }
  return nullptr;
}

std::string step_key(const codecs::MethodStep& step, const codecs::StepShape& shape) {
  return fmt::format("{}/{}/{}/{}", step.method, step.step, shape.ranks, shape.factor_rank);
}

Bandwidth scale(const Calibration& calibration) {
  return calibration.copy_bandwidth.value_or(calibration.memory_bandwidth);
}

Bandwidth scale(const Calibration& calibration, const Gpu& gpu) {
  return calibration.copy_bandwidth ? gpu.memory_bandwidth * gpu.memory_efficiency
                                    : gpu.memory_bandwidth;
}

double memory_share(const Calibration& calibration) {
  std::vector<double> shares;
  for (const auto& [key, times] : *calibration.kernels) {
    const KernelTime& largest = times.back();
    shares.push_back(largest.moved_bytes / largest.seconds / scale(calibration).base());
  }
  if (shares.empty()) return 0;
  std::ranges::sort(shares);
  return (shares[(shares.size() - 1) / 2] + shares[shares.size() / 2]) / 2;
}

}  // namespace sim
