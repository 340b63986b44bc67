// SPDX-License-Identifier: Apache-2.0
// Training without a loss, as a source of weights and weight updates: weights N(0, 0.02), gradients
// N(0, 1), AdamW (beta 0.9 and 0.95, weight decay 0.1) on float32 masters.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"

namespace codecs {

struct AdamTrace {
  struct Phase {
    int steps = 0;
    double learning_rate = 0;
  };
  std::size_t weights = 0;
  std::vector<Phase> phases = {};
  double common = 0;  // part of the gradients' variance shared by all steps
  std::uint64_t seed = 0;
};
// 150 steps at the learning rate of a run's start, then 150 at the rate of its end.
[[nodiscard]] AdamTrace two_phases(std::size_t weights, std::uint64_t seed);

// Calls `visit` with the weights before the first step (step 0) and after each step.
using TraceVisitor = std::function<void(std::uint32_t step, std::span<const float> master)>;
void run_adam(const AdamTrace& trace, const TraceVisitor& visit);

// How the masters' values reach the bfloat16 model in each step.
using WeightExchange =
    std::function<void(std::span<const float> master, const RandomKey& key, std::span<Bf16> model)>;
[[nodiscard]] WeightExchange send_weights(const Codec& codec);  // quantises the weights
// Quantises the changes, with the format's group codec.
[[nodiscard]] WeightExchange send_differences(const Format& format);
// |model - master| / |master| at the end of each phase.
[[nodiscard]] std::vector<double> weight_errors(const AdamTrace& trace,
                                                const WeightExchange& exchange);

// A tensor for measuring codecs.
struct Tensor {
  std::string name;    // "adam_weight_difference"
  std::string source;  // provenance, on one line
  std::vector<std::size_t> shape;
  std::vector<float> values;  // in row-major order
};
// Typical inputs of the codecs for weight differences and pseudo-gradients, from traces of Adam.
// The differences are those of a bfloat16 model that follows exactly, in the last step of each
// phase of two_phases(). The pseudo-gradient is that of the eighth round of 30 local steps under
// error feedback that sends the largest 64 of every 4096 and keeps 0.95 of the rest, as in
// SparseLoCo (arXiv 2508.15706): its codec's input.
struct SyntheticTensor {
  std::string_view name;
  Tensor (*make)(const SyntheticTensor& row, std::uint64_t seed) = nullptr;
};
[[nodiscard]] std::span<const SyntheticTensor> synthetic_tensors();

}  // namespace codecs
