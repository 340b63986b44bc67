// SPDX-License-Identifier: Apache-2.0
// A plan's prices from a list of one's own, and what cannot be bought.
#include <unistd.h>

#include <fstream>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

const std::string kPriced = kTiny + "--scheme sharded --nodes 2 --tp 1 --pp 1 ";

// A file in the tests' temporary folder.
std::string prices(const std::string& text) {
  const std::string file = testing::TempDir() + "prices_" + std::to_string(getpid()) + ".toml";
  std::ofstream(file) << "as_of = \"November 2026\"\n" << text;
  return " --prices " + file + " ";
}

const std::string kListedH100 = "[gpus.a]\ngpu = \"h100\"\nprice = \"2 USD/h\"\n";

TEST(PlanPrices, OfTheListAreThoseOfSettings) {
  const Json listed = plans(kPriced + prices(kListedH100))[0];
  const Json set = plans(kPriced + "--set gpu.price=2USD/h")[0];
  EXPECT_EQ(listed["price_usd"], set["price_usd"]);
  EXPECT_EQ(listed["price_usd_high"], set["price_usd_high"]);
  // GPUs that are not listed keep theirs.
  EXPECT_EQ(
      plans(kPriced + prices("[gpus.a]\ngpu = \"A100\"\nprice = \"2 USD/h\"\n"))[0]["price_usd"],
      plans(kPriced)[0]["price_usd"]);
}

TEST(PlanPrices, AddWhatIsPaidForBesideGpus) {
  const Json bare = plans(kPriced + prices(kListedH100))[0];
  const Json all =
      plan(kPriced + prices("electricity = \"0.1 USD/kWh\"\nstorage = \"8 USD/h\"\nidle = 0.5\n" +
                            kListedH100));
  const Json& one = all["plans"][0];
  const double hours = one["training_time_s"].get<double>() / 3600;
  const double gpus = bare["price_usd"];
  EXPECT_NEAR(one["storage_price_usd"], 8 * hours, 1e-9 * gpus);
  // As many hours go by without training.
  EXPECT_NEAR(one["idle_price_usd"], gpus + 8 * hours, 1e-9 * gpus);
  const double power = plans(kPriced + "--electricity 0.1USD/kWh")[0]["power_price_usd"];
  EXPECT_NEAR(one["power_price_usd"], power, 1e-9 * gpus);
  EXPECT_NEAR(one["price_usd"], 2 * (gpus + 8 * hours) + power, 1e-9 * gpus);
  for (const Json& part : all["not_counted"]) {
    EXPECT_EQ(part.get<std::string>().find("storage"), std::string::npos) << part;
  }
}

TEST(PlanPrices, OfTheSpotMarketComeWithInterruptions) {
  const std::string list = prices(
      kListedH100 + "spot_price = \"1 USD/h\"\nspot_kept = \"20 h\"\nspot_wait = \"10 min\"\n");
  const std::string reliable = "--reliability llama3_h100 ";
  const Json spot = plans(kPriced + reliable + list + "--spot")[0];
  const Json bought = plans(kPriced + reliable + list)[0];
  EXPECT_NEAR(spot["price_usd"].get<double>() * 2, bought["price_usd"], 1e-9);
  EXPECT_GT(spot["interruptions"].get<double>(), bought["interruptions"].get<double>());
  EXPECT_LT(spot["goodput"].get<double>(), bought["goodput"].get<double>());
  // The command has the same failures.
  const Json run = last_of(json_of(words_of_run(spot["command"]), source_directory()));
  EXPECT_NEAR(run["goodput"], spot["goodput"], 1e-12);
}

TEST(PlanPrices, AreRefusedWhereTheyAreNotSaid) {
  expect_command_refused(kPriced + "--spot", "--spot");
  expect_command_refused(kPriced + prices(kListedH100) + "--spot", "--spot");
  expect_command_refused(kPriced + prices(kListedH100) + "--spot --reliability llama3_h100",
                         "--spot");
  // Of GPUs that are not listed, too.
  expect_command_refused(kPriced + prices("") + "--spot --reliability llama3_h100", "--spot");
  expect_command_refused(kPriced + prices(kListedH100) + "--set gpu.price=2USD/h", "--prices");
}

TEST(PlanNics, ThatCannotBeBoughtAreLeftOut) {
  const Json all = plan(kTiny + "--scheme sharded --nic-bandwidths 300Gbps,400Gbps,800Gbps --all");
  for (const Json& one : all["plans"]) EXPECT_EQ(one["nic_bandwidth_Bps"], 50e9);
  ASSERT_EQ(all["not_built"].size(), 2u);
  EXPECT_NE(all["not_built"][1].get<std::string>().find("gpu.host_bandwidth"), std::string::npos);
  expect_command_refused(kTiny + "--nic-bandwidths 800Gbps", "--nic-bandwidths");
  // Hosts with faster slots can.
  EXPECT_EQ(plan(kTiny + "--scheme sharded --nodes 2 --nic-bandwidths 800Gbps "
                         "--set gpu.host_bandwidth=128GBps")["plans"][0]["nic_bandwidth_Bps"],
            100e9);
}

}  // namespace
}  // namespace apps_tests
