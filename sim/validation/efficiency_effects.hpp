// SPDX-License-Identifier: Apache-2.0
// Compute efficiencies of published runs as effects of the GPU generation, the software stack and the
// precision of products: what is expected of a run that was not published.
//
// The logarithm of an efficiency is a mean plus one effect each. Least squares, in which every fold
// weighs the same and each effect is drawn to zero as if by one more fold: an effect that only one
// other fold shows is believed by half.
#pragma once

#include <map>
#include <span>
#include <string>

namespace sim::validation {

struct RunKind {
  std::string gpu, stack;  // empty: not known
  bool is_narrow = false;  // products of 8 bits or fewer
};

struct KnownEfficiency {
  std::string fold;
  RunKind kind;
  double efficiency = 1;
};

struct EfficiencyEffects {
  double mean = 0;  // a logarithm, as are the effects
  std::map<std::string, double> by_gpu, by_stack;
  double wide = 0, narrow = 0;  // of 16 bits, and of fewer

  // What nothing is known of has no effect.
  [[nodiscard]] double efficiency_of(const RunKind& kind) const;
};

// Of one fold at least.
[[nodiscard]] EfficiencyEffects fit_effects(std::span<const KnownEfficiency> known);

}  // namespace sim::validation
