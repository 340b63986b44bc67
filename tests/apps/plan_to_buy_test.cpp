// SPDX-License-Identifier: Apache-2.0
// Clusters that a plan buys, and upgrades of them.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

// A file of parts with nodes, which cost 300 kUSD and draw 10 kW.
std::string parts_with_nodes(const std::string& more = "") {
  const std::string file = testing::TempDir() + "parts_" + std::to_string(getpid()) + ".toml";
  std::ifstream shipped(std::string(GARDENHOSE_SOURCE_DIR) + "/traces/network_parts.toml");
  std::ofstream(file) << shipped.rdbuf() << "\n[node]\nprice = \"300 kUSD\"\npower = \"10 kW\"\n"
                      << more;
  return " --parts " + file + " ";
}

TEST(PlanToBuy, CostsWhatItsBillSays) {
  const std::string parts = parts_with_nodes("[use]\nyears = 3\n");
  const Json all =
      plan(kTiny + "--scheme sharded --nodes 1,2 --all --buy --electricity 0.1USD/kWh" + parts);
  ASSERT_EQ(all["plans"].size(), 2u);
  for (const Json& one : all["plans"]) {
    const Json bill = json_of("bom --topology dgx_h100_x16 --nodes " + one["nodes"].dump() + parts);
    const double hours = 3 * 365.25 * 24;
    const double power = bill["power_W"].get<double>() / 1000 * hours * 0.1;
    EXPECT_NEAR(one["power_price_usd"], power, 1e-9 * power);
    EXPECT_NEAR(one["price_usd"], bill["price_USD"].get<double>() + power, 1e-3);
    EXPECT_EQ(one["node_cost_usd"], 3e5 * one["nodes"].get<double>());
    EXPECT_EQ(one["price_usd_low"], one["price_usd_high"]);
  }
}

// The smallest cluster that trains so many tokens a day, with the probability that is asked for.
TEST(PlanToBuy, IsTheSmallestThatIsFastEnough) {
  const std::string question = kTiny + "--scheme sharded --buy" + parts_with_nodes();
  const Json all = plan(question + "--all");
  for (const Json& one : all["plans"]) {
    const double slow_s = one["training_time_s_high"];
    const Json asked = plan(question + fmt::format("--deadline {}s", slow_s * 1.2));
    EXPECT_LE(asked["plans"][0]["price_usd"], one["price_usd"]);
    EXPECT_GE(asked["plans"][0]["deadline_probability"], 0.8);
  }
}

TEST(PlanUpgrades, AreWhatRunsAndBillsSay) {
  const std::string parts = parts_with_nodes();
  const std::string slow = "--set network.nic_bandwidth=25Gbps ";
  const Json all = plan(kTiny + "--scheme sharded --nodes 2 " + slow + parts +
                        "--upgrade network.nic_bandwidth=400Gbps --upgrade gpu.launch_latency=9us");
  const Json& plan = all["plans"][0];
  const Json& nics = all["upgrades"][0];
  const Json before = last_of(json_of(words_of_run(plan["command"]), source_directory()));
  const Json after = last_of(json_of(
      words_of_run(plan["command"].get<std::string>() + " --set network.nic_bandwidth=400Gbps"),
      source_directory()));
  const double speedup = before["step_time_s"].get<double>() / after["step_time_s"].get<double>();
  EXPECT_NEAR(nics["speedup"], speedup, 1e-9);
  const double price = plan["price_usd"];
  EXPECT_NEAR(nics["saves_usd"], price * (1 - 1 / speedup), 1e-6 * price);
  const auto bill = [&](const std::string& rate) {
    return json_of("bom --topology dgx_h100_x16 --nodes 2 --set network.nic_bandwidth=" + rate +
                   parts)["price_USD"]
        .get<double>();
  };
  EXPECT_NEAR(nics["costs_usd"], bill("400Gbps") - bill("25Gbps"), 1e-6);
  EXPECT_NEAR(nics["payback_s"].get<double>() * nics["saves_usd"].get<double>(),
              plan["training_time_s"].get<double>() * nics["costs_usd"].get<double>(), 1);
  // Kernels that start later are no upgrade, cost nothing and never pay.
  EXPECT_LT(all["upgrades"][1]["speedup"], 1);
  EXPECT_EQ(all["upgrades"][1]["costs_usd"], 0);
  EXPECT_TRUE(all["upgrades"][1]["payback_s"].is_null());
}

TEST(PlanToBuy, IsRefusedWhereItIsNotSaid) {
  expect_command_refused(kTiny + "--buy", "--buy");
  expect_command_refused(
      kTiny + "--buy --parts " GARDENHOSE_SOURCE_DIR "/traces/network_parts.toml", "--buy");
  expect_command_refused(kTiny + "--upgrade network.nosuch=3", "--upgrade network.nosuch");
  expect_command_refused(kTiny + "--upgrade nonsense", "--upgrade");
}

}  // namespace
}  // namespace apps_tests
