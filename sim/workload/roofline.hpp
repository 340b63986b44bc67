// Roofline: how long operators take on a GPU.
#pragma once

#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/workload/calibration.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

// Time of a block, and the share of it that memory bandwidth bounds.
struct BlockTime {
  double seconds = 0;
  double memory_seconds = 0;
  BlockTime& operator+=(const BlockTime& other);
  [[nodiscard]] double memory_share() const { return seconds > 0 ? memory_seconds / seconds : 0; }
};

class Roofline {
 public:
  // `efficiency` is compute_efficiency() of the cluster.
  Roofline(const Gpu& gpu, double efficiency, const Calibration& calibration);

  // Each operator: the longer of FLOP over the rate that its shape reaches and bytes over memory
  // bandwidth, over the compute efficiency, plus its launches. Fused attention is as long as
  // its published rate says, where the GPU's file has one.
  [[nodiscard]] BlockTime block(const Operators& operators) const;
  // A pass over memory that is not part of the model: optimizer, zeroing, copies. `flop` are of its
  // arithmetic in FP32, which is done while the bytes move.
  [[nodiscard]] double pass(double bytes, double flop = 0) const;
  // Share of the peak that a matrix product reaches: what the calibration of this GPU measured at
  // the nearest shape, else what no choice of tiles could avoid, the share of whole waves of small
  // tiles over the SMs (NVIDIA, "Matrix Multiplication Background User's Guide", tile and wave
  // quantization).
  [[nodiscard]] double gemm_share(double m, double n, double k, double count) const;

 private:
  [[nodiscard]] double peak(MatrixPrecision precision) const;
  [[nodiscard]] double compute_seconds(const Operator& one) const;

  double peak_;
  double fp8_, fp4_;        // of matrix products; 0 where the GPU has none
  double fused_attention_;  // share of the peak; 0 where not known
  double vector_;
  double memory_;
  double launch_s_;
  double multiprocessors_;
  double efficiency_;
  std::vector<GemmTime> gemm_;  // of this very GPU
};

}  // namespace sim
