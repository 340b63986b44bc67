// SPDX-License-Identifier: Apache-2.0
// `plan` over experts, parts of them and of sequences finds what simulating every setup does.
#include <string>

#include "tests/apps/plans.hpp"

namespace apps_tests {
namespace {

struct ExpertSpace {
  const char* name;
  const char* flags;
};

class ExpertSpaces : public testing::TestWithParam<ExpertSpace> {};
INSTANTIATE_TEST_SUITE_P(
    Plan, ExpertSpaces,
    testing::Values(
        ExpertSpace{"over_pipelines",
                    "--topology dgx_h100_x16 --nodes 2 --gpus-per-node 4 --model mixtral_8x7b "
                    "--set model.layers=4 --sequence 2048 --batch-tokens 65536 --scheme sharded "
                    "--zero 1 --goal cheapest"},
        ExpertSpace{"over_nodes_and_nics",
                    "--topology aws_p4d --nodes 1,2 --gpus-per-node 4 --model deepseek_v2_lite "
                    "--set model.layers=3 --sequence 2048 --batch-tokens 32768 --scheme sharded "
                    "--tp 1 --goal fastest --nic-bandwidths 25Gbps,100Gbps"},
        ExpertSpace{"over_parts_of_sequences",
                    "--topology dgx_h100_x16 --nodes 2 --gpus-per-node 2 --model qwen3_30b_a3b "
                    "--set model.layers=4 --sequence 16384 --batch-tokens 131072 "
                    "--scheme sharded,tlq_hs --zero 1 --pp 1 --goal fastest"}),
    [](const auto& instance) { return instance.param.name; });

// Every simulated step is held against its bounds too.
TEST_P(ExpertSpaces, HaveTheSamePlansAsAnExhaustiveSearch) {
  const std::string flags = std::string(
                                "plan --setups --attention fused --tokens 1e10 --recompute none "
                                "--gradient-precision bf16 ") +
                            GetParam().flags;
  const Json quick = plan(flags), whole = plan(flags + " --exhaustive");
  EXPECT_EQ(quick["plans"], whole["plans"]);
  EXPECT_EQ(quick["plans"].size(), 10u);
  EXPECT_LT(quick["search"]["simulated"].get<int>(), whole["search"]["simulated"].get<int>() / 4);
}

}  // namespace
}  // namespace apps_tests
