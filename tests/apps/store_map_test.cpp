// SPDX-License-Identifier: Apache-2.0
// `map STORE`: which scheme is fastest over two inputs of a sweep.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

// Three schemes, two sizes, two networks and two ways to overlap: 24 points.
constexpr std::string_view kSpec = R"([run]
topology = "dgx_h100_x16"
model = "gpt_125m"
gpus-per-node = 2
[grid]
overlap = ["none", "all"]
scheme = ["sharded", "sdp4bit", "qwd"]
nodes = [4, 2]
network.nic_bandwidth = ["400 Gbps", "1 Gbps"]
)";

Arguments with(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

// Swept once for all tests.
class StoreMap : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sandbox_ = new Sandbox;
    sandbox_->write("study.toml", kSpec);
    const Outcome swept = apps_tests::run({"sweep", "study.toml"}, sandbox_->path());
    ASSERT_EQ(swept.code, 0) << swept.err;
  }
  static void TearDownTestSuite() { delete sandbox_; }

  static Outcome mapped(const Arguments& more) {
    return apps_tests::run(with({"map", "study.sqlite"}, more), sandbox_->path());
  }
  static Json cells(const Arguments& more) {
    return json_of(with({"map", "study.sqlite"}, more), sandbox_->path());
  }

  static inline Sandbox* sandbox_ = nullptr;
};

const Arguments kBoth{"--x",     "network.nic_bandwidth", "--y", "nodes",
                      "--where", "in_overlap = 'none'"};

double tokens_per_s(const std::string& scheme, const Json& cell) {
  return json_of({"run", "--topology", "dgx_h100_x16", "--model", "gpt_125m", "--gpus-per-node",
                  "2", "--nodes", cell["y"].dump(), "--scheme", scheme, "--set",
                  "network.nic_bandwidth=" + cell["x"].get<std::string>()},
                 source_directory())["tokens_per_s"];
}

TEST_F(StoreMap, IsWhatRunSaysOfEachCell) {
  const Json all = cells(kBoth);
  ASSERT_EQ(all.size(), 4u);
  for (const Json& cell : all) {
    const double plain = tokens_per_s("sharded", cell);
    const double sdp4bit = tokens_per_s("sdp4bit", cell), qwd = tokens_per_s("qwd", cell);
    EXPECT_EQ(cell["baseline"], "sharded");
    EXPECT_EQ(cell["challenger"], sdp4bit > qwd ? "sdp4bit" : "qwd");
    EXPECT_DOUBLE_EQ(cell["speedup"], std::max(sdp4bit, qwd) / plain);
    const bool is_faster = std::max(sdp4bit, qwd) > plain;
    EXPECT_EQ(cell["fastest"], is_faster ? cell["challenger"] : cell["baseline"]);
    EXPECT_EQ(cell["pays"], cell["verdict"] == "win");
  }
}

// Upwards, whatever the order of the sweep: quantities by what they are.
TEST_F(StoreMap, HasItsAxesUpwards) {
  const Json all = cells(kBoth);
  EXPECT_EQ(all[0]["x"], "1 Gbps");
  EXPECT_EQ(all[0]["x_number"], 1.25e8);
  EXPECT_EQ(all[1]["x"], "400 Gbps");
  EXPECT_EQ(all[0]["y"], 2);
  EXPECT_EQ(all[2]["y"], 4);
}

TEST_F(StoreMap, ComparesWithTheBaselineThatIsNamed) {
  for (const Json& cell : cells(with(kBoth, {"--baseline", "qwd"}))) {
    EXPECT_EQ(cell["baseline"], "qwd");
    EXPECT_NE(cell["challenger"], "qwd");
  }
}

TEST_F(StoreMap, IsOverAnyInput) {
  for (const Json& cell :
       cells({"--x", "network.nic_bandwidth", "--y", "nodes", "--over", "overlap", "--baseline",
              "none", "--where", "in_scheme = 'sharded'"})) {
    EXPECT_EQ(cell["challenger"], "all");
    EXPECT_GT(cell["speedup"], 1);  // what overlaps is no slower
  }
}

TEST_F(StoreMap, IsATableOrCsv) {
  const Outcome table = mapped(kBoth);
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("\nnodes by network.nic_bandwidth "), std::string::npos) << table.out;
  const Outcome csv = mapped(with(kBoth, {"--format", "csv"}));
  EXPECT_TRUE(csv.out.starts_with("x_input,x,y_input,y,over,fastest,pays,verdict,speedup,"))
      << csv.out;
  EXPECT_EQ(lines_of(csv.out).size(), 5u);
  // Quantities are known to the condition.
  const Outcome slow =
      mapped({"--x", "network.nic_bandwidth", "--y", "nodes", "--format", "csv", "--where",
              "in_overlap = 'all' and quantity(in_network_nic_bandwidth) < quantity('2 Gbps')"});
  EXPECT_EQ(lines_of(slow.out).size(), 3u) << slow.err;
  // And are there as numbers: 2 Gbps are 2.5e8 bytes a second.
  const Outcome same =
      mapped({"--x", "network.nic_bandwidth", "--y", "nodes", "--format", "csv", "--where",
              "in_overlap = 'all' and in_network_nic_bandwidth_Bps < 2.5e8"});
  EXPECT_EQ(same.out, slow.out);
}

TEST_F(StoreMap, TakesTheAxesOfAMapForTheInputsThatTheySet) {
  EXPECT_EQ(cells({"--x", "bandwidth", "--y", "gpus", "--where", "in_overlap = 'none'"}),
            cells(kBoth));
  expect_refused(mapped({"--x", "latency", "--y", "nodes"}), "--x");  // not swept
  expect_refused(mapped({"--x", "gpus", "--y", "nodes"}), "--y");     // the same input
}

TEST_F(StoreMap, ShowsWinnersWithRanges) {
  for (const Json& cell : cells(kBoth)) {
    EXPECT_LT(cell["speedup_low"], cell["speedup"]);
    EXPECT_GT(cell["speedup_high"], cell["speedup"]);
    EXPECT_EQ(cell["verdict"] == "win", cell["speedup_low"] > 1) << cell;
  }
  const Outcome table = mapped(kBoth);
  EXPECT_NE(table.out.find("\n  likely range  "), std::string::npos) << table.out;
}

TEST_F(StoreMap, SaysWhereNothingFits) {
  sandbox_->write("small.toml", R"([run]
topology = "dgx_h100_x16"
model = "gpt_125m"
gpus-per-node = 2
nodes = 2
[grid]
scheme = ["sharded", "sdp4bit"]
gpu.memory = ["1 GB", "80 GB"]
accumulation = [1, 2]
)");
  ASSERT_EQ(apps_tests::run({"sweep", "small.toml"}, sandbox_->path()).code, 0);
  const Arguments map{"map", "small.sqlite", "--x", "gpu.memory", "--y", "batch"};
  const Outcome table = apps_tests::run(map, sandbox_->path());
  EXPECT_NE(table.out.find("does not fit"), std::string::npos) << table.out;
  const Json all = json_of(map, sandbox_->path());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0]["y_input"], "accumulation");
  for (const Json& cell : all) EXPECT_EQ(cell["verdict"].is_null(), cell["x"] == "1 GB") << cell;
}

TEST_F(StoreMap, NamesWhatVariesBesides) {
  const Outcome outcome = mapped({"--x", "network.nic_bandwidth", "--y", "nodes"});
  expect_refused(outcome, "study.sqlite");
  EXPECT_NE(outcome.err.find("differ in overlap; choose among them, e.g. --where \"in_overlap = '"),
            std::string::npos)
      << outcome.err;
}

TEST_F(StoreMap, RefusesWhatItCannotDraw) {
  expect_refused(mapped({"--x", "tp", "--y", "nodes"}), "--x");
  expect_refused(mapped({"--x", "nodes", "--y", "nodez"}), "--y");
  expect_refused(mapped({"--x", "nodes", "--y", "nodes"}), "--y");
  expect_refused(mapped(with(kBoth, {"--over", "tp"})), "--over");
  expect_refused(mapped(with(kBoth, {"--baseline", "zeropp"})), "--baseline");
  expect_refused(mapped(with(kBoth, {"--format", "svg"})), "--format");
  const auto where = [](const char* condition) {
    return mapped({"--x", "network.nic_bandwidth", "--y", "nodes", "--where", condition});
  };
  expect_refused(where("in_tp ="), "--where");
  expect_refused(where("nodes = 2"), "--where");
  expect_refused(where("printf('%.*c', 2e9, 'x') <> ''"), "--where");
  expect_refused(where("true); drop table points; --"), "--where");
  expect_refused(where("in_nodes = 3"), "study.sqlite");
  // Nothing that is left is known to be uncompressed.
  expect_refused(where("in_overlap = 'all' and in_scheme <> 'sharded'"), "--baseline");
  expect_refused(mapped({"--x", "nodes"}), "gardenhose map");
  expect_refused(run({"map", "none.sqlite", "--x", "a", "--y", "b"}, sandbox_->path()),
                 "none.sqlite");
}

}  // namespace
}  // namespace apps_tests
