// SPDX-License-Identifier: Apache-2.0
// Factoring: how the ranks of each pipeline stage divide, once for each group of parameters.
//
//   dense     tp x cp x dp
//   experts   etp x ep x edp    the same ranks
//
// The axes of experts divide a stage's ranks from neighbours on. What they leave are ranks that hold the
// same experts, along axes::expert_data; without any, all ranks of a stage do.
#pragma once

#include <span>
#include <vector>

#include "sim/layout/layout.hpp"

namespace sim {

// Those along which ranks hold the same weights.
[[nodiscard]] std::vector<const Axis*> holding_axes(const Layout& layout);

class Factoring {
 public:
  // The ranks of a stage are a multiple of those along the experts' axes.
  Factoring(Layout dense, std::span<const SizedAxis> experts);

  [[nodiscard]] const Layout& dense() const { return dense_; }
  // Ranks, ascending, by stage.
  [[nodiscard]] std::vector<std::vector<int>> stages() const;
  // Of both factorings, those of dense weights from neighbours on.
  [[nodiscard]] std::vector<const Axis*> axes() const;
  // Ranks along the axis, of whichever factoring.
  [[nodiscard]] int size(const Axis& axis) const { return of(axis.of).size(axis); }
  // Ranks that hold the same weights of that group of parameters.
  [[nodiscard]] int holders(Weights group) const;

  // Ranks, ascending, of each group along the axis, and of each that holds the same weights.
  [[nodiscard]] std::vector<std::vector<int>> groups(const Axis& axis) const;
  [[nodiscard]] std::vector<std::vector<int>> groups_of_holders(Weights group) const;

 private:
  [[nodiscard]] const Layout& of(Weights group) const {
    return group == Weights::dense ? dense_ : experts_;
  }
  [[nodiscard]] std::vector<std::vector<int>> groups(Weights group,
                                                     std::span<const Axis* const> axes) const;

  Layout dense_;
  Layout experts_;  // of places in a stage
};

}  // namespace sim
