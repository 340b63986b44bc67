// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sim/topology/link.hpp"

namespace sim {
namespace {

TEST(Links, NamesThoseOfAKindByTheirNumbers) {
  Links links;
  const LinkId alone = links.add({.name = "backbone", .rate_Bps = 1, .kind = "line"});
  const LinkId first = links.add_numbered({.name = {}, .rate_Bps = 2, .kind = "nic_in"}, 3);
  const LinkId none = links.add_numbered({.name = {}, .rate_Bps = 3, .kind = "nic_out"}, 0);
  const LinkId next = links.add_numbered({.name = {}, .rate_Bps = 4, .kind = "leaf_up"}, 1);
  EXPECT_EQ(links.size(), 5U);
  EXPECT_EQ(links[alone].name, "backbone");
  EXPECT_EQ(links[first].name, "nic_in_0");
  EXPECT_EQ(links[first + 2].name, "nic_in_2");
  EXPECT_EQ(none, next);
  EXPECT_EQ(links[next].name, "leaf_up_0");
  EXPECT_EQ(links.unnamed(first + 2).rate_Bps, 2);
}

}  // namespace
}  // namespace sim
