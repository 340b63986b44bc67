// What a rank does with the sparse wires of all peers (SparseLoCo, arXiv 2508.15706): peers whose
// values are large are scaled down to the median, then averaged, then the parameters take a step.
//
//   norm_r    Euclidean norm of peer r's decoded values
//   factor_r  = min(1, median(norm) / (norm_r + 1e-8)), or 1 without clipping
//   sum_i     = sum over the peers that sent i, in their order, of factor_r * v_ri
//   aggregate = sum_i / (peers that sent i)   as tplr-ai/templar has it, or
//               sum_i / peers                 the paper's mean
//   parameter = parameter - learning_rate * aggregate
//
// A peer that sent a NaN or an infinity is left out, as in templar, and is no peer of the above.
// The median of an even number is the lower of the middle two, as PyTorch has it.
//
// Squares are summed in float64 in the order of lane_sum: 32 lanes in a chunk, 1024 over chunks.
// Norms and factors are float64 too, and a factor is rounded to float32 at its end. Each term of a
// sum and the step are one fused multiply-add of float32.
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

// Of each peer; negative: left out. `wires` are laid end to end, each of `elements` values.
[[nodiscard]] std::vector<float> peer_factors(const Format& format, const Aggregation& aggregation,
                                              std::span<const std::byte> wires, std::size_t peers,
                                              std::size_t elements);

// Throws std::invalid_argument where the sizes disagree and for more than kMostPeers.
void aggregate(const Format& format, const Aggregation& aggregation,
               std::span<const std::byte> wires, std::size_t peers, std::span<float> averages);

void outer_step(float learning_rate, std::span<const float> averages, std::span<float> parameters);

}  // namespace codecs
