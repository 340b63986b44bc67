// SPDX-License-Identifier: Apache-2.0
// `map`: a point does not fit only if no remedy helps, and says which one it needs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/apps/answers.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

const std::string kSmallCluster = "--topology dgx_h100_x16 --gpus-per-node 2 ";

// The flags that forbid a remedy.
const std::vector<std::pair<std::string, std::vector<std::string>>> kWithout{
    {"--zero 3", {"--zero 1", "--zero 2"}},
    {"--recompute full", {"--recompute none", "--recompute alternate"}},
    {"--optimizer-state host", {"--optimizer-state gpu"}}};

// Names of the remedies that some cell needs; without them, its scheme does not fit.
std::set<std::string> needs_of(const std::string& job, const Json& cell) {
  std::set<std::string> found;
  for (const std::string side : {"compressed", "uncompressed"}) {
    const std::string needs = cell[side + "_needs"];
    for (const auto& [remedy, others] : kWithout) {
      if (needs.find(remedy) == std::string::npos) continue;
      found.insert(remedy);
      EXPECT_EQ(cell[side + "_fits_memory"], true) << cell;
      if (side == "uncompressed") continue;  // others than its scheme may fit
      const bool has_hosts = needs.find("host") != std::string::npos;
      for (std::string other : others) {
        if (!has_hosts) other += " --optimizer-state gpu";  // which would be another remedy
        EXPECT_EQ(json_of(job + other)[0]["compressed_fits_memory"], false) << other << cell;
      }
    }
  }
  return found;
}

TEST(MapRemedies, AreNeededOnlyWhereNothingFitsWithoutIt) {
  std::set<std::string> needed;
  const std::string job = "map " + kSmallCluster +
                          "--nodes 2 --model gpt_1.3b --set model.layers=8 --tokens 16384 "
                          "--attention fused --tp 1 --zero 1 --scheme sdp4bit "
                          "--bandwidths 400Gbps --y gpu.memory=";
  for (const char* memory : {"5GB ", "5.5GB ", "6.5GB ", "7.5GB "}) {
    const std::string point = job + memory;
    const Json cell = json_of(point)[0];
    EXPECT_EQ(cell["compressed_fits_memory"], true);
    const std::string needs = cell["compressed_needs"];
    EXPECT_EQ(needs.empty(), std::string(memory) == "7.5GB ") << cell;
    needed.merge(needs_of(point, cell));
  }
  EXPECT_EQ(needed, (std::set<std::string>{"--recompute full", "--optimizer-state host"}));
}

TEST(MapRemedies, AreTakenBetweenSites) {
  const std::string job =
      "map --topology two_sites_10g --attention fused --scheme sparseloco --tokens 131072 --x "
      "bandwidth=10Gbps "
      "--y model=";
  const Json fits = json_of(job + "gpt_1.3b ")[0];
  EXPECT_EQ(fits["compressed_needs"], "");
  const std::string large = job + "llama_2_70b ";
  const Json cell = json_of(large)[0];
  EXPECT_EQ(needs_of(large, cell), (std::set<std::string>{"--zero 3", "--recompute full"}));
  const Json given = json_of(large + "--zero 3 --recompute full")[0];
  EXPECT_EQ(given["speedup"], cell["speedup"]);
  EXPECT_EQ(given["compressed_needs"], "");  // nothing besides what is asked for
}

// Buffers of what overlaps are memory too.
TEST(MapRemedies, LeaveOutOverlap) {
  const std::string job = kSmallCluster + "--set model.layers=2 " +
                          "--nodes 2 --model gpt_1.3b --zero 3 --stack deepspeed --tp 1 "
                          "--recompute full --optimizer-state gpu --gradient-precision bf16 ";
  const auto needs = [&](const std::string& overlap) -> double {
    return json_of("run " + job + "--overlap " + overlap)["memory_per_gpu_bytes"];
  };
  const double most = needs("all"), least = needs("none");
  ASSERT_GT(most, 1.01 * least);
  const std::string at = fmt::format("--x gpu.memory={:.0f}B --y batch=8192", (most + least) / 2);
  const std::string schemes = "--scheme zeropp ";
  const Json cell = json_of("map " + job + schemes + at)[0];
  EXPECT_EQ(cell["uncompressed_fits_memory"], true) << cell;
  const Json overlapping = json_of("map " + job + schemes + "--overlap all " + at)[0];
  EXPECT_EQ(overlapping["uncompressed_fits_memory"], false) << overlapping;
}

TEST(MapRemedies, HelpNowhereThatDoesNotFit) {
  const std::string job = kSmallCluster +
                          "--nodes 2 --model gpt_1.3b --set model.layers=8 "
                          "--attention fused ";
  const Outcome map = run(words("map " + job +
                                "--tokens 16384 --scheme sdp4bit --bandwidths 400Gbps "
                                "--y gpu.memory=1GB,2GB,4GB"),
                          source_directory());
  ASSERT_EQ(map.code, 0) << map.err;
  const auto lines = lines_of(map.out);
  const auto line = [&](const std::string& begin) {
    const auto found =
        std::ranges::find_if(lines, [&](const std::string& one) { return one.starts_with(begin); });
    return found == lines.end() ? std::string() : *found;
  };
  EXPECT_NE(line("1GB").find("does not fit"), std::string::npos) << map.out;
  EXPECT_NE(line("2GB").find("(sharded)"), std::string::npos) << map.out;
  EXPECT_NE(line("4GB").find("sdp4bit"), std::string::npos) << map.out;
  EXPECT_NE(line("  speed-up").find("(alone fits)"), std::string::npos) << map.out;
  EXPECT_NE(line("  needs").find("(--recompute full --optimizer-state host)"), std::string::npos)
      << map.out;
  for (const char* zero : {"1", "2", "3"}) {
    EXPECT_EQ(json_of("run " + job +
                      "--scheme sharded --recompute full --optimizer-state host --tp 2 "
                      "--gradient-precision bf16 --set gpu.memory=1GB --zero " +
                      zero)["fits_memory"],
              false);
  }
}

}  // namespace
}  // namespace apps_tests
