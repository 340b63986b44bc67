// SPDX-License-Identifier: Apache-2.0
// How far a prediction's constants, and the model itself, may be off.
#pragma once

#include <string>

#include "sim/base/likely.hpp"
#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"

namespace sim::study {

enum class Towards { slower, faster };

// The possible error of a constant: the standard deviation of its logarithm, so 0.1 is about 10 %.
struct Spread {
  double of_logarithm = 0;
  std::string source;
  double towards_slower = 0;  // the same on that side, where it is another
  [[nodiscard]] double towards(Towards side) const {
    return side == Towards::slower && towards_slower > 0 ? towards_slower : of_logarithm;
  }
};

// Of what the data sheet of the NICs and NCCL's protocols say, the share that nine of ten clusters deliver
// at least: a judgement, after seeing SDP4Bit's. Of 12 clusters in traces/published/nic_delivery.csv, three
// deliver less than half; of the seven that nobody asked about, one.
inline constexpr double kSlowDelivery = 0.5;

// Of the compute efficiency. Narrow if it was fitted on rows named by the cluster's file, or products
// were measured on this GPU; that of published runs for a default; wide if it was set by hand.
[[nodiscard]] Spread efficiency_spread(const Cluster& cluster);

// Of the model itself in the ratio of two setups' speeds, whatever the constants are: the error of
// predicted speed-ups of compressed over uncompressed steps on published rows. Smaller differences
// are not told apart.
[[nodiscard]] Spread ratio_spread();

}  // namespace sim::study
