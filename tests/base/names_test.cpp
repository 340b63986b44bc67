// SPDX-License-Identifier: Apache-2.0
#include "sim/base/names.hpp"

#include <gtest/gtest.h>

#include <array>

namespace sim {
namespace {

TEST(ClosestName, IsATypoAwayAtMost) {
  const std::array<std::string_view, 3> names{"nic_bandwidth", "latency", "kind"};
  EXPECT_EQ(closest_name("nic_bandwith", names), "nic_bandwidth");    // a letter left out
  EXPECT_EQ(closest_name("nic_bandwidths", names), "nic_bandwidth");  // one too many
  EXPECT_EQ(closest_name("latenyc", names), "latency");               // two swapped
  EXPECT_EQ(closest_name("kond", names), "kind");                     // one replaced
  EXPECT_EQ(closest_name("NIC_Bandwidth", names), "nic_bandwidth");   // in other letters
  EXPECT_EQ(closest_name("price", names), "");
  EXPECT_EQ(closest_name("", names), "");
}

TEST(Suggestion, IsTheNameThatWasMeantOrNothing) {
  const std::array<std::string_view, 2> names{"diloco", "sparseloco"};
  EXPECT_EQ(suggestion("diloc", names), "; did you mean diloco?");
  EXPECT_EQ(suggestion("sharded", names), "");
  EXPECT_EQ(suggestion("sparse", names), "; did you mean sparseloco?");
  EXPECT_EQ(suggestion("oco", names), "") << "a part of both";
  EXPECT_EQ(suggestion_and_list("diloc", names),
            "; did you mean diloco? Known: diloco, sparseloco");
  EXPECT_EQ(suggestion_and_list("sharded", names), "; known: diloco, sparseloco");
  EXPECT_EQ(suggestion(std::string(65, 'd'), names), "") << "nobody types that";
}

}  // namespace
}  // namespace sim
