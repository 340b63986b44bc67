// SPDX-License-Identifier: Apache-2.0
#include "sim/layout/layout.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace sim {

Layout::Layout(std::span<const SizedAxis> axes, const Placement& placement) {
  require(axes.size() <= kMostAxes, "a layout of at most six axes");
  for (const SizedAxis& one : axes) axes_[count_++] = {.axis = one.axis, .size = one.size};
  for (const Axis* axis : placement) {
    for (Along& one : axes_) {
      if (axis == nullptr || one.axis != axis) continue;
      one.stride = ranks_;
      ranks_ *= one.size;
    }
  }
  for (const Along& one : axes_) {
    require(one.size == 1 || one.stride > 0, "an axis with several ranks is placed");
  }
}

Layout::Along Layout::along(const Axis& axis) const {
  const auto found = std::ranges::find(axes_, &axis, &Along::axis);
  return found == axes_.end() || found->stride == 0 ? Along{.stride = 1} : *found;
}

int Layout::place(int rank, const Axis& axis) const {
  const Along one = along(axis);
  return rank / one.stride % one.size;
}

int Layout::at(int rank, const Axis& axis, int place) const {
  return rank + (place - this->place(rank, axis)) * along(axis).stride;
}

std::vector<int> Layout::points(std::span<const Along> axes) {
  std::vector<int> points{0};
  for (const Along& one : axes) {
    const std::size_t before = points.size();
    for (int place = 1; place < one.size; ++place) {
      for (std::size_t i = 0; i < before; ++i) points.push_back(points[i] + place * one.stride);
    }
  }
  return points;
}

std::vector<const Axis*> Layout::axes() const {
  std::vector<const Axis*> axes;
  for (const Along& one : std::span(axes_).first(count_)) axes.push_back(one.axis);
  return axes;
}

std::vector<const Axis*> Layout::placed() const {
  std::vector<Along> along(axes_.begin(), axes_.begin() + static_cast<std::ptrdiff_t>(count_));
  std::ranges::stable_sort(along, {}, &Along::stride);
  std::vector<const Axis*> axes;
  for (const Along& one : along) axes.push_back(one.axis);
  return axes;
}

std::vector<Layout::Along> Layout::chosen(std::span<const Axis* const> axes, bool among) const {
  std::vector<Along> chosen;
  for (const Along& one : std::span(axes_).first(count_)) {
    if ((std::ranges::find(axes, one.axis) != axes.end()) == among) chosen.push_back(one);
  }
  return chosen;
}

std::vector<std::vector<int>> Layout::groups(std::span<const Axis* const> axes) const {
  const std::vector<int> members = points(chosen(axes, true));
  std::vector<std::vector<int>> groups;
  for (const int first : points(chosen(axes, false))) {
    auto& group = groups.emplace_back(members);
    for (int& rank : group) rank += first;
  }
  return groups;
}

std::vector<int> Layout::group_of(int rank, std::span<const Axis* const> axes) const {
  for (const Axis* axis : axes) rank = at(rank, *axis, 0);
  std::vector<int> group = points(chosen(axes, true));
  for (int& one : group) one += rank;
  return group;
}

}  // namespace sim
