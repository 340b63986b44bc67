// SPDX-License-Identifier: Apache-2.0
#include "sim/times/roofline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/times/product_shape.hpp"
#include "sim/times/published.hpp"

namespace sim {

BlockTime& BlockTime::operator+=(const BlockTime& other) {
  seconds += other.seconds;
  memory_seconds += other.memory_seconds;
  launches += other.launches;
  product_seconds += other.product_seconds;
  return *this;
}

Roofline::Roofline(const Gpu& gpu, double efficiency, const Calibration& calibration)
    : gpu_(gpu),
      peak_(gpu.bf16.base()),
      fp8_(gpu.fp8.value_or(FlopRate()).base()),
      fp4_(gpu.fp4.value_or(FlopRate()).base()),
      fused_attention_(gpu.fused_attention.value_or(0)),
      vector_(gpu.fp32.base()),
      memory_(gpu.memory_bandwidth.base() * gpu.memory_efficiency),
      launch_s_(gpu.launch_latency.base()),
      multiprocessors_(gpu.multiprocessors),
      efficiency_(efficiency),
      published_(calibration.published),
      attention_slowdown_(calibration.attention_slowdown),
      product_rate_(calibration.product_rate),
      beside_channels_(published_ ? published_->products.beside_channels - 1 : 0) {}

double Roofline::gemm_share(double m, double n, double count) const {
  const double rows = std::ceil(m / kLeastTile);
  const double columns = std::ceil(n / kLeastTile);
  const double tiles = rows * columns * count;
  const double filled = m * n / (rows * kLeastTile * columns * kLeastTile);
  return filled * tiles / (std::ceil(tiles / multiprocessors_) * multiprocessors_);
}

double Roofline::peak(MatrixPrecision precision) const {
  if (precision == MatrixPrecision::bf16) return peak_;
  return precision == MatrixPrecision::nvfp4 ? fp4_ : fp8_;
}

double Roofline::compute_seconds(const Operator& one) const {
  const double flop = one.flop();
  if (flop <= 0) return 0;
  if (one.in_turn > 1) {
    Operator part = one;
    part.m /= one.in_turn;
    part.in_turn = 1;
    return one.in_turn * compute_seconds(part);
  }
  // The rate in the GPU's file is left as it is by block().
  if (one.fused_attention() && fused_attention_ > 0) {
    return flop / (peak_ * fused_attention_) * efficiency_;
  }
  if (published_ && one.fused_attention()) {
    return attention_seconds(*published_, gpu_, one) * attention_slowdown_;
  }
  const Operator whole = in_whole_tiles(one);
  if (published_) return product_seconds(*published_, gpu_, whole);
  return whole.flop() / (peak(one.precision) * gemm_share(whole.m, whole.n, whole.count));
}

double Roofline::memory_seconds(const Operator& one) const {
  const auto published = published_ ? pass_bandwidth(*published_, gpu_, one) : std::nullopt;
  return one.bytes / (published ? published->base() : memory_);
}

BlockTime Roofline::block(const Operators& operators) const {
  BlockTime time{.launches = 0};
  for (const Operator& one : operators) {
    const double compute_s = compute_seconds(one) / product_rate_;
    const double memory_s = memory_seconds(one);
    const double seconds = std::max(compute_s, memory_s) / efficiency_ + one.launches * launch_s_;
    // A published time contains that of its bytes.
    const double at_peak_s = published_ ? one.flop() / peak(one.precision) : compute_s;
    const bool of_memory = memory_s >= at_peak_s;
    const bool product = !of_memory && !one.fused_attention();
    time += {.seconds = seconds,
             .memory_seconds = of_memory ? seconds : 0,
             .launches = one.launches,
             .product_seconds = product ? seconds : 0};
  }
  return time;
}

double Roofline::pass(double bytes, double flop) const {
  return bytes > 0 ? std::max(bytes / memory_, flop / vector_) + launch_s_ : 0;
}

}  // namespace sim
