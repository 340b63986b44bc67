// SPDX-License-Identifier: Apache-2.0
// Layout: ranks as the points of a grid with named axes, as PyTorch's DeviceMesh.
#pragma once

#include <span>
#include <vector>

#include "sim/layout/axis.hpp"

namespace sim {

class Layout {
 public:
  // The axes in the order in which groups are listed; those that are not placed have one rank.
  Layout(std::span<const SizedAxis> axes, const Placement& placement);

  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] std::vector<const Axis*> axes() const;
  // The same from the one along which ranks are neighbours.
  [[nodiscard]] std::vector<const Axis*> placed() const;
  // Ranks along the axis; 1 if there is no such axis.
  [[nodiscard]] int size(const Axis& axis) const { return along(axis).size; }
  // The rank's place along the axis, from 0.
  [[nodiscard]] int place(int rank, const Axis& axis) const;
  // The rank that differs from this one in its place along the axis alone.
  [[nodiscard]] int at(int rank, const Axis& axis, int place) const;

  // Each group has the ranks that differ in their places along `axes` alone. Groups and their ranks
  // are listed by their places: those along the first axis of the layout follow each other.
  [[nodiscard]] std::vector<std::vector<int>> groups(std::span<const Axis* const> axes) const;
  // The group of one rank.
  [[nodiscard]] std::vector<int> group_of(int rank, std::span<const Axis* const> axes) const;
  bool operator==(const Layout&) const = default;

 private:
  struct Along {
    const Axis* axis = nullptr;
    int size = 1, stride = 0;
    bool operator==(const Along&) const = default;
  };
  [[nodiscard]] Along along(const Axis& axis) const;
  // Those that are among `axes`, or that are not.
  [[nodiscard]] std::vector<Along> chosen(std::span<const Axis* const> axes, bool among) const;
  // Of the grid of these axes: its points' distances from the first one.
  [[nodiscard]] static std::vector<int> points(std::span<const Along> axes);

  std::array<Along, kMostAxes> axes_ = {};
  std::size_t count_ = 0;
  int ranks_ = 1;
};

}  // namespace sim
