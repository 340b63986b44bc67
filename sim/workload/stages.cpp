// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/stages.hpp"

#include <algorithm>

namespace sim {
namespace {

bool counts_embedding(const Parallelism& p) {
  return p.counted_ends == CountedEnds::embedding || p.counted_ends == CountedEnds::both;
}

bool counts_head(const Parallelism& p) {
  return p.counted_ends == CountedEnds::head || p.counted_ends == CountedEnds::both;
}

}  // namespace

int counted_layers(const Model& model, const Parallelism& p) {
  return model.layers + (counts_embedding(p) ? 1 : 0) + (counts_head(p) ? 1 : 0);
}

int first_layer(const Model& model, const Parallelism& p, int virtual_stage) {
  const int embedding = counts_embedding(p) ? 1 : 0;
  const int counted = counted_layers(model, p);
  const int stages = p.pipeline * p.virtual_stages;
  if (virtual_stage == 0) return 0;
  if (virtual_stage == stages) return model.layers;
  const int larger = std::min(virtual_stage, counted % stages);
  return counted / stages * virtual_stage + larger - embedding;
}

int layers_of(const Model& model, const Parallelism& p, int virtual_stage) {
  return first_layer(model, p, virtual_stage + 1) - first_layer(model, p, virtual_stage);
}

int stage_layers(const Model& model, const Parallelism& p, int stage) {
  int layers = 0;
  for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
    layers += layers_of(model, p, chunk * p.pipeline + stage);
  }
  return layers;
}

std::vector<int> chunk_starts(const Model& model, const Parallelism& p, int stage) {
  std::vector<int> starts{0};
  for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
    starts.push_back(starts.back() + std::max(1, layers_of(model, p, chunk * p.pipeline + stage)));
  }
  return starts;
}

int most_layers_of_a_chunk(const Model& model, const Parallelism& p) {
  int most = 0;
  for (int v = 0; v < p.pipeline * p.virtual_stages; ++v) {
    most = std::max(most, layers_of(model, p, v));
  }
  return most;
}

}  // namespace sim
