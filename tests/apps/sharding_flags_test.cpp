// SPDX-License-Identifier: Apache-2.0
// The flags of sharded weights, precisions and kernels: what --zero 3 stands for, and the one line
// that refuses what does not go together.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

// Two nodes of four A100, which have no FP8 rate; and two layers on H100, which have.
const std::string kA100 = "run --topology sdp4bit_a100 --model gpt_125m --nodes 2 ";
const std::string kH100 = "run --topology dgx_h100_x16 --model gpt_125m --nodes 1 ";

std::string printed(const std::string& text) {
  const Outcome outcome = run(words(text + " --format json"), source_directory());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

TEST(Zero3, StandsForWhatPytorchsFsdpDoes) {
  const std::string alone = printed(kH100 + "--zero 3");
  for (const char* said :
       {"--attention sdpa", "--kernels eager", "--overlap gradients,weights", "--reshard on",
        "--unit-layers 1", "--prefetch 1", "--backward-prefetch pre", "--loss unfused",
        "--optimizer adamw", "--optimizer-state gpu", "--optimizer-precision fp32",
        "--gradient-sync micro-batch", "--offload-weights off", "--precision bf16",
        "--weight-precision bf16", "--virtual-stages 1",
        "--attention sdpa --kernels eager --overlap gradients,weights"}) {
    EXPECT_EQ(printed(kH100 + "--zero 3 " + said), alone) << said;
  }
  for (const char* other :
       {"--attention unfused", "--kernels megatron", "--kernels compiled", "--overlap none",
        "--overlap gradients", "--overlap weights", "--reshard off", "--prefetch 0"}) {
    EXPECT_NE(printed(kH100 + "--zero 3 " + other), alone) << other;
  }
}

TEST(Zero1, IsTheDefaultAndStandsForMegatron) {
  const std::string alone = printed(kH100);
  for (const char* said :
       {"--zero 1", "--attention unfused", "--kernels megatron", "--overlap none"}) {
    EXPECT_EQ(printed(kH100 + said), alone) << said;
  }
  EXPECT_EQ(printed(kH100 + "--zero 2 --overlap none --attention unfused --kernels megatron"),
            printed(kH100 + "--zero 2"));
}

struct Refused {
  std::string arguments;
  std::string error;  // all of it
};

const Refused kWrong[] = {
    {kA100 + "--zero 0",
     "--zero: sharded is defined for 1, 2, 3, not for 0; choose --zero 1 or 2 or 3"},
    {kA100 + "--zero 4", "--zero: 4 is not a ZeRO stage; write 0, 1, 2 or 3"},
    {kA100 + "--reshard off", "--reshard: needs --zero 3"},
    {kA100 + "--zero 2 --unit-layers 2", "--unit-layers: needs --zero 3"},
    {kA100 + "--zero 2 --prefetch 0", "--prefetch: needs --zero 3"},
    {kA100 + "--backward-prefetch pre", "--backward-prefetch: needs --zero 3"},
    {kA100 + "--gradient-sync step", "--gradient-sync: needs --zero 3"},
    {kA100 + "--offload-weights on", "--offload-weights: needs --zero 3"},
    {kA100 + "--zero 3 --offload-weights on",
     "--offload-weights: the optimizer updates weights on the hosts with its state there; pass "
     "--optimizer-state host"},
    {kA100 + "--zero 3 --overlap none --prefetch 1",
     "--prefetch: needs --overlap weights, to gather ahead"},
    {kA100 + "--zero 3 --prefetch -1", "--prefetch: -1 is less than 0"},
    {kA100 + "--zero 3 --unit-layers 0", "--unit-layers: 0 is less than 1"},
    {kA100 + "--zero 3 --reshard maybe", "--reshard: 'maybe' is not one of: off, on"},
    {kA100 + "--zero 3 --backward-prefetch now",
     "--backward-prefetch: 'now' is not one of: pre, post"},
    {kA100 + "--zero 3 --hybrid-shard 0", "--hybrid-shard: 0 is less than 1"},
    {kA100 + "--zero 3 --hybrid-shard 3",
     "--hybrid-shard: 3 does not divide the 8 data-parallel ranks; choose a divisor"},
    {kA100 + "--zero 2 --hybrid-shard 4",
     "--hybrid-shard: needs --zero 3, whose weights it shards inside groups"},
    {kA100 + "--zero 3 --hybrid-shard 4 --scheme tlq",
     "--hybrid-shard: tlq has no exchange between groups of replicas; choose --scheme sharded"},
    {kA100 + "--zero 3 --scheme sdp4bit",
     "--zero: sdp4bit is defined for 1, 2, not for 3; choose --zero 1 or 2"},
    {kA100 + "--stack maxtext --zero 3 --scheme sdp4bit",
     "--zero: sdp4bit is defined for 1, 2, not for 3; choose --zero 1 or 2"},
    // Nobody asked for that stage.
    {kA100 + "--stack maxtext --scheme sdp4bit",
     "--stack: maxtext runs ZeRO-3 unless --zero says otherwise, but sdp4bit is defined for 1 or "
     "2; "
     "add --zero 1 or 2, or choose another --stack or a scheme such as sharded"},
    // Nor for that of a stack before it could shard.
    {kA100 + "--stack megatron@2021",
     "--stack: megatron@2021 runs ZeRO-0 unless --zero says otherwise, but sharded is defined for "
     "1 "
     "or 2 or 3; add --zero 1 or 2 or 3, or choose another --stack or a scheme such as "
     "data_parallel"},
    {kA100 + "--stack torch-eager@2021",
     "--stack: torch-eager was first released on 2022-03-10, after 2021; write a later date or "
     "another stack"},
    {kA100 + "--stack composer@2023-13",
     "--stack: '2023-13' is not a date; write e.g. composer@2023, composer@2023-10 or "
     "composer@2023-10-31"},
    {kA100 + "--virtual-stages 0", "--virtual-stages: 0 is less than 1"},
    {kA100 + "--virtual-stages 2", "--virtual-stages: 2 chunks need a pipeline; pass --pp"},
    {kA100 + "--pp 4 --virtual-stages 5",
     "--virtual-stages: 4 x 5 virtual stages leaves a stage without a layer: gpt_125m has 12; "
     "choose fewer"},
    {kA100 + "--pp 8 --set model.layers=8 --count-ends both",
     "--pp: 8 leaves a stage without a layer: gpt_125m has 8; choose fewer"},
    {kA100 + "--placement tp-pp",
     "--placement: 'tp-pp' is not one of: tp-dp-pp, tp-pp-dp, dp-tp-pp, dp-pp-tp, pp-tp-dp, "
     "pp-dp-tp; "
     "did you mean tp-pp-dp?"},
    {kA100 + "--kernels triton", "--kernels: 'triton' is not one of: megatron, eager, compiled"},
    {kA100 + "--loss linear", "--loss: 'linear' is not one of: unfused, fused"},
    {kA100 + "--optimizer sgd", "--optimizer: 'sgd' is not one of: adamw, adamw-foreach, muon"},
    {kA100 + "--optimizer-state nvme", "--optimizer-state: 'nvme' is not one of: gpu, host"},
    {kA100 + "--recompute alternate",
     "--recompute: alternate recomputation needs fused attention; pass --attention fused"},
    {kA100 + "--precision int8",
     "--precision: 'int8' is not one of: bf16, fp8, mxfp8, nvfp4, fp8-rowwise, fp8-rowwise-gw-hp"},
    {kA100 + "--precision fp8",
     "--precision: NVIDIA A100-SXM4-40GB has no gpu.fp8 rate; choose bf16 or another cluster"},
    {kA100 + "--attention flash3",
     "--attention: flash3 is written for Hopper and does not run on NVIDIA A100-SXM4-40GB; choose "
     "fused, the usual kernel there, or unfused"},
    {kH100 + "--precision nvfp4",
     "--precision: NVIDIA H100 80GB HBM3 has no gpu.fp4 rate; choose bf16 or another cluster"},
    {kH100 + "--zero 3 --weight-precision mxfp8",
     "--weight-precision: 'mxfp8' is not one of: bf16, fp8"},
    {kH100 + "--precision fp8 --weight-precision fp8",
     "--weight-precision: fp8 needs --zero 3, which gathers weights"},
    {kH100 + "--zero 3 --precision mxfp8 --weight-precision fp8",
     "--weight-precision: fp8 needs --precision fp8, whose products read FP8 weights"},
};

TEST(WrongCombination, IsRefusedInOneLine) {
  for (const Refused& row : kWrong) {
    SCOPED_TRACE(row.arguments);
    const Outcome outcome = run(words(row.arguments), source_directory());
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, row.error + "\n");
  }
}

}  // namespace
}  // namespace apps_tests
