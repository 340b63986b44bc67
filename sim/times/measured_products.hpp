// SPDX-License-Identifier: Apache-2.0
// Matrix products measured on a GPU, as factors on its published times. A calibration has some hundred
// shapes and the published grid spans all sizes, so a shape takes the grid's time and the factor of
// the measured shapes near it: at a measured shape, what was measured; far from all, the usual factor.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "sim/workload/operators.hpp"

namespace sim {

// One measured product: of C(m,n) = A(m,k) B(k,n), the size in logarithms and that of measured over
// published seconds.
struct ProductRatio {
  double log_m = 0, log_n = 0, log_k = 0;
  double log_ratio = 0;
  double seconds = 0;  // as measured
};

struct ProductRatios {
  std::vector<ProductRatio> all;
  double usual = 0;    // mean logarithm, each weighing its time
  double spread = 0;   // of the logarithms around it, likewise
  double scatter = 0;  // of the logarithms of one size around their mean, likewise
};

// By precision, and for which gradient the product is: weights, values and gradients lie differently
// in memory.
using MeasuredProducts = std::map<std::pair<MatrixPrecision, Gradient>, ProductRatios>;

// Ratios of one size, as of several GPUs, become their mean. `all` must not be empty.
[[nodiscard]] ProductRatios product_ratios(std::vector<ProductRatio> all);

// Factor on the published time of a shape; 1 where neither the gradient's nor the forward products
// of the precision were measured. Mean of the logarithms, a shape weighing exp(-d^2 / 2 w^2) at the
// distance d in the logarithms of sizes with w = 0.3, and the usual one a tenth: that width predicts
// the shapes left out of H100's table best (5 % off in BF16, 7 % in FP8; 6 and 10 % by the usual one).
[[nodiscard]] double measured_factor(const MeasuredProducts& measured, MatrixPrecision precision,
                                     Gradient gradient, double m, double n, double k);

}  // namespace sim
