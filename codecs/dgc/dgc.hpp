// SPDX-License-Identifier: Apache-2.0
// Deep gradient compression (arXiv 1712.01887): a rank accumulates its gradients with their
// momentum and sends the elements beyond a threshold, which is estimated from a sample of the
// tensor.
//
//   u = momentum u + g  (a fused multiply-add),  v = v + u
//   threshold = the k-th largest |v| of every stride-th element, k = ceil(density samples),
//               at least 2^-126, so that no zeros are sent
//   at most `rounds` times: threshold times `most` where more than most target elements reach it,
//               times `least` where fewer than least target do; target = ceil(density n)
//   sent: the |v| that reach it, in the order of the index, at most `capacity` of them;
//   u = v = 0 where sent ("momentum factor masking")
//
// If v + u would not be finite, u and v stay unchanged, and a NaN becomes the candidate in place of
// v. |v| are compared by their bits, so the NaN reaches every threshold. Indices have 32 bits:
// tensors must have fewer than 2^31 elements.
//
// Wire layout, little-endian, of constant size; each part is filled up with zeros to 16 bytes:
//   bytes 0-15  uint32 count of the values sent, then zeros
//   indices     capacity int32, of which `count` ascend and the others are 0
//   values      capacity float32 (NaNs as 0x7FC00000), of which the others are 0
// where capacity = ceil(most target).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace codecs {

inline constexpr std::size_t kDgcHeaderBytes = 16;
inline constexpr float kDgcLeastThreshold = 0x1p-126f;

struct Dgc {
  double density = 0.001;
  float momentum = 0.9f;
  std::size_t stride = 100;  // of the sample
  int rounds = 10;
  double most = 1.3;   // at least 1
  double least = 0.8;  // at most 1, above 0
};

// Sizes of a tensor's wire, and the counts that the threshold aims at.
struct DgcWire {
  std::size_t target = 0;
  std::size_t capacity = 0;
  std::size_t most = 0;     // elements above which the threshold is raised
  std::size_t least = 0;    // elements below which it is lowered
  std::size_t samples = 0;  // and how many of them are above the first threshold
  std::size_t top_samples = 0;
  std::size_t values = 0;  // offset in bytes; the indices follow the header
  std::size_t bytes = 0;
};
// Throws std::invalid_argument for a density outside (0, 1], no stride, bounds that exclude the
// target, or 2^31 or more elements.
[[nodiscard]] DgcWire dgc_wire(const Dgc& dgc, std::size_t elements);

// State of a rank from step to step, as long as the gradient.
struct DgcState {
  std::span<float> momentum;  // u
  std::span<float> gathered;  // v
};
void encode_dgc(const Dgc& dgc, std::span<const float> gradient, const DgcState& state,
                std::span<std::byte> wire);

// The mean of the wires, laid end to end: each sum starts at 0, adds the wires in order in float32,
// and is then divided by their number.
void decode_mean_dgc(const Dgc& dgc, std::span<const std::byte> wires, std::size_t inputs,
                     std::span<float> means);

}  // namespace codecs
