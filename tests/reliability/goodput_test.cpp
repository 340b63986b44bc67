// SPDX-License-Identifier: Apache-2.0
// Failure rates, checkpoints and goodput of jobs, by arithmetic on their inputs.
#include "sim/reliability/goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/topology/ranks.hpp"
#include "sim/workload/memory.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

Cluster sixteen_nodes() {
  return read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
}
Model small_model() { return read_model(source_directory() / "traces/models/llama_2_7b.toml"); }

Reliability reliability_with(const std::string& text) {
  return parse_reliability("summary = \"made up\"\n" + text, "made_up.toml");
}

constexpr const char* kRecovery =
    "[recovery]\ndetection = \"5 min\"\nrestart = \"10 min\"\nrepair = \"1 h\"\n";

// A job of 16 nodes, whatever its step.
class SixteenNodes : public ::testing::Test {
 protected:
  [[nodiscard]] SteadyJob job() const {
    return {.cluster = cluster_,
            .model = model_,
            .parallelism = parallelism_,
            .step_s = 2,
            .tokens_per_s = 1e6};
  }
  [[nodiscard]] double nics_Bps() const {
    return nic_rate(cluster_).base() * cluster_.network.nics_per_node;
  }

  Cluster cluster_ = sixteen_nodes();
  Model model_ = small_model();
  Parallelism parallelism_;
};

// Llama 3's own counts, from its mean times between failures, on its own 16384 GPUs: 268, 7, 46, 35
// and 63 in 54 days. What its file was made from, so no prediction.
TEST(FailureRates, OfLlama3AreItsTable) {
  Cluster cluster = sixteen_nodes();
  cluster.nodes = 2048;
  const Reliability llama =
      read_reliability(source_directory() / "traces/reliability/llama3_h100.toml");
  const FailureRates rates = failure_rates(llama.failures, cluster);
  ASSERT_EQ(rates.by_part.size(), 5u);
  constexpr double kCounts[] = {268, 7, 46, 35, 63};
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(rates.by_part[i].second * 54 * kDay_s, kCounts[i], 0.001 * kCounts[i]);
  }
  EXPECT_NEAR(rates.total * 54 * kDay_s, 419, 0.1);
  EXPECT_NEAR(rates.hardware * 54 * kDay_s, 419 - 63, 0.1);
}

// 16 nodes: 128 GPUs, 128 NICs, 8 switches of two, 6 domains of three.
TEST(FailureRates, CountEachPart) {
  const FailureRates rates =
      failure_rates(reliability_with("[failures]\ngpu = \"128 s\"\nnic = \"64 s\"\nnode = \"4 s\"\n"
                                     "switch = \"1 s\"\nnodes_per_switch = 2\ndomain = \"2 s\"\n"
                                     "nodes_per_domain = 3\nsoftware = \"32 s\"\n" +
                                     std::string(kRecovery))
                        .failures,
                    sixteen_nodes());
  EXPECT_DOUBLE_EQ(rates.hardware, 1 + 2 + 4 + 8);
  EXPECT_DOUBLE_EQ(rates.domain, 3);
  EXPECT_DOUBLE_EQ(rates.total, 15 + 3 + 0.5);
}

// Published: BLOOM's checkpoints of 2.3 TB (TiB, by its own files), its weights of 329 GiB in BF16
// (bigscience, train/tr11-176B-ml/README.md): 2.3 * 1024 / 329 x 2 B = 14.3 B a parameter.
TEST(TrainedState, Is14BytesAParameterWithAdamW) {
  const Model model = small_model();
  const Parallelism whole, split{.tensor = 4, .pipeline = 2};
  const Parallelism zero3{.sharding = {.stage = 3}};
  const double parameters = stage_parameters(model, whole, 0).total();
  EXPECT_DOUBLE_EQ(trained_state_bytes(model, whole), 14 * parameters);
  EXPECT_DOUBLE_EQ(trained_state_bytes(model, zero3), 12 * parameters);
  // Tensor-parallel ranks hold norms and biases each.
  EXPECT_NEAR(trained_state_bytes(model, split) / (14 * parameters), 1, 0.001);
}

TEST_F(SixteenNodes, WriteSynchronousCheckpointsThroughTheSlowerOfStorageAndNode) {
  const double bytes = trained_state_bytes(model_, parallelism_);
  const std::string recovery = kRecovery;
  const std::string apart = "[storage]\nshares_nics = false\nnode_bandwidth = \"2 GBps\"\n";
  const CheckpointTimes by_node = checkpoint_times(
      reliability_with(recovery + apart + "[loading]\ntoken_bytes = 1e-9\n"), job());
  EXPECT_NEAR(by_node.stall_s, bytes / 16 / 2e9, 1e-6);
  EXPECT_EQ(by_node.write_s, 0);
  // 1e6 tokens a second of 4 kB are 4 of the storage's 10 GB/s.
  const CheckpointTimes by_storage =
      checkpoint_times(reliability_with(recovery + apart + "bandwidth = \"10 GBps\"\n" +
                                        "[loading]\ntoken_bytes = 4000\n"),
                       job());
  EXPECT_NEAR(by_storage.stall_s, bytes / 6e9, 1e-6);
  const MemoryUse held = memory_use(cluster_, model_, parallelism_);
  EXPECT_NEAR(by_storage.load_s, bytes / 6e9 + 8 * (held.weights + held.optimizer) / nics_Bps(),
              1e-6);
}

TEST_F(SixteenNodes, StallForTheCopyAloneWithAsynchronousCheckpoints) {
  const std::string text = std::string(kRecovery) +
                           "[checkpoint]\nasynchronous = true\ncopy_bandwidth = \"10 GBps\"\n"
                           "[loading]\ntoken_bytes = 1e-9\n";
  const double bytes = trained_state_bytes(model_, parallelism_);
  const CheckpointTimes idle = checkpoint_times(reliability_with(text), job());
  EXPECT_NEAR(idle.stall_s, bytes / 128 / 10e9, 1e-9);
  EXPECT_NEAR(idle.write_s, bytes / 16 / nics_Bps(), 1e-6);
  // Beside a step whose NICs are busy half of the time, its bytes take half of their time again.
  SteadyJob busy = job();
  busy.nic_busy = 0.5;
  EXPECT_NEAR(checkpoint_times(reliability_with(text), busy).stall_s,
              idle.stall_s + bytes / 16 / nics_Bps() / 2, 1e-9);
}

TEST_F(SixteenNodes, CopyToAPeersMemoryThroughTheNics) {
  const std::string text =
      std::string(kRecovery) + "[checkpoint]\nto = \"memory\"\ncopy_bandwidth = \"10 GBps\"\n";
  const CheckpointTimes times = checkpoint_times(reliability_with(text), job());
  EXPECT_NEAR(times.write_s, times.state_bytes / 16 / nics_Bps(), 1e-6);
  const std::string one_domain = "[failures]\ndomain = \"1000 h\"\nnodes_per_domain = 16\n" + text;
  EXPECT_EQ(input_error_of(
                [&] { static_cast<void>(checkpoint_times(reliability_with(one_domain), job())); }),
            "made_up.toml: checkpoint.to: a copy needs a node of another domain, but 16 nodes of "
            "the job are one");
}

// What is trained again is the step under way; the state comes through the NICs of a node.
TEST_F(SixteenNodes, RecoverFromReplicasWithoutCheckpoints) {
  const std::string text = std::string(kRecovery) + "from = \"replica\"\n";
  const std::string with_failures = "[failures]\nnode = \"100 h\"\n" + text;
  EXPECT_NE(input_error_of([&] {
              static_cast<void>(goodput_of(reliability_with(with_failures), job()));
            }).find("made_up.toml: recovery.from: replica needs"),
            std::string::npos);
  parallelism_.sharding.stage = 0;
  const GoodputFigures figures = goodput_of(reliability_with(with_failures), job());
  EXPECT_EQ(figures.checkpoint.stall_s, 0);
  EXPECT_DOUBLE_EQ(figures.interval_s, 2);
  const double rate = 16 / (100 * 3600.0);
  // Half a step for each failure, to the first order.
  EXPECT_NEAR(figures.shares.recomputed, rate * 1, rate * 0.1);
  const GoodputFigures saved = goodput_of(
      reliability_with("[failures]\nnode = \"100 h\"\n" + std::string(kRecovery)), job());
  EXPECT_GT(figures.shares.goodput, saved.shares.goodput);
}

// A job that never fails trains at its step's speed, with nothing to save.
TEST_F(SixteenNodes, TrainAtTheStepsSpeedWithoutFailures) {
  const GoodputFigures figures = goodput_of(reliability_with(kRecovery), job(), 1e12);
  EXPECT_EQ(figures.shares.goodput, 1);
  EXPECT_EQ(figures.goodput_low, 1);
  EXPECT_EQ(figures.interruptions_high, 0);
  EXPECT_DOUBLE_EQ(figures.tokens_per_day, 1e6 * kDay_s);
  EXPECT_DOUBLE_EQ(figures.target->days, 1e6 / kDay_s);
  EXPECT_DOUBLE_EQ(figures.target->days_low, figures.target->days);
}

TEST_F(SixteenNodes, AreBoundByLoading) {
  const GoodputFigures figures = goodput_of(
      reliability_with(std::string(kRecovery) + "[loading]\nnode_tokens_per_s = 50_000\n"), job());
  EXPECT_TRUE(figures.bound_by_loading);
  EXPECT_DOUBLE_EQ(figures.tokens_per_s, 16 * 50'000);
}

TEST_F(SixteenNodes, PayForSparesAndHaveRangesThatHoldTheMean) {
  const std::string text =
      std::string(kRecovery) + "spares = 4\n[failures]\ngpu = \"5000 h\"\n" + "spread = 0.5\n";
  SteadyJob ranged = job();
  ranged.tokens_per_s_low = 0.8e6;
  ranged.tokens_per_s_high = 1.25e6;
  const GoodputFigures figures = goodput_of(reliability_with(text), ranged, 1e12);
  const double usd_per_day = (gpu_price(cluster_) + network_price(cluster_)).base() * kDay_s;
  EXPECT_DOUBLE_EQ(figures.target->usd, figures.target->days * usd_per_day * 20 / 16);
  EXPECT_LT(figures.goodput_low, figures.shares.goodput);
  EXPECT_GT(figures.goodput_high, figures.shares.goodput);
  EXPECT_LT(figures.interruptions_low, figures.interruptions);
  EXPECT_GT(figures.interruptions_high, figures.interruptions);
  // Wider than either cause alone, narrower than both at once.
  EXPECT_LT(figures.tokens_per_day_low, 0.8 * figures.tokens_per_day);
  EXPECT_GT(figures.tokens_per_day_low,
            0.8 * figures.tokens_per_day * figures.goodput_low / figures.shares.goodput);
  EXPECT_LT(figures.target->days_low, figures.target->days);
  EXPECT_GT(figures.target->days_high, figures.target->days);
}

// The interval given is kept; the best one is no worse.
TEST_F(SixteenNodes, KeepAGivenInterval) {
  const std::string failing = "[failures]\nnode = \"100 h\"\n" + std::string(kRecovery);
  const GoodputFigures given =
      goodput_of(reliability_with(failing + "[checkpoint]\ninterval = \"3 h\"\n"), job());
  EXPECT_DOUBLE_EQ(given.interval_s, 3 * 3600);
  EXPECT_FALSE(given.is_best);
  EXPECT_GT(goodput_of(reliability_with(failing), job()).shares.goodput, given.shares.goodput);
}

// 1024 H100 for 138 days at Llama 3's rate: 419 x 1024 / 16384 x 138 / 54 = 66.9, less what is not
// run while failures are detected.
TEST(ExpectedInterruptions, ScaleWithNodesAndTime) {
  Cluster cluster = sixteen_nodes();
  cluster.nodes = 128;
  const Reliability llama =
      read_reliability(source_directory() / "traces/reliability/llama3_h100.toml");
  EXPECT_NEAR(expected_interruptions(llama, cluster, 138 * kDay_s), 66.9, 0.3);
}

TEST(ShippedReliability, IsReadAndNamesItsSource) {
  const auto files = shipped_files("traces/reliability", ".toml");
  ASSERT_FALSE(files.empty());
  for (const auto& file : files) {
    EXPECT_EQ(read_reliability(file).name, file.stem().string());
    EXPECT_NE(text_of(file).find("arXiv"), std::string::npos) << file;
  }
}

struct Damage {
  const char* replaced;
  const char* by;
  const char* said;  // after "made_up.toml"
};

class ReliabilityErrors : public ::testing::TestWithParam<Damage> {};

TEST_P(ReliabilityErrors, AreLocated) {
  std::string text =
      "summary = \"made up\"\n[failures]\ngpu = \"80000 h\"\nswitch = \"40000 "
      "h\"\nnodes_per_switch = "
      "2\n" +
      std::string(kRecovery);
  const std::string replaced = GetParam().replaced;
  text.replace(text.find(replaced), replaced.size(), GetParam().by);
  const std::string error =
      input_error_of([&] { static_cast<void>(parse_reliability(text, "made_up.toml")); });
  EXPECT_EQ(error, std::string("made_up.toml") + GetParam().said);
}

INSTANTIATE_TEST_SUITE_P(
    All, ReliabilityErrors,
    ::testing::Values(
        Damage{"\"80000 h\"", "80000", ":3:1: gpu: '80000' has no unit; write e.g. \"80000 h\""},
        Damage{"\"80000 h\"", "\"0 h\"", ":3:1: gpu: is 0; write more than 0"},
        Damage{"gpu", "gpus", ":3:1: gpus: unknown key; did you mean gpu?"},
        Damage{"switch = \"40000 h\"\n", "",
               ":4:1: nodes_per_switch: does not apply without failures.switch; remove it"},
        Damage{"nodes_per_switch = 2\n", "",
               ":2:2: [failures]: missing key nodes_per_switch; add it"},
        Damage{"repair = \"1 h\"\n", "", ":6:2: [recovery]: missing key repair; add it"},
        Damage{"repair = \"1 h\"", "repair = \"1 h\"\n[checkpoint]\nto = \"memory\"",
               ":10:2: [checkpoint]: missing key copy_bandwidth; add it"},
        Damage{"repair = \"1 h\"",
               "repair = \"1 h\"\nfrom = \"replica\"\n[checkpoint]\ninterval = \"1 h\"",
               ":12:1: interval: does not apply to recovery from a replica; remove it"},
        Damage{"repair = \"1 h\"", "repair = \"1 h\"\n[loading]\ntoken_bytes = 0",
               ":11:1: token_bytes: 0 is out of range; write a number above 0 and at most "
               "1000000000"}));

TEST(ReliabilitySettings, ReplaceKeys) {
  const Setting spares{"recovery.spares", "7"};
  EXPECT_EQ(
      parse_reliability("summary = \"made up\"\n" + std::string(kRecovery), "x.toml", {&spares, 1})
          .recovery.spares,
      7);
  EXPECT_TRUE(is_of_reliability("recovery"));
  EXPECT_FALSE(is_of_reliability("network"));
}

}  // namespace
}  // namespace sim
