// SPDX-License-Identifier: Apache-2.0
// Published times of a block of experts alone (traces/published/expert_layers.csv), beside what a step
// takes longer that has one more of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace apps {

struct ExpertLayer {
  std::string id, dispatcher;
  std::string flags;       // of `run`
  double published_s = 0;  // forward and backward
  double predicted_s = 0;  // with the constants of `run`
};

// Without predictions.
[[nodiscard]] std::vector<ExpertLayer> read_expert_layers();
// Calls `step` before each.
void predict_layers(std::vector<ExpertLayer>& layers, int jobs, const std::function<void()>& step);
// The mean of absolute logarithms.
[[nodiscard]] double layers_error(const std::vector<ExpertLayer>& layers);

}  // namespace apps
