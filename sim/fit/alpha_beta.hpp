// SPDX-License-Identifier: Apache-2.0
// The alpha-beta law of a collective: the null model that simulated collectives are held against.
#pragma once

#include <span>

namespace sim::fit {

// A time, and the bytes that each rank has to send in it.
struct TimedBytes {
  double bytes = 0;
  double seconds = 0;
};

struct AlphaBeta {
  double alpha_s = 0;
  double beta_s_per_byte = 0;
  [[nodiscard]] double seconds(double bytes) const { return alpha_s + beta_s_per_byte * bytes; }
};

// The law with the least squared relative errors, neither constant below 0. There must be a row.
[[nodiscard]] AlphaBeta fit_alpha_beta(std::span<const TimedBytes> rows);

}  // namespace sim::fit
