// Operators: what one rank computes, kernel by kernel, as matrix products and memory passes, and
// how long each takes on a roofline. A block is the operators between two communications.
#pragma once

#include <string_view>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/workload/calibration.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// One or more launches of one kernel. A matrix product is `count` times (m x k)(k x n).
struct Operator {
  std::string_view name;
  double m = 0, n = 0, k = 0;
  double count = 1;
  double bytes = 0;  // read and written in GPU memory, all counts together
  double launches = 1;

  [[nodiscard]] double flop() const { return 2 * m * n * k * count; }
};
using Operators = std::vector<Operator>;

// The operators of one layer on one rank and one micro-batch, split where tensor parallelism
// communicates. `*_inputs` end with the gradient that an all_reduce then sums; `*_weights` is what
// may run beside it.
struct LayerOperators {
  Operators attention;             // forward: norm to output projection
  Operators feed_forward;          // forward: residual and norm to the block's second matrix
  Operators recompute;             // what the backward pass runs again
  Operators feed_forward_inputs;   // backward, to the gradient of the block's input
  Operators feed_forward_weights;  // backward, gradient of its first matrix
  Operators attention_inputs;
  Operators attention_weights;
};
[[nodiscard]] LayerOperators layer_operators(const Model& model, const Parallelism& parallelism);

// What the first and the last stage run besides their layers.
struct EndOperators {
  Operators embedding;  // forward, first stage
  Operators embedding_backward;
  Operators head;  // forward: final norm, logits and loss, last stage
  Operators head_backward;
};
[[nodiscard]] EndOperators end_operators(const Model& model, const Parallelism& parallelism);

// Time of a block, and the share of it that memory bandwidth bounds.
struct BlockTime {
  double seconds = 0;
  double memory_seconds = 0;
  BlockTime& operator+=(const BlockTime& other);
  [[nodiscard]] double memory_share() const { return seconds > 0 ? memory_seconds / seconds : 0; }
};

class Roofline {
 public:
  Roofline(const Gpu& gpu, const Fitted& fitted, const Calibration& calibration);

  // Each operator: the longer of FLOP over the rate that its shape reaches and bytes over memory
  // bandwidth, over the fitted compute efficiency, plus its launches.
  [[nodiscard]] BlockTime block(const Operators& operators) const;
  // A pass over memory that is not part of the model: optimizer, zeroing, copies. `flop` are of its
  // arithmetic in FP32, which is done while the bytes move.
  [[nodiscard]] double pass(double bytes, double flop = 0) const;
  // Share of the peak that a matrix product reaches: what the calibration of this GPU measured at
  // the nearest shape, else the share of whole waves of 128 x 256 tiles over the SMs (NVIDIA,
  // "Matrix Multiplication Background User's Guide", tile and wave quantization).
  [[nodiscard]] double gemm_share(double m, double n, double k, double count) const;

 private:
  double peak_;
  double vector_;
  double memory_;
  double launch_s_;
  double multiprocessors_;
  double efficiency_;
  std::vector<GemmTime> gemm_;  // of this very GPU
};

}  // namespace sim
