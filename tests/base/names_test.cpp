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
  EXPECT_EQ(closest_name("price", names), "");
  EXPECT_EQ(closest_name("", names), "");
}

}  // namespace
}  // namespace sim
