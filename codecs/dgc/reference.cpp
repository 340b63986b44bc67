// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "codecs/codec.hpp"
#include "codecs/dgc/dgc.hpp"
#include "codecs/group/group.hpp"

namespace codecs {
namespace {

std::size_t ceiling(double x) { return static_cast<std::size_t>(std::ceil(x)); }

// Adds the gradient to the state; gives what may be sent.
std::vector<float> gather(const Dgc& dgc, std::span<const float> gradient, const DgcState& state) {
  std::vector<float> candidates(gradient.size(), std::bit_cast<float>(kNaNScale));
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const float u = std::fma(dgc.momentum, state.momentum[i], gradient[i]);
    const float v = state.gathered[i] + u;
    if (!std::isfinite(v)) continue;
    state.momentum[i] = u;
    state.gathered[i] = candidates[i] = v;
  }
  return candidates;
}

float sampled_threshold(const Dgc& dgc, const DgcWire& wire, std::span<const float> gathered) {
  std::vector<std::uint32_t> samples;
  for (std::size_t i = 0; i < gathered.size(); i += dgc.stride) {
    samples.push_back(magnitude_bits(gathered[i]));
  }
  std::ranges::sort(samples, std::greater{});
  return std::bit_cast<float>(
      std::max(samples[wire.top_samples - 1], std::bit_cast<std::uint32_t>(kDgcLeastThreshold)));
}

bool reaches(float value, float threshold) {
  return magnitude_bits(value) >= magnitude_bits(threshold);
}

float adapted_threshold(const Dgc& dgc, const DgcWire& wire, std::span<const float> gathered,
                        float threshold) {
  for (int round = 0; round < dgc.rounds; ++round) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(gathered, [&](float v) { return reaches(v, threshold); }));
    if (count > wire.most) {
      threshold *= static_cast<float>(dgc.most);
    } else if (count < wire.least) {
      threshold *= static_cast<float>(dgc.least);
    } else {
      break;
    }
  }
  return std::isnan(threshold) ? std::bit_cast<float>(kInfinityBits) : threshold;
}

}  // namespace

DgcWire dgc_wire(const Dgc& dgc, std::size_t elements) {
  require(dgc.density > 0 && dgc.density <= 1, "a density is above 0 and at most 1");
  require(dgc.stride > 0, "a sample takes every stride-th element");
  require(dgc.most >= 1 && dgc.least > 0 && dgc.least <= 1, "the target is within its bounds");
  require(elements < (std::size_t{1} << 31), "indices have 32 bits");
  DgcWire wire;
  if (elements == 0) return wire;
  wire.target = ceiling(dgc.density * static_cast<double>(elements));
  wire.capacity = std::min(ceiling(dgc.most * static_cast<double>(wire.target)), elements);
  wire.most = wire.capacity;
  wire.least = ceiling(dgc.least * static_cast<double>(wire.target));
  wire.samples = (elements + dgc.stride - 1) / dgc.stride;
  wire.top_samples = ceiling(dgc.density * static_cast<double>(wire.samples));
  wire.values = kDgcHeaderBytes + aligned(wire.capacity * sizeof(std::int32_t));
  wire.bytes = wire.values + aligned(wire.capacity * sizeof(float));
  return wire;
}

void encode_dgc(const Dgc& dgc, std::span<const float> gradient, const DgcState& state,
                std::span<std::byte> wire) {
  const DgcWire layout = dgc_wire(dgc, gradient.size());
  require(wire.size() == layout.bytes && state.momentum.size() == gradient.size() &&
              state.gathered.size() == gradient.size(),
          "gradient, state and wire of one tensor");
  std::ranges::fill(wire, std::byte{0});
  if (gradient.empty()) return;
  const std::vector<float> candidates = gather(dgc, gradient, state);
  const float threshold =
      adapted_threshold(dgc, layout, candidates, sampled_threshold(dgc, layout, candidates));
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < gradient.size() && count < layout.capacity; ++i) {
    if (!reaches(candidates[i], threshold)) continue;
    const auto index = static_cast<std::int32_t>(i);
    const float value = candidates[i];
    std::memcpy(&wire[kDgcHeaderBytes + count * sizeof(index)], &index, sizeof(index));
    std::memcpy(&wire[layout.values + count * sizeof(value)], &value, sizeof(value));
    if (!std::isnan(value)) state.momentum[i] = state.gathered[i] = 0;
    ++count;
  }
  std::memcpy(wire.data(), &count, sizeof(count));
}

void decode_mean_dgc(const Dgc& dgc, std::span<const std::byte> wires, std::size_t inputs,
                     std::span<float> means) {
  const DgcWire layout = dgc_wire(dgc, means.size());
  require(inputs > 0 && wires.size() == inputs * layout.bytes, "as many wires as inputs");
  std::ranges::fill(means, 0.0f);
  for (std::size_t first = 0; first < wires.size(); first += layout.bytes) {
    const auto wire = wires.subspan(first, layout.bytes);
    std::uint32_t count = 0;
    std::memcpy(&count, wire.data(), sizeof(count));
    for (std::size_t i = 0; i < count; ++i) {
      std::int32_t index = 0;
      float value = 0;
      std::memcpy(&index, &wire[kDgcHeaderBytes + i * sizeof(index)], sizeof(index));
      std::memcpy(&value, &wire[layout.values + i * sizeof(value)], sizeof(value));
      means[static_cast<std::size_t>(index)] += value;
    }
  }
  for (float& mean : means) mean /= static_cast<float>(inputs);
}

}  // namespace codecs
