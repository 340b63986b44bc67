// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/offloading.hpp"

#include <algorithm>

#include "sim/workload/activations.hpp"
#include "sim/workload/pipeline_tasks.hpp"

namespace sim {

int leaving_layers(const Parallelism& p, int layers) {
  return std::min(p.offloaded_layers, layers);
}

int leaving_before_turn(const Parallelism& p, int layers) {
  const int stay = layers - leaving_layers(p, layers);
  return std::max(0, layers - std::max(stay, kAlternatingBuffers));
}

int extra_buffers(const Parallelism& p, const Stages& stages, int stage) {
  if (p.offloaded_layers == 0) return 0;
  int most = 0;
  for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
    const int layers = stages.layers_of(chunk * p.pipeline + stage);
    const int kept = passes_in_flight(p, stage) * layers;  // at once without the hosts
    most =
        std::max(most, std::min(kAlternatingBuffers, kept) - (layers - leaving_layers(p, layers)));
  }
  return most;
}

KindCounts leaving_kinds(const Model& model, const Parallelism& p, const Stages& stages,
                         int stage) {
  KindCounts counts;
  for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
    const int v = chunk * p.pipeline + stage;
    const int first = stages.first_layer(v);
    add(kinds_between(model, first, first + leaving_layers(p, stages.layers_of(v))), counts);
  }
  return counts;
}

double host_activation_bytes(const Model& model, const Parallelism& p) {
  if (p.offloaded_layers == 0) return 0;
  const Stages stages(model, p);
  double most = 0;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const int passes = passes_in_flight(p, stage);
    double bytes = 0, largest = 0;
    for (const KindCount& one : leaving_kinds(model, p, stages, stage)) {
      const double layer = kept_activations(model, p, one.kind).total();
      bytes += layer * one.layers * passes / p.virtual_stages;
      largest = std::max(largest, layer);
    }
    // A pass alone turns with its last layers still in the buffers.
    if (passes == 1) bytes -= largest * std::max(0, extra_buffers(p, stages, stage));
    most = std::max(most, bytes);
  }
  return most;
}

}  // namespace sim
