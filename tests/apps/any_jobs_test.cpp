// SPDX-License-Identifier: Apache-2.0
// -j changes how long a search takes, and nothing that it prints.
#include <gtest/gtest.h>

#include <string>

#include "tests/apps/program.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

struct SearchRow {
  const char* name;
  const char* command;
};

class AnyJobs : public testing::TestWithParam<SearchRow> {};
INSTANTIATE_TEST_SUITE_P(
    Of, AnyJobs,
    testing::Values(
        SearchRow{"solve",
                  "solve bandwidth --topology sdp4bit_a100 --nodes 2 --model gpt_125m "
                  "--scheme sharded,sdp4bit --utilisation 0.5,0.9"},
        SearchRow{"solve_beats",
                  "solve bandwidth --topology sdp4bit_a100 --nodes 2 --model gpt_125m "
                  "--scheme sdp4bit,qwd --beats sharded"},
        SearchRow{"solve_sites",
                  "solve inner_steps --topology two_sites_10g --model gpt_125m --scheme diloco "
                  "--utilisation 0.5,0.9"},
        SearchRow{"map",
                  "map --topology sdp4bit_a100 --nodes 2 --model gpt_125m,mpt_125m "
                  "--bandwidths 10Gbps,100Gbps"},
        SearchRow{"map_axes",
                  "map --topology sdp4bit_a100 --model gpt_125m --tokens 32768 --x nodes=2,4 "
                  "--y latency=5us,50us"},
        SearchRow{"map_sites",
                  "map --topology twenty_peers_b200 --model gpt_125m --x sites=2,3 "
                  "--y bandwidth=100Mbps,1Gbps"},
        SearchRow{"plan",
                  "plan --topology dgx_h100_x16 --nodes 1,2 --model gpt_125m --set model.layers=2 "
                  "--gpus-per-node 2 --tokens 1e9 --batch-tokens 65536 --scheme sharded,sdp4bit "
                  "--nic-bandwidths 10Gbps,100Gbps --attention fused"},
        SearchRow{"plan_exhaustive",
                  "plan --topology dgx_h100_x16 --nodes 2 --model gpt_125m --set model.layers=2 "
                  "--gpus-per-node 2 --tokens 1e9 --batch-tokens 65536 --scheme sharded --zero 1 "
                  "--tp 1 --pp 1 --recompute none --goal smallest-network --exhaustive"},
        SearchRow{"plan_sites",
                  "plan --topology two_sites_10g --model gpt_125m --set model.layers=2 "
                  "--tokens 1e9 --tp 1 --pp 1 --zero 1 --recompute none --micro-batch 1 "
                  "--scheme diloco,sparseloco --goal fastest"},
        SearchRow{"tune",
                  "run --topology sdp4bit_a100 --nodes 2 --model gpt_125m --scheme sdp4bit "
                  "--zero 1 --baseline twin --tune --break-even"}),
    [](const auto& instance) { return instance.param.name; });

TEST_P(AnyJobs, PrintTheSame) {
  const auto outcome = [](const char* jobs) {
    return run(words(GetParam().command + std::string(" -j ") + jobs), source_directory());
  };
  const Outcome one = outcome("1");
  ASSERT_EQ(one.code, 0) << one.err;
  for (const char* jobs : {"2", "5"}) {
    const Outcome some = outcome(jobs);
    EXPECT_EQ(some.out, one.out) << jobs;
    EXPECT_EQ(some.err, one.err) << jobs;
  }
}

}  // namespace
}  // namespace apps_tests
