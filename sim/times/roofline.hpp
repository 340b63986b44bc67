// SPDX-License-Identifier: Apache-2.0
// Roofline: the time of operators on a GPU: as measured on it; else as published for such GPUs
// (sim/times/published.hpp); else the longer of FLOP over a rate and bytes over a bandwidth.
#pragma once

#include <memory>
#include <vector>

#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

// Time of a block, what memory bandwidth bounds of it, the kernels that the host issues for it, and
// what its matrix products take of the rest.
struct BlockTime {
  double seconds = 0;
  double memory_seconds = 0;
  double launches = 1;
  double product_seconds = 0;
  BlockTime& operator+=(const BlockTime& other);
  [[nodiscard]] double share(double part) const { return seconds > 0 ? part / seconds : 0; }
  [[nodiscard]] double memory_share() const { return share(memory_seconds); }
};

class Roofline {
 public:
  // `efficiency` is the cluster's compute_efficiency().
  Roofline(const Gpu& gpu, double efficiency, const Calibration& calibration);

  // Per operator: its time, divided by the compute efficiency, plus its launches. Fused attention
  // takes the time of the rate in the GPU's file, if that has one, whatever the efficiency.
  [[nodiscard]] BlockTime block(const Operators& operators) const;
  // A pass over memory outside the model: optimizer, zeroing, copies. `flop` counts its FP32
  // arithmetic, done while the bytes move.
  [[nodiscard]] double pass(double bytes, double flop = 0) const;
  // More time of matrix products, as a share of their own, while a collective holds any SM.
  [[nodiscard]] double products_beside_channels() const { return beside_channels_; }
  // Share of the peak that a matrix product reaches where nothing was published: the loss that no
  // choice of tiles avoids, the share of whole waves of small tiles over the SMs (NVIDIA, "Matrix
  // Multiplication Background User's Guide", tile and wave quantization).
  [[nodiscard]] double gemm_share(double m, double n, double count) const;

 private:
  [[nodiscard]] double peak(MatrixPrecision precision) const;
  [[nodiscard]] double compute_seconds(const Operator& one) const;
  [[nodiscard]] double memory_seconds(const Operator& one) const;

  Gpu gpu_;
  double peak_;
  double fp8_, fp4_;        // for matrix products; 0 if the GPU has none
  double fused_attention_;  // share of the peak; 0 if unknown
  double vector_;
  double memory_;
  double launch_s_;
  double multiprocessors_;
  double efficiency_;
  std::shared_ptr<const PublishedKernels> published_;
  double attention_slowdown_;
  double product_rate_;
  double beside_channels_;
};

}  // namespace sim
