// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/training.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "codecs/difference/difference.hpp"
#include "codecs/error/distributions.hpp"
#include "codecs/error/error.hpp"

namespace codecs {
namespace {

// Streams: the weights (0), each step, and what the steps share.
constexpr std::uint64_t kShared = 999'999;

Eigen::ArrayXd draw_normal(std::uint64_t seed, std::size_t elements) {
  const std::vector<float> values = draw(distribution_named("normal"), seed, elements);
  return Eigen::Map<const Eigen::ArrayXf>(values.data(), static_cast<Eigen::Index>(elements))
      .cast<double>();
}

std::vector<Bf16> rounded(std::span<const float> values) {
  std::vector<Bf16> result(values.size());
  std::ranges::transform(values, result.begin(), to_bf16);
  return result;
}

std::vector<float> widened(std::span<const Bf16> values) {
  std::vector<float> result(values.size());
  std::ranges::transform(values, result.begin(), to_float);
  return result;
}

constexpr std::size_t kRows = 128, kColumns = 256;

// Of the last step of a trace.
Tensor weight_difference(const SyntheticTensor& row, const AdamTrace& trace) {
  std::vector<Bf16> before, after;
  run_adam(trace, [&](std::uint32_t, std::span<const float> master) {
    before = std::exchange(after, rounded(master));
  });
  Tensor tensor{.name = std::string(row.name),
                .source = "synthetic: bfloat16 weights after a step of Adam less those before",
                .shape = {kRows, kColumns},
                .values = std::vector<float>(after.size())};
  for (std::size_t i = 0; i < after.size(); ++i) {
    tensor.values[i] = to_float(to_bf16(to_float(after[i]) - to_float(before[i])));
  }
  return tensor;
}

Tensor early_difference(const SyntheticTensor& row, std::uint64_t seed) {
  AdamTrace trace = two_phases(kRows * kColumns, seed);
  trace.phases.pop_back();
  return weight_difference(row, trace);
}

Tensor late_difference(const SyntheticTensor& row, std::uint64_t seed) {
  return weight_difference(row, two_phases(kRows * kColumns, seed));
}

// Zeroes the 64 values of largest magnitude in each 4096: they were sent.
void remove_largest(std::vector<float>& values) {
  constexpr std::size_t kTile = 4096, kSent = 64;
  for (std::size_t first = 0; first < values.size(); first += kTile) {
    const std::span<float> tile = std::span(values).subspan(first, kTile);
    std::vector<float> magnitudes(kTile);
    std::ranges::transform(tile, magnitudes.begin(), [](float x) { return std::abs(x); });
    std::ranges::nth_element(magnitudes, magnitudes.begin() + kSent - 1, std::greater<>());
    const float threshold = magnitudes[kSent - 1];
    for (float& value : tile) {
      if (std::abs(value) >= threshold) value = 0;
    }
  }
}

Tensor pseudo_gradient(const SyntheticTensor& row, std::uint64_t seed) {
  constexpr std::uint32_t kSteps = 30, kRounds = 8;
  constexpr float kDecay = 0.95f;
  const AdamTrace trace{.weights = kRows * kColumns,
                        .phases = {{.steps = kSteps * kRounds, .learning_rate = 6e-4}},
                        .common = 0.05,
                        .seed = seed};
  std::vector<float> start, residual(trace.weights);
  run_adam(trace, [&](std::uint32_t step, std::span<const float> master) {
    if (step % kSteps != 0) return;
    if (step > 0) {
      if (step > kSteps) remove_largest(residual);
      for (std::size_t i = 0; i < residual.size(); ++i) {
        residual[i] = kDecay * residual[i] + (start[i] - master[i]);
      }
    }
    start.assign(master.begin(), master.end());
  });
  return {.name = std::string(row.name),
          .source = "synthetic: Adam's steps over 8 rounds of 30, less what top-k of 64 sent",
          .shape = {kRows, kColumns},
          .values = std::move(residual)};
}

constexpr std::array kSyntheticTensors{
    SyntheticTensor{"adam_weight_difference_lr_6e-4", early_difference},
    SyntheticTensor{"adam_weight_difference_lr_6e-5", late_difference},
    SyntheticTensor{"adam_pseudo_gradient", pseudo_gradient},
};

}  // namespace

AdamTrace two_phases(std::size_t weights, std::uint64_t seed) {
  return {.weights = weights,
          .phases = {{.steps = 150, .learning_rate = 6e-4}, {.steps = 150, .learning_rate = 6e-5}},
          .seed = seed};
}

void run_adam(const AdamTrace& trace, const TraceVisitor& visit) {
  constexpr double kBeta1 = 0.9, kBeta2 = 0.95, kDecay = 0.1, kEpsilon = 1e-8;
  const auto index = [&](std::uint64_t i) { return stream(trace.seed, i); };
  Eigen::ArrayXf master = (0.02 * draw_normal(index(0), trace.weights)).cast<float>();
  const Eigen::ArrayXd shared = draw_normal(index(kShared), trace.weights);
  Eigen::ArrayXd mean = Eigen::ArrayXd::Zero(master.size()), square = mean;
  std::uint32_t step = 0;
  visit(step, {master.data(), trace.weights});
  for (const AdamTrace::Phase& phase : trace.phases) {
    for (int i = 0; i < phase.steps; ++i) {
      ++step;
      const Eigen::ArrayXd gradient =
          std::sqrt(trace.common) * shared +
          std::sqrt(1 - trace.common) * draw_normal(index(step), trace.weights);
      mean = kBeta1 * mean + (1 - kBeta1) * gradient;
      square = kBeta2 * square + (1 - kBeta2) * gradient.square();
      const double correction =
          std::sqrt(1 - std::pow(kBeta2, step)) / (1 - std::pow(kBeta1, step));
      const Eigen::ArrayXd direction =
          correction * mean / (square.sqrt() + kEpsilon) + kDecay * master.cast<double>();
      master = (master.cast<double>() - phase.learning_rate * direction).cast<float>();
      visit(step, {master.data(), trace.weights});
    }
  }
}

WeightExchange send_weights(const Codec& codec) {
  return [codec](std::span<const float> master, const RandomKey& key, std::span<Bf16> model) {
    const std::vector<float> sent = widened(rounded(master));
    std::ranges::transform(encode_and_decode(codec, sent, key), model.begin(), to_bf16);
  };
}

WeightExchange send_differences(const Format& format) {
  return [format](std::span<const float> master, const RandomKey& key, std::span<Bf16> model) {
    std::vector<std::byte> wire(encoded_bytes(format, master.size()));
    encode_difference(format, master, model, key, wire);
    decode_add(format, wire, model);
  };
}

std::vector<double> weight_errors(const AdamTrace& trace, const WeightExchange& exchange) {
  std::vector<std::uint32_t> ends;
  for (const AdamTrace::Phase& phase : trace.phases) {
    ends.push_back((ends.empty() ? 0 : ends.back()) + static_cast<std::uint32_t>(phase.steps));
  }
  std::vector<Bf16> model;
  std::vector<double> errors;
  run_adam(trace, [&](std::uint32_t step, std::span<const float> master) {
    if (step == 0) {
      model = rounded(master);
      return;
    }
    exchange(master, {.seed = trace.seed, .step = step}, model);
    if (std::ranges::find(ends, step) != ends.end()) {
      errors.push_back(compare(master, widened(model)).relative_l2);
    }
  });
  return errors;
}

std::span<const SyntheticTensor> synthetic_tensors() { return kSyntheticTensors; }

}  // namespace codecs
