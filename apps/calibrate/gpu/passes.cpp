// SPDX-License-Identifier: Apache-2.0
// The memory passes of an optimizer step, each checked on the CPU.
#include <algorithm>
#include <cmath>
#include <functional>

#include "apps/calibrate/gpu/measure.hpp"
#include "apps/calibrate/gpu/operations.hpp"
#include "codecs/cuda/memory_passes.hpp"

namespace calibrate {
namespace {

using codecs::Bf16;
using codecs::cuda::check;

struct Buffers {
  Buffers(std::size_t count, std::size_t copies)
      : elements(count),
        gradients(count, copies),
        weights(count, copies),
        first(count, copies),
        second(count, copies),
        model(count, copies),
        sum(1) {
    gradients.fill(pattern.input({0, kPattern}));
    weights.fill(pattern.residual({0, kPattern}));
    const std::vector<float> zeros(std::min(count, kPattern));
    first.fill(zeros);
    second.fill(zeros);
  }
  std::size_t elements;
  Pattern pattern;
  Ring<float> gradients, weights, first, second;
  Ring<Bf16> model;
  codecs::cuda::DeviceBuffer<float> sum;
};

struct MemoryPass {
  const char* name;
  double bytes_per_element;
  std::function<void(std::size_t, cudaStream_t)> launch;
  // After one launch into the first buffers; before others.
  std::function<bool()> agrees;
};

constexpr codecs::cuda::Adam kAdam{.correction1 = 10, .correction2 = 20};
constexpr float kClip = 1 - 0x1p-10f;

// Up to float32; weight and step may cancel.
bool near(double expected, double found) {
  return std::abs(found - expected) <= 1e-5 * std::abs(expected) + 1e-9;
}

bool norm_agrees(const Buffers& b) {
  double exact = 0;
  for (const float g : b.pattern.input({0, std::min(b.elements, kPattern)})) {
    exact += static_cast<double>(g) * g;
  }
  exact *= static_cast<double>(b.elements) / static_cast<double>(std::min(b.elements, kPattern));
  // Sums of many float32 values, in no order, over an input that ends within the pattern.
  return std::abs(from_device<float>(b.sum.get(), {0, 1})[0] - exact) < 0.01 * exact;
}

// The first step of Adam from zero moments, over a few values.
bool adam_agrees(const Buffers& b) {
  const Piece piece{0, std::min<std::size_t>(b.elements, 4096)};
  const std::vector<float> g = b.pattern.input(piece), w = b.pattern.residual(piece);
  const std::vector<float> found = from_device<float>(b.weights.at(0), piece);
  for (std::size_t i = 0; i < piece.count; ++i) {
    const double m = (1.0 - static_cast<double>(kAdam.beta1)) * g[i];
    const double v = (1.0 - static_cast<double>(kAdam.beta2)) * g[i] * g[i];
    const double step = kAdam.correction1 * m /
                        (std::sqrt(kAdam.correction2 * v) + static_cast<double>(kAdam.epsilon));
    const double rate = kAdam.rate, decay = kAdam.decay;
    if (!near(w[i] - rate * (step + decay * w[i]), found[i])) return false;
  }
  return true;
}

bool clip_agrees(const Buffers& b) {
  const Piece piece{0, std::min<std::size_t>(b.elements, 4096)};
  std::vector<float> expected = b.pattern.input(piece);
  for (float& g : expected) g *= kClip;
  return expected == from_device<float>(b.gradients.at(0), piece);
}

bool cast_agrees(const Buffers& b) {
  const Piece piece{0, std::min<std::size_t>(b.elements, 4096)};
  std::vector<Bf16> expected;
  for (const float w : from_device<float>(b.weights.at(0), piece)) {
    expected.push_back(codecs::to_bf16(w));
  }
  return expected == from_device<Bf16>(b.model.at(0), piece);
}

bool zero_agrees(const Buffers& b) {
  const std::vector<float> found =
      from_device<float>(b.first.at(0), {0, std::min<std::size_t>(b.elements, 4096)});
  return std::ranges::all_of(found, [](float value) { return value == 0; });
}

// In an order in which each finds what it checks. The names are the simulator's labels.
std::vector<MemoryPass> all_passes(const Buffers& b) {
  const codecs::cuda::Tensor<const float> none{nullptr, b.elements};
  const auto gradients = [&b, none](std::size_t i) {
    auto tensor = none;
    tensor.values = b.gradients.at(i);
    return tensor;
  };
  return {{"gradient norm", 4,
           [&b, gradients](std::size_t i, cudaStream_t stream) {
             codecs::cuda::sum_of_squares_async(gradients(i), b.sum.get(), stream);
           },
           [&b] { return norm_agrees(b); }},
          {"adam", 4 + 3 * 4 + 3 * 4,
           [&b, gradients](std::size_t i, cudaStream_t stream) {
             codecs::cuda::adam_async(kAdam, gradients(i),
                                      {b.weights.at(i), b.first.at(i), b.second.at(i)}, stream);
           },
           [&b] { return adam_agrees(b); }},
          {"clip", 4 + 4,
           [&b](std::size_t i, cudaStream_t stream) {
             codecs::cuda::scale_async({b.gradients.at(i), b.elements}, kClip, stream);
           },
           [&b] { return clip_agrees(b); }},
          {"cast weights", 4 + 2,
           [&b](std::size_t i, cudaStream_t stream) {
             cuda_codec("bf16").encode_async(codecs::bf16.format, {b.weights.at(i), b.elements},
                                             {.wires = reinterpret_cast<std::byte*>(b.model.at(i))},
                                             stream);
           },
           [&b] { return cast_agrees(b); }},
          {"zero gradients", 4,
           [&b](std::size_t i, cudaStream_t stream) {
             check(cudaMemsetAsync(b.first.at(i), 0, b.elements * sizeof(float), stream));
           },
           [&b] { return zero_agrees(b); }}};
}

Json measure(Session& session, const MemoryPass& pass, std::size_t elements) {
  const codecs::cuda::Stream& stream = session.benchmark.stream();
  pass.launch(0, stream.get());
  stream.wait();
  const std::string name = std::string(pass.name) + ", " + std::to_string(elements);
  const bool right = pass.agrees();
  const Time time = time_of(session, pass.launch);
  if (!right) {
    session.disagreed.push_back(name);
    return nullptr;
  }
  const double moved = pass.bytes_per_element * static_cast<double>(elements);
  report(session, name, time.median_s, rate_text(moved, time.median_s));
  return {{"pass", pass.name},         {"elements", elements},      {"moved_bytes", moved},
          {"median_s", time.median_s}, {"spread_s", time.spread_s}, {"launches", time.launches}};
}

}  // namespace

Json measure_passes(Session& session, const Sizes& sizes) {
  Json rows = Json::array();
  const std::vector<std::size_t> fitting = kernel_sizes(sizes, free_bytes());
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const std::size_t elements = fitting[i] / sizeof(float);
    const Buffers buffers(elements, copies(fitting[i], codecs::cuda::l2_bytes(), free_bytes()));
    const std::vector<MemoryPass> passes = all_passes(buffers);
    if (i == 0) session.budget.expect(passes.size() * fitting.size());
    for (const MemoryPass& pass : passes) {
      if (const Json row = measure(session, pass, elements); !row.is_null()) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace calibrate
