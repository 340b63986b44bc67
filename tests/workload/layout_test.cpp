// SPDX-License-Identifier: Apache-2.0
#include "sim/layout/layout.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

namespace sim {
namespace {

constexpr Axis kA{.name = "a"}, kB{.name = "b"}, kC{.name = "c"}, kOther{.name = "other"};
constexpr SizedAxis kSized[] = {{&kA, 2}, {&kB, 3}, {&kC, 4}};

std::vector<Placement> placements() {
  return {{&kA, &kB, &kC}, {&kB, &kC, &kA}, {&kC, &kA, &kB}, {&kC, &kB, &kA}};
}

TEST(Layout, GivesEachRankAPlaceAlongEachAxis) {
  for (const Placement& placement : placements()) {
    const Layout layout(kSized, placement);
    EXPECT_EQ(layout.ranks(), 24);
    std::set<std::array<int, 3>> places;
    for (int rank = 0; rank < 24; ++rank) {
      places.insert({layout.place(rank, kA), layout.place(rank, kB), layout.place(rank, kC)});
      for (int place = 0; place < 4; ++place) {
        const int other = layout.at(rank, kC, place);
        EXPECT_EQ(layout.place(other, kC), place);
        EXPECT_EQ(layout.place(other, kA), layout.place(rank, kA));
        EXPECT_EQ(layout.place(other, kB), layout.place(rank, kB));
        EXPECT_EQ(layout.at(other, kC, layout.place(rank, kC)), rank);
      }
    }
    EXPECT_EQ(places.size(), 24U);
    EXPECT_EQ(layout.at(0, *placement.front(), 1), 1);  // neighbours
  }
}

TEST(Layout, SplitsItsRanksIntoGroupsAlongAnyAxes) {
  for (const Placement& placement : placements()) {
    const Layout layout(kSized, placement);
    for (const std::vector<const Axis*>& axes :
         {std::vector<const Axis*>{}, {&kA}, {&kC}, {&kA, &kC}, {&kC, &kB}, {&kA, &kB, &kC}}) {
      std::size_t size = 1;
      for (const Axis* axis : axes) size *= static_cast<std::size_t>(layout.size(*axis));
      std::set<int> ranks;
      for (const std::vector<int>& group : layout.groups(axes)) {
        EXPECT_EQ(group.size(), size);
        ranks.insert(group.begin(), group.end());
        for (const int rank : group) {
          for (const SizedAxis& one : kSized) {
            if (std::ranges::find(axes, one.axis) != axes.end()) continue;
            EXPECT_EQ(layout.place(rank, *one.axis), layout.place(group.front(), *one.axis));
          }
        }
      }
      EXPECT_EQ(ranks.size(), 24U);
    }
  }
}

TEST(Layout, HasOneRankAlongAnAxisThatItDoesNotHave) {
  const Layout layout(kSized, {&kA, &kB, &kC});
  EXPECT_EQ(layout.size(kOther), 1);
  EXPECT_EQ(layout.place(17, kOther), 0);
  EXPECT_EQ(layout.at(17, kOther, 0), 17);
}

}  // namespace
}  // namespace sim
