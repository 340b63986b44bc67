// SPDX-License-Identifier: Apache-2.0
// `map` over any two axes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

const std::string kFewGpus = "--topology dgx_h100_x16 --gpus-per-node 2 ";
const std::string kFewLayers = "--set model.layers=2 ";
const std::string kPeers = "--topology twenty_peers_b200 --model gpt_125m " + kFewLayers;

struct AxisPair {
  const char* name;
  std::string job;
  std::string x_name, y_name;
  std::vector<std::string> x, y;  // ascending
};

void PrintTo(const AxisPair& pair, std::ostream* out) { *out << pair.name; }

std::string values_of(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : ",") + value;
  return text;
}

Json map_of(const std::string& job, const std::string& x, const std::string& y) {
  return json_of("map " + job + "--x " + x + " --y " + y);
}

class MapOfAxes : public testing::TestWithParam<AxisPair> {
 protected:
  static Json whole() {
    const AxisPair& p = GetParam();
    return map_of(p.job, p.x_name + "=" + values_of(p.x), p.y_name + "=" + values_of(p.y));
  }
};

INSTANTIATE_TEST_SUITE_P(
    Of, MapOfAxes,
    testing::Values(
        AxisPair{"bandwidth_by_model",
                 kFewGpus + kFewLayers + "--nodes 2 --tokens 16384 ",
                 "bandwidth",
                 "model",
                 {"1Gbps", "100Gbps"},
                 {"gpt_125m", "gpt_350m"}},
        AxisPair{"gpus_by_batch",
                 kFewGpus + kFewLayers + "--model gpt_125m ",
                 "gpus",
                 "batch",
                 {"4", "8"},
                 {"16384", "65536"}},
        AxisPair{"latency_by_bandwidth",
                 kFewGpus + kFewLayers + "--model gpt_125m --nodes 2 --tokens 16384 ",
                 "latency",
                 "bandwidth",
                 {"1us", "300us"},
                 {"1Gbps", "25Gbps"}},
        AxisPair{"oversubscription_by_key",
                 "--topology roce_a100_2to1 --model gpt_125m --tokens 65536 " + kFewLayers,
                 "oversubscription",
                 "gpu.launch_latency",
                 {"1", "8"},
                 {"1us", "20us"}},
        AxisPair{"sites_by_latency", kPeers, "sites", "latency", {"2", "4"}, {"10ms", "200ms"}},
        AxisPair{"bandwidth_by_batch_of_sites",
                 kPeers,
                 "bandwidth",
                 "batch",
                 {"10Mbps", "1Gbps"},
                 {"65536", "262144"}}),
    [](const auto& instance) { return std::string(instance.param.name); });

TEST_P(MapOfAxes, HasThePairsInOrderAndEachIsTheMapOfThatPair) {
  const AxisPair& p = GetParam();
  const Json all = whole();
  ASSERT_EQ(all.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    const Json alone = map_of(p.job, p.x_name + "=" + p.x[i % 2], p.y_name + "=" + p.y[i / 2]);
    ASSERT_EQ(alone.size(), 1u);
    EXPECT_EQ(all[i], alone[0]);
  }
  EXPECT_NE(all[0]["speedup"], all[3]["speedup"]);  // the axes are not dead
}

TEST_P(MapOfAxes, IsTransposedWithItsAxes) {
  const AxisPair& p = GetParam();
  const Json all = whole();
  const Json other =
      map_of(p.job, p.y_name + "=" + values_of(p.y), p.x_name + "=" + values_of(p.x));
  ASSERT_EQ(other.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) {
    Json cell = other[i % 2 * 2 + i / 2];
    for (const char* what : {"", "_input", "_number"}) {
      std::swap(cell[std::string("x") + what], cell[std::string("y") + what]);
    }
    EXPECT_EQ(all[i], cell);
  }
}

TEST_P(MapOfAxes, NamesItsAxes) {
  const AxisPair& p = GetParam();
  for (const Json& cell : whole()) {
    EXPECT_EQ(cell["x_input"], p.x_name);
    EXPECT_EQ(cell["y_input"], p.y_name);
  }
}

TEST(MapAxes, OfTodaysFlagsAreBandwidthAndModel) {
  const std::string job =
      "map " + kFewGpus + kFewLayers + "--nodes 2 --tokens 16384 --scheme sdp4bit ";
  EXPECT_EQ(json_of(job + "--model gpt_125m,mpt_125m --bandwidths 10Gbps,1Gbps"),
            json_of(job + "--x bandwidth=10Gbps,1Gbps --y model=gpt_125m,mpt_125m"));
}

// A value is shown with its unit, and told to programs in base units.
TEST(MapAxes, HaveValuesInTheirUnits) {
  const Json cell = json_of("map --topology roce_a100_2to1 --model gpt_125m " + kFewLayers +
                            "--tokens 65536 --scheme sdp4bit --x latency=1500ns "
                            "--y oversubscription=2")[0];
  EXPECT_EQ(cell["x"], "1.5 us");
  EXPECT_DOUBLE_EQ(cell["x_number"], 1.5e-6);
  EXPECT_EQ(cell["y"], "2:1");
  EXPECT_EQ(cell["y_number"], 2);
  const Json as_people_write =
      json_of("map --topology roce_a100_2to1 --model gpt_125m " + kFewLayers +
              "--scheme sdp4bit --x batch=64Ki "
              "--y oversubscription=2:1")[0];
  EXPECT_EQ(as_people_write["x"], "65536 tokens");
  EXPECT_EQ(as_people_write["y"], "2:1");
}

// What run finds for the flags that a cell stands for.
struct RunCell {
  const char *axes, *flags;
};

TEST(MapAxes, HaveTheSpeedUpsOfRunWithTheBestBaseline) {
  const std::string job = kFewGpus + kFewLayers + "--model gpt_125m --scheme sdp4bit --tp 1 ";
  for (const auto& [axes, flags] :
       {RunCell{"--x gpus=8 --y batch=32768 --set network.nic_bandwidth=25Gbps",
                "--nodes 4 --global-batch 16 --set network.nic_bandwidth=25Gbps"},
        RunCell{"--x nodes=2 --y bandwidth=10Gbps --tokens 16384",
                "--nodes 2 --set network.nic_bandwidth=10Gbps --global-batch 8"},
        RunCell{"--x oversubscription=4 --y network.nic_bandwidth=1Gbps --nodes 3 --tokens 24576 "
                "--set network.nodes_per_leaf=2",
                "--nodes 3 --set network.oversubscription=4 --set network.nic_bandwidth=1Gbps "
                "--set network.nodes_per_leaf=2 --global-batch 12"}}) {
    SCOPED_TRACE(axes);
    const Json cell = json_of("map " + job + axes)[0];
    const Json best = json_of("run " + job + flags + std::string(" --tune --baseline best")).back();
    EXPECT_EQ(best["scheme"], "sdp4bit");
    EXPECT_DOUBLE_EQ(cell["speedup"], best["speedup"]);
    EXPECT_DOUBLE_EQ(cell["speedup_low"], best["speedup_low"]);
    EXPECT_EQ(cell["verdict"], best["verdict"]);
    EXPECT_DOUBLE_EQ(cell["compressed_tokens_per_s"], best["tokens_per_s"]);
  }
}

// All of them by the same factor, here ten.
TEST(MapAxes, ScaleTheNetworksLatenciesTogether) {
  const std::string job = "--topology roce_a100_2to1 --model gpt_125m --scheme sdp4bit --tp 1 " +
                          kFewLayers + "--gpus-per-node 2 --nodes 2 ";
  const auto latencies = [](const char* zero) {
    return fmt::format(
        "--set network.latency=5{0}us --set network.ll_latency=4{0}us "
        "--set network.ll128_latency=3{0}us --set network.switch_latency=1{0}us ",
        zero);
  };
  const Json cell = json_of("map " + job + latencies("") + "--x latency=50us --y batch=16384")[0];
  const std::string run = "run " + job + "--global-batch 8 --tune --baseline best ";
  EXPECT_DOUBLE_EQ(cell["speedup"], json_of(run + latencies("0")).back()["speedup"]);
  EXPECT_NE(cell["speedup"], json_of(run + latencies("")).back()["speedup"]);
}

TEST(MapAxes, BetweenSitesHaveTheFastestSchemesOfRun) {
  // Two sites of eight GPUs take 16 sequences of 2048 tokens at a time: 8 times for 262 144 tokens.
  const Json cell = map_of(kPeers + "--scheme sparseloco,diloco_int8 ", "sites=2",
                           "bandwidth=10Mbps --tokens 262144")[0];
  const std::string run =
      "run " + kPeers +
      "--set sites.peer.count=2 --accumulation 8 --set sites.peer.uplink=10Mbps "
      "--set sites.peer.downlink=45.454545454545453Mbps "
      "--set store.upload=75.63636363636364Mbps "
      "--set store.download=72.727272727272727Mbps ";
  const std::string compressed = cell["compressed"], uncompressed = cell["uncompressed"];
  const Json pair = json_of(run + "--scheme " + compressed + " --baseline " + uncompressed).back();
  EXPECT_NEAR(cell["speedup"], pair["speedup"], 1e-9 * pair["speedup"].get<double>());
  EXPECT_NEAR(cell["speedup_low"], pair["speedup_low"], 1e-6);
  EXPECT_EQ(cell["verdict"], pair["verdict"]);
  double fastest = 0, fastest_given = 0;
  for (const Json& report : json_of(run + "--scheme all")) {
    const double speed = report["tokens_per_s"];
    fastest = std::max(fastest, report["scheme"] == uncompressed ? speed : 0.0);
    const bool is_given = report["scheme"] == "sparseloco" || report["scheme"] == "diloco_int8";
    if (is_given) fastest_given = std::max(fastest_given, speed);
  }
  EXPECT_NEAR(cell["compressed_tokens_per_s"], fastest_given, 1e-9 * fastest_given);
  EXPECT_NEAR(cell["uncompressed_tokens_per_s"], fastest, 1e-9 * fastest);
}

struct RefusedAxes {
  const char *axes, *place;
};

TEST(MapAxes, RefuseWhatIsNoAxisOrValue) {
  const std::string job = "map " + kFewGpus + "--model gpt_125m ";
  for (const auto& [axes, place] :
       {RefusedAxes{"--x latency", "--x"},
        RefusedAxes{"--x =", "--x"},
        RefusedAxes{"--x latency=", "--x"},
        RefusedAxes{"--x latency=2", "--x"},
        RefusedAxes{"--y latency=2us,,3us", "--y"},
        RefusedAxes{"--x latency=2us,2us", "--x"},
        RefusedAxes{"--x latency=2us,2000ns", "--x"},
        RefusedAxes{"--x bandwith=1Gbps", "--x"},
        RefusedAxes{"--x bandwidth=0Gbps", "--x"},
        RefusedAxes{"--x gpus=3,4", "--x"},
        RefusedAxes{"--x gpus=-4", "--x"},
        RefusedAxes{"--x gpus=2", "--x"},
        RefusedAxes{"--x gpus=4000", "--x"},
        RefusedAxes{"--x gpus=9223372036854775807", "--x"},
        RefusedAxes{"--x nodes=1", "--x"},
        RefusedAxes{"--y nodes=2.5", "--y"},
        RefusedAxes{"--x batch=0", "--x"},
        RefusedAxes{"--x batch=9223372036854775807", "--x"},
        RefusedAxes{"--x oversubscription=0.5", "--x"},
        RefusedAxes{"--x oversubscription=nan", "--x"},
        RefusedAxes{"--x sites=2", "--x"},
        RefusedAxes{"--x gpu.memroy=2GB", "--x"},
        RefusedAxes{"--x gpu.memory=2", "--x"},
        RefusedAxes{"--y model=gpt_125m,gpt_0", "--y"},
        RefusedAxes{"--x nodes=2 --nodes 2", "--x"},
        RefusedAxes{"--x batch=8192 --tokens 8192", "--x"},
        RefusedAxes{"--x gpu.memory=2GB --set gpu.memory=2GB", "--x"},
        RefusedAxes{"--x nodes=2 --y gpus=4", "--y"},
        RefusedAxes{"--y bandwidth=1Gbps", "--y"},
        RefusedAxes{"--bandwidths 1Gbps --x bandwidth=1Gbps", "--bandwidths"}}) {
    expect_command_refused(job + axes, place);
  }
  expect_command_refused("map --topology twenty_peers_b200 --model gpt_125m --x gpus=16", "--x");
  expect_command_refused("map --topology twenty_peers_b200 --model gpt_125m --x sites=1", "--x");
  expect_command_refused("map --topology two_sites_10g --model gpt_125m --x sites=2", "--x");
  expect_command_refused("map --topology two_sites_10g --model gpt_125m --scheme diloco",
                         "--scheme");
  const std::string other = "map --topology dgx_h100_x16 --x nodes=2 --y batch=8192 ";
  expect_command_refused(other, "--model");
  expect_command_refused(other + "--model gpt_125m,gpt_350m", "--model");
  expect_command_refused("map --model gpt_125m", "--topology");
}

TEST(MapAxes, SuggestTheAxisThatIsMeantAndListAll) {
  const Outcome outcome =
      run(words("map " + kFewGpus + "--model gpt_125m --x bandwith=1Gbps"), source_directory());
  EXPECT_NE(outcome.err.find("did you mean bandwidth? Known: bandwidth, gpus, nodes, batch, model, "
                             "latency, oversubscription, sites"),
            std::string::npos)
      << outcome.err;
}

TEST(MapAxes, AreRefusedBeforeTheWorkIfTheyHaveTooManyCells) {
  const auto numbers = [](int count) {
    std::string text;
    for (int i = 1; i <= count; ++i) text += fmt::format("{}{}", i == 1 ? "" : ",", i * 8192);
    return text;
  };
  expect_command_refused("map " + kFewGpus + "--model gpt_125m --x batch=" + numbers(101) +
                             " --y model.sequence=" + numbers(100),
                         "--x");
}

}  // namespace
}  // namespace apps_tests
