// SPDX-License-Identifier: Apache-2.0
// bom: totals of what it lists, and refusals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

TEST(Bom, TotalsAreTheSumsOfItsLines) {
  const auto bill = json_of("bom --topology dgx_h100_x128");
  double price = 0, power = 0;
  for (const auto& line : bill["lines"]) {
    const double count = line["count"];
    EXPECT_DOUBLE_EQ(line["price_USD"], count * line["price_each_USD"].get<double>());
    price += line["price_USD"].get<double>();
    power += line["power_W"].get<double>();
  }
  EXPECT_DOUBLE_EQ(bill["price_USD"], price);
  EXPECT_DOUBLE_EQ(bill["power_W"], power);
  EXPECT_DOUBLE_EQ(bill["price_per_gpu_USD"], price / bill["gpus"].get<double>());
  EXPECT_GT(price, 0);
}

TEST(Bom, OversubscriptionSavesSpinesAndAFileOfPartsSetsPrices) {
  const auto price = [](const std::string& flags) {
    return json_of("bom --topology dgx_h100_x128 " + flags)["price_USD"].get<double>();
  };
  EXPECT_LT(price("--set network.oversubscription=2"), price(""));
  EXPECT_DOUBLE_EQ(price("--parts traces/network_parts.toml"), price(""));
}

TEST(Bom, APartOfADragonflyHasTheBillOfTheWhole) {
  const auto all = json_of("bom --topology perlmutter");
  const auto few = json_of("bom --topology perlmutter --nodes 4");
  EXPECT_EQ(few["nodes"], 4);
  for (const char* key :
       {"fabric_nodes", "fabric_gpus", "price_USD", "price_per_gpu_USD", "lines"}) {
    EXPECT_EQ(few[key], all[key]) << key;
  }
  EXPECT_DOUBLE_EQ(few["price_per_gpu_USD"],
                   few["price_USD"].get<double>() / few["fabric_gpus"].get<double>());
  const Outcome table = run(words("bom --topology perlmutter --nodes 4"), source_directory());
  EXPECT_NE(table.out.find("the fabric is that of all 3072 nodes"), std::string::npos)
      << "4 nodes a router, 32 routers a group, 24 groups";
}

TEST(Bom, LinesOfNothingAreLeftOutAndOneNodeNeedsNoNetwork) {
  for (const char* topology : {"sdp4bit_a100", "dgx_h100_x128", "perlmutter"}) {
    const auto bill = json_of(std::string("bom --topology ") + topology);
    EXPECT_FALSE(bill["lines"].empty());
    for (const auto& line : bill["lines"]) EXPECT_GT(line["count"], 0) << line;
    const std::string one = std::string("bom --topology ") + topology + " --nodes 1";
    EXPECT_TRUE(json_of(one)["lines"].empty());
    const Outcome said = run(words(one), source_directory());
    EXPECT_TRUE(said.out.ends_with("one node needs no network\n")) << said.out;
  }
}

TEST(Bom, WhatIsWrongIsLocated) {
  for (const auto& [flags, place] :
       std::vector<std::pair<std::string, std::string>>{{"--parts none.toml", "none.toml"},
                                                        {"--set model.layers=2", "--set"},
                                                        {"--nodes 0", "--nodes"},
                                                        {"--format xml", "--format"}}) {
    expect_command_refused("bom --topology dgx_h100_x128 " + flags, place);
  }
  expect_command_refused(
      "bom --topology topologies/wide_area/" +
          shipped_files("topologies/wide_area", ".toml").front().filename().string(),
      "--topology");
}

TEST(Bom, NamesTheFileWhoseSwitchesAreTooSmall) {
  const Sandbox sandbox;
  std::string parts = text_of(source_directory() / "traces" / "network_parts.toml");
  const std::string ports = "\nports = 64";
  parts.replace(parts.find(ports), ports.size(), "\nports = 2");
  sandbox.write("few.toml", parts);
  const Outcome refused =
      run(words("bom --topology meta_llama3_h100 --parts few.toml"), sandbox.path());
  EXPECT_EQ(refused.code, 2);
  EXPECT_TRUE(refused.err.starts_with("few.toml: switch.ports: ")) << refused.err;
}

// A terminal's usual width.
TEST(List, TransportsFitAPage) {
  std::string longest;
  for (const std::string& line : lines_of(run({"list", "transports"}, "/").out)) {
    if (line.size() > longest.size()) longest = line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
  EXPECT_LE(longest.size(), 100U) << longest;
}

TEST(List, EachTransportStandsAboveItsRows) {
  const std::string text = run({"list", "transports"}, "/").out;
  const auto all = json_of("list transports")["transports"]["rows"];
  std::string name;
  for (const auto& row : all) {
    if (row["name"] == name) continue;
    name = row["name"];
    const std::string heading = "\n  " + name + ": ";
    EXPECT_NE(text.find(heading), std::string::npos) << name;
    EXPECT_EQ(text.find(heading), text.rfind(heading)) << name;
  }
}

}  // namespace
}  // namespace apps_tests
