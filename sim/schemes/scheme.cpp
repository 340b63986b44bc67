// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/scheme.hpp"

#include <algorithm>

namespace sim {

bool Scheme::is_defined_for(int zero_stage) const {
  return std::find(zero.begin(), zero.end(), zero_stage) != zero.end();
}

int Scheme::usual_stage() const { return is_defined_for(1) ? 1 : zero.front(); }

std::vector<const Wire*> Scheme::wires() const {
  if (between_sites) return {&between_sites->wire};
  std::vector<const Wire*> all{&weights.wire,       &gradients.inside,     &gradients.between,
                               &activations.tensor, &activations.pipeline, &activations.dispatch,
                               &activations.combine};
  if (experts.weights) all.push_back(&experts.weights->wire);
  if (experts.gradients)
    all.insert(all.end(), {&experts.gradients->inside, &experts.gradients->between});
  return all;
}

bool GradientExchange::is_plain() const {
  if (algorithm->sends_buffer()) return true;
  return !algorithm->has_factors() && residual_bytes == 0 && inside.is_plain() &&
         between.is_plain();
}

}  // namespace sim
