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

TEST(Suggestion, IsEveryNameThatBeginsSo) {
  const std::array<std::string_view, 4> names{"dgx_b200", "dgx_h100_x16", "dgx_h100_x128",
                                              "roce_h100"};
  EXPECT_EQ(suggestion("dgx_h100", names), "; did you mean dgx_h100_x16 or dgx_h100_x128?")
      << "the closest name is dgx_b200";
  EXPECT_EQ(suggestion("dgx-H100", names), "; did you mean dgx_h100_x16 or dgx_h100_x128?");
  EXPECT_EQ(suggestion("dgx", names), "; did you mean dgx_b200, dgx_h100_x16 or dgx_h100_x128?");
  EXPECT_EQ(suggestion("dg", names), "") << "too short to mean anything";
}

TEST(Suggestion, KnowsANameWithOtherSeparators) {
  const std::array<std::string_view, 6> names{"llama_2_7b",   "llama_3_8b",   "llama_3_70b",
                                              "llama_3.1_8b", "llama_3_405b", "llama_1_7b"};
  EXPECT_EQ(suggestion("llama-3-8B", names), "; did you mean llama_3_8b?");
  EXPECT_EQ(suggestion("llama3", names),
            "; did you mean llama_3_8b, llama_3_70b, llama_3.1_8b or llama_3_405b?");
  EXPECT_EQ(suggestion("llama", names),
            "; did you mean llama_2_7b, llama_3_8b, llama_3_70b, llama_3.1_8b, llama_3_405b, ...?");
}

}  // namespace
}  // namespace sim
