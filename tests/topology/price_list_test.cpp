// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/price_list.hpp"

#include <gtest/gtest.h>

#include "sim/base/error.hpp"

namespace sim {
namespace {

constexpr const char* kWhole = R"(
as_of = "November 2026"
electricity = "0.08 USD/kWh"
storage = "4 USD/h"
idle = 0.1
[gpus.h100]
gpu = "H100"
price = "2.4 USD/h"
spot_price = "1.5 USD/h"
spot_kept = "40 h"
spot_wait = "15 min"
[gpus.nvl]
gpu = "h100 nvl"
price = "2.1 USD/h"
)";

std::string problem_of(const std::string& text) {
  try {
    static_cast<void>(parse_price_list(text, "prices.toml"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(PriceList, HasWhatTheFileSays) {
  const PriceList prices = parse_price_list(kWhole, "prices.toml");
  EXPECT_EQ(prices.as_of, "November 2026");
  EXPECT_DOUBLE_EQ(prices.electricity.base() * 3.6e6, 0.08);
  EXPECT_DOUBLE_EQ(prices.storage.base() * 3600, 4);
  EXPECT_DOUBLE_EQ(prices.idle, 0.1);
  ASSERT_EQ(prices.gpus.size(), 2u);
  EXPECT_DOUBLE_EQ(prices.gpus[0].spot_kept->base(), 40 * 3600.0);
  EXPECT_FALSE(prices.gpus[1].spot_price);
}

TEST(PriceList, IsOfTheLongestNameThatMatches) {
  const PriceList prices = parse_price_list(kWhole, "prices.toml");
  EXPECT_EQ(price_of(prices, "NVIDIA H100 80GB HBM3"), &prices.gpus[0]);
  EXPECT_EQ(price_of(prices, "NVIDIA H100 NVL"), &prices.gpus[1]);
  EXPECT_EQ(price_of(prices, "NVIDIA A100-SXM4-80GB"), nullptr);
}

TEST(PriceList, RefusesWhatIsWrongInItsPlace) {
  EXPECT_NE(problem_of("idle = 0.1\n").find("as_of"), std::string::npos);
  const std::string dated = "as_of = \"today\"\n";
  EXPECT_EQ(problem_of(dated), "");
  EXPECT_NE(problem_of(dated + "idle = 1\n").find("prices.toml:2:1: idle"), std::string::npos);
  EXPECT_NE(problem_of(dated + "storge = \"1 USD/h\"\n").find("storage"), std::string::npos);
  const std::string gpu = dated + "[gpus.a]\ngpu = \"A100\"\nprice = \"1 USD/h\"\n";
  EXPECT_EQ(problem_of(gpu), "");
  EXPECT_NE(problem_of(gpu + "spot_price = \"0.5 USD/h\"\n").find("spot_kept"), std::string::npos);
  EXPECT_NE(problem_of(dated + "[gpus.a]\nprice = 1\n").find("[gpus.a]: missing key gpu"),
            std::string::npos);
}

}  // namespace
}  // namespace sim
