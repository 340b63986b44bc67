// `plan` finds what a search through everything would, at a tenth of the simulations, and says how
// to run it.
#include <vector>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

// Of each plan what its goal ranks by.
std::vector<std::vector<double>> scores(const Json& json) {
  std::vector<std::vector<double>> all;
  for (const Json& one : json["plans"]) {
    all.push_back({one["price_usd"], one["training_time_s"], one["nic_bandwidth_Bps"]});
  }
  return all;
}

struct GoalRow {
  const char* name;
  const char* flags;
};

class EveryGoal : public testing::TestWithParam<GoalRow> {};
INSTANTIATE_TEST_SUITE_P(
    Plan, EveryGoal,
    testing::Values(
        GoalRow{"cheapest",
                "--goal cheapest --nic-bandwidths 25Gbps,400Gbps "
                "--scheme sharded,zeropp --set network.bandwidth_price=9USD/h/Tbps"},
        GoalRow{"fastest",
                "--goal fastest --nic-bandwidths 10Gbps,100Gbps --scheme sharded,sdp4bit --tp 1"},
        GoalRow{"smallest_network",
                "--goal smallest-network --share 0.8 --nodes 2 --scheme sharded,sdp4bit --pp 1 "
                "--nic-bandwidths 10Gbps,50Gbps,400Gbps"}),
    [](const auto& instance) { return instance.param.name; });

// Every simulated step is held against its bounds too: one that beats them ends with 70.
TEST_P(EveryGoal, HasTheTenBestOfAllAtATenthOfTheSimulations) {
  const Json quick = plan(kTiny + GetParam().flags);
  const Json whole = plan(kTiny + GetParam().flags + " --exhaustive");
  EXPECT_EQ(scores(quick), scores(whole));
  EXPECT_EQ(quick["plans"].size(), 10u);
  EXPECT_GE(whole["search"]["simulated"], whole["search"]["setups"]);
  EXPECT_LE(quick["search"]["simulated"].get<int>() * 10, whole["search"]["simulated"].get<int>());
  EXPECT_EQ(quick["search"]["setups"], whole["search"]["setups"]);
}

TEST_P(EveryGoal, HasTheCommandOfEachStep) {
  const Json all = plan(kTiny + GetParam().flags);
  for (const std::size_t place : {0U, 4U, 9U}) {
    const Json& one = all["plans"][place];
    const Outcome outcome = run(words_of_command(one["command"]), source_directory());
    ASSERT_EQ(outcome.code, 0) << one["command"] << outcome.err;
    const Json step = Json::parse(outcome.out);
    for (const char* figure : {"step_time_s", "memory_per_gpu_bytes", "mfu", "gpus"}) {
      EXPECT_EQ(step[figure], one[figure]) << figure << " of " << one["command"];
    }
  }
}

// With a cap of a communicator, FSDP's software, and flags that are passed on.
TEST(PlanCommand, RunsWhatWasGivenToo) {
  for (const char* flags :
       {"--topology sdp4bit_a100 --nic-bandwidths 50Gbps --zero 3 --attention unfused",
        "--topology sdp4bit_a100 --nic-bandwidths 50Gbps --scheme sdp4bit --tp 2 --micro-batch 2 "
        "--set scheme.inter_group=512 --recompute full --overlap gradients",
        "--topology dgx_h100_x16 --attention fused --sequence 1024 --scheme sharded",
        "--topology dgx_h100_x16 --scheme all --zero 1 --tp 1 --pp 1"}) {
    const Json one = plan(
        "plan --model gpt_125m --nodes 2 --set model.layers=2 --tokens 1e10 "
        "--batch-tokens 65536 " +
        std::string(flags))["plans"][0];
    const Outcome outcome = run(words_of_command(one["command"]), source_directory());
    ASSERT_EQ(outcome.code, 0) << one["command"] << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["step_time_s"], one["step_time_s"]) << one["command"];
  }
}

}  // namespace
}  // namespace apps_tests
