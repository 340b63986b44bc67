// SPDX-License-Identifier: Apache-2.0
// Aggregation of all peers' sparse wires on a rank (SparseLoCo, arXiv 2508.15706): peers with large
// values are scaled down to the median norm, then averaged, then the parameters take a step.
//
//   norm_r    Euclidean norm of peer r's decoded values
//   factor_r  = min(1, median(norm) / (norm_r + 1e-8)), or 1 without clipping
//   sum_i     = sum over the peers that sent i, in their order, of factor_r * v_ri
//   aggregate = sum_i / (peers that sent i)   as tplr-ai/templar has it, or
//               sum_i / peers                 the paper's mean
//   parameter = parameter - learning_rate * aggregate
//
// A peer that sent a NaN or an infinity is left out, as in templar, and does not count as a peer
// above. The median of an even number is the lower of the middle two, as in PyTorch.
//
// Squares are summed in float64 in the order of lane_sum: 32 lanes in a chunk, 1024 over chunks.
// Norms and factors are float64 too, and each factor is finally rounded to float32. Each term of a
// sum, and the step, is one fused multiply-add in float32.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

enum class Average {
  senders,  // over the peers that sent the index
  peers
};

struct Aggregation {
  Average average = Average::senders;
  bool clip = true;
};

inline constexpr std::size_t kMostPeers = 255;
inline constexpr double kNormGuard = 1e-8;

// One factor per peer, given the peers' norms; negative: left out.
[[nodiscard]] std::vector<float> factors_of_norms(const Aggregation& aggregation,
                                                  std::span<const double> norms);
// The same of wires. `wires` are laid end to end, each of `elements` values.
[[nodiscard]] std::vector<float> peer_factors(const Format& format, const Aggregation& aggregation,
                                              std::span<const std::byte> wires, std::size_t peers,
                                              std::size_t elements);

// Throws std::invalid_argument if the sizes disagree or there are more than kMostPeers.
void aggregate(const Format& format, const Aggregation& aggregation,
               std::span<const std::byte> wires, std::size_t peers, std::span<float> averages);

void outer_step(float learning_rate, std::span<const float> averages, std::span<float> parameters);

}  // namespace codecs
