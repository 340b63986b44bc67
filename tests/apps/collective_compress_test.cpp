// SPDX-License-Identifier: Apache-2.0
// collective --compress: a codec's gain is the sum of its parts, and it pays from where it says.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "codecs/codec.hpp"
#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr const char* kExchanged[] = {"all_gather", "reduce_scatter", "all_reduce",
                                      "all_to_all", "broadcast",      "send_receive"};

nlohmann::json coded(const std::string& flags) {
  return json_of("collective --topology roce_a100_2to1 --nodes 2 " + flags);
}

nlohmann::json one_size(const std::string& name, const std::string& size,
                        const std::string& flags) {
  return coded(name + " --begin " + size + " --end " + size + " " + flags).at(0);
}

TEST(CollectiveCompress, PartsAddUpAndTheBaselineIsTheCollectiveItself) {
  for (const std::string name : kExchanged) {
    SCOPED_TRACE(name);
    const auto row = one_size(name, "64MiB", "--compress int8_g128");
    const double encode = row["encode_s"], exchange = row["exchange_s"], decode = row["decode_s"];
    EXPECT_GT(encode, 0);
    EXPECT_GT(decode, 0);
    EXPECT_DOUBLE_EQ(row["compressed_time_s"], encode + exchange + decode);
    EXPECT_DOUBLE_EQ(row["speedup"], row["uncompressed_time_s"].get<double>() /
                                         row["compressed_time_s"].get<double>());
    EXPECT_DOUBLE_EQ(row["uncompressed_time_s"], one_size(name, "64MiB", "")["time_s"]);
  }
}

TEST(CollectiveCompress, BytesAreTheCodecsForEachRanksShare) {
  // 64 MiB of BF16 are 2^25 values, an equal part for each of 16 ranks.
  const auto& codec = codecs::codec_named("int4_g128");
  const double bytes = 16.0 * static_cast<double>(encoded_bytes(codec.format, (1 << 25) / 16));
  EXPECT_EQ(one_size("all_gather", "64MiB", "--compress int4_g128")["encoded_bytes"], bytes);
  // As FP32 they are half as many.
  const double half = 16.0 * static_cast<double>(encoded_bytes(codec.format, (1 << 24) / 16));
  EXPECT_EQ(
      one_size("all_gather", "64MiB", "--compress int4_g128 --precision fp32")["encoded_bytes"],
      half);
}

TEST(CollectiveCompress, ACardTimesTheKernelsThatItLists) {
  const auto row =
      one_size("all_to_all", "64MiB", "--compress docs/examples/codec-as-card/entropy.toml");
  EXPECT_NE(row["kernel_times"].get<std::string>().find("entropy"), std::string::npos) << row;
}

TEST(CollectiveCompress, EveryCodecIsExchangedOrRefusedWithAReason) {
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    const std::string name(codec->name);
    SCOPED_TRACE(name);
    const std::string command =
        "collective all_reduce --topology roce_a100_2to1 --nodes 2 "
        "--begin 1MiB --end 1MiB --compress " +
        name;
    if (codecs::encoded_bytes_per_element(codec->format) >= 2) {
      expect_command_refused(command, "--compress");
      continue;
    }
    const auto row = json_of(command).at(0);
    EXPECT_GT(row["compressed_time_s"], 0);
    EXPECT_LT(row["encoded_bytes"], 1 << 20);
  }
}

TEST(CollectiveCompress, PaysFromTheSizeThatItNames) {
  const std::string flags = "all_reduce --split 8 --compress int4_g128 --factor 64 ";
  const auto rows = coded(flags);
  const double from = rows.at(0)["pays_from_bytes"];
  EXPECT_FALSE(rows.front()["pays"]);
  EXPECT_TRUE(rows.back()["pays"]);
  const auto pays = [&](double size) {
    const std::string bytes = std::to_string(static_cast<long long>(size)) + "B";
    return one_size("all_reduce", bytes, "--split 8 --compress int4_g128")["pays"].get<bool>();
  };
  EXPECT_TRUE(pays(std::ceil(from) * 1.001));
  EXPECT_FALSE(pays(from / 1.03));
}

TEST(CollectiveCompress, AGatherWhoseBytesTakeAllTheTimeGainsTheCodecsRatio) {
  // 4 bits and a float32 for 128 values of 16 bits; kernels and latencies are lost in a slow network.
  const auto row = one_size("all_gather", "1GiB",
                            "--split 8 --compress int4_g128 --set network.nic_bandwidth=0.1Gbps");
  EXPECT_NEAR(row["speedup"], 16 / (4 + 32.0 / 128), 0.01);
}

TEST(CollectiveCompress, SaysIfItPaysNowhereOrEverywhere) {
  // On one node, kernels cost more than the bytes that they spare.
  const auto nowhere = json_of(
      "collective all_reduce --topology dgx_h100_x16 --nodes 1 "
      "--compress int8_g128 --end 1KiB");
  EXPECT_TRUE(nowhere.at(0)["pays_from_bytes"].is_null());
  const auto slow = one_size("all_reduce", "1GiB",
                             "--split 8 --compress int4_g128 --set network.nic_bandwidth=1Gbps");
  EXPECT_EQ(slow["pays_from_bytes"], slow["size_bytes"]);
}

TEST(CollectiveCompress, MeasuredKernelsLeaveTheExchangeAsItIs) {
  const auto of = [](const std::string& calibration) {
    return json_of(
               "collective all_gather --topology sdp4bit_a100 --nodes 2 --begin 64MiB "
               "--end 64MiB --precision fp32 --compress int8_g128_sr --calibration " +
               calibration)
        .at(0);
  };
  const auto published = of("auto"), roofline = of("roofline");
  EXPECT_EQ(published["exchange_s"], roofline["exchange_s"]);
  EXPECT_NE(published["encode_s"], roofline["encode_s"]);
  const auto source = [](const nlohmann::json& row) {
    return row["kernel_times"].get<std::string>();
  };
  EXPECT_NE(source(published).find("published"), std::string::npos) << source(published);
  EXPECT_EQ(source(roofline).find("published"), std::string::npos) << source(roofline);
}

TEST(CollectiveCompress, WhatIsWrongIsLocated) {
  for (const std::string flags : {"--compress int9_g128", "--compress bf16", "--compress no.toml",
                                  "--compress fp16 --precision bf16"}) {
    const std::string command = "collective all_reduce --topology dgx_h100_x16 " + flags;
    SCOPED_TRACE(command);
    const bool card = flags.find(".toml") != std::string::npos;
    expect_command_refused(command, card ? "no.toml" : "--compress");
  }
  expect_command_refused(
      "collective all_reduce --topology dgx_h100_x16 --compress int8_g128 --precision fp8",
      "--precision");
}

}  // namespace
}  // namespace apps_tests
