// SPDX-License-Identifier: Apache-2.0
// The flags of experts and long sequences: the one line that refuses what does not go together, by
// every command.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/scheme_files.hpp"
#include "tests/apps/sweeps.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

// 16 GPUs; 8 experts, of which each token passes 2, and 12 heads of a dense model.
const std::string kJobOfExperts =
    "--topology dgx_h100_x16 --nodes 2 --model mixtral_8x7b --set model.layers=2 --sequence 4096 "
    "--attention fused --range off ";
const std::string kJobOfNone =
    "--topology dgx_h100_x16 --nodes 2 --model gpt_125m --attention fused --range off ";

struct WrongFlags {
  std::string arguments;
  std::string error;
};

const WrongFlags kRefusedFlags[] = {
    {kJobOfExperts + "--ep 3",
     "--ep: 3 does not divide the 8 experts of mixtral_8x7b; choose a divisor\n"
     "--ep: 3 x --etp 1 does not divide the 16 ranks of a stage; choose other --ep, --etp, --pp or "
     "--nodes"},
    {kJobOfExperts + "--ep 16",
     "--ep: 16 does not divide the 8 experts of mixtral_8x7b; choose a divisor"},
    {kJobOfExperts + "--ep 8 --etp 4",
     "--ep: 8 x --etp 4 does not divide the 16 ranks of a stage; choose other --ep, --etp, --pp or "
     "--nodes"},
    {kJobOfExperts + "--ep 8 --pp 2 --etp 2",
     "--ep: 8 x --etp 2 does not divide the 8 ranks of a stage; choose other --ep, --etp, --pp or "
     "--nodes"},
    {kJobOfExperts + "--ep 2 --etp 3",
     "--etp: 3 does not divide the 14336 columns of an expert of mixtral_8x7b; choose a divisor\n"
     "--ep: 2 x --etp 3 does not divide the 16 ranks of a stage; choose other --ep, --etp, --pp or "
     "--nodes"},
    {kJobOfExperts + "--ep 2 --tp 2",
     "--ep: with --tp 2 each rank sends its own part of the tokens to experts; pass "
     "--sequence-parallel on"},
    {kJobOfExperts + "--ep 0", "--ep: 0 is less than 1"},
    {kJobOfExperts + "--dispatcher nccl",
     "--dispatcher: 'nccl' is not one of: all_to_all, deepep, deepep-low-latency, hybridep"},
    {kJobOfExperts + "--overlap experts,batch",
     "--overlap: 'batch' is not one of: none, gradients, weights, tensor, pipeline, experts, "
     "batches, all"},
    {kJobOfNone + "--ep 2", "--ep: gpt_125m has no experts to choose from; leave it at 1"},
    {kJobOfNone + "--etp 2", "--etp: gpt_125m has no experts to choose from; leave it out"},
    {kJobOfExperts + "--ep 8 --dispatcher deepep --dispatch-sms 133",
     "--dispatch-sms: 133 are more than the 132 SMs of NVIDIA H100 80GB HBM3; choose fewer"},
    {"--topology dgx_h100_x16 --nodes 4 --gpus-per-node 6 --model mixtral_8x7b --attention fused "
     "--ep 8 "
     "--dispatcher deepep",
     "--dispatcher: deepep forwards inside nodes and needs as many ranks of a group on each, and 8 "
     "x "
     "--etp 1 lie unevenly on nodes of 6 GPUs; choose all_to_all or another --ep"},
    {kJobOfNone + "--cp 3 --cp-exchange all_to_all --sequence 1536",
     "--cp: 3 x tp 1 x pp 1 does not divide the 16 GPUs; choose other --nodes, --cp, --tp or --pp"},
    {"--topology dgx_h100_x16 --nodes 4 --gpus-per-node 6 --model mixtral_8x7b --attention fused "
     "--ep 4 --zero 3 --hybrid-shard 4",
     "--hybrid-shard: 4 does not divide the 6 ranks that hold the same experts; choose a divisor, "
     "or another --ep"},
    {kJobOfNone + "--cp-heads 2", "--cp-heads: 2 does not divide --cp 1; choose a divisor"},
    {kJobOfNone + "--cp 4 --sequence 1028",
     "--cp: 8 parts, two a rank, do not divide the 1028 tokens of a sequence; choose another --cp "
     "or --sequence"},
    {kJobOfNone + "--cp 4 --cp-exchange all_to_all --sequence 1030",
     "--cp: 4 parts do not divide the 1030 tokens of a sequence; choose another --cp or "
     "--sequence"},
    {kJobOfNone + "--cp 8 --cp-exchange all_to_all",
     "--cp: 8 x --tp 1 does not divide the 12 attention heads of gpt_125m; choose a divisor, or "
     "--cp-exchange ring\n"
     "--cp: 8 x --tp 1 does not divide the 12 key-value heads of gpt_125m; choose a divisor, or "
     "--cp-exchange ring"},
    {kJobOfExperts + "--cp 8 --cp-exchange all_to_all --tp 2 --sequence-parallel on --etp 2",
     "--cp: 8 x --tp 2 does not divide the 8 key-value heads of mixtral_8x7b; choose a divisor, or "
     "--cp-exchange ring"},
    {kJobOfNone + "--cp 8 --cp-heads 3", "--cp-heads: 3 does not divide --cp 8; choose a divisor"},
    {kJobOfNone + "--cp 2 --cp-exchange p2p",
     "--cp-exchange: 'p2p' is not one of: ring, all_gather, all_to_all"},
    {"--topology dgx_h100_x16 --nodes 2 --model gpt_125m --range off --cp 2 --attention unfused",
     "--cp: attention in parts needs a fused kernel; pass --attention fused"},
    {"--topology dgx_h100_x16 --nodes 2 --model nemotron_3_nano --range off --cp 2 --attention "
     "fused",
     "--cp: Mamba-2 layers of nemotron_3_nano take whole sequences here; leave it at 1"},
    {kJobOfNone + "--offload-activations half",
     "--offload-activations: 'half' is not one of: none, all, a number of layers"},
    {kJobOfNone + "--pp 2 --offload-activations 7",
     "--offload-activations: 7 are more than the 6 layers of a virtual stage; choose fewer, or "
     "all"},
    {kJobOfExperts + "--ep 8 --overlap batches --offload-activations all",
     "--offload-activations: the two passes of --overlap batches have no buffers of their own "
     "here; leave out one of both"},
};

TEST(ExpertFlags, AreRefusedInOneLineEach) {
  for (const WrongFlags& one : kRefusedFlags) {
    SCOPED_TRACE(one.arguments);
    const Outcome outcome = run(words("run " + one.arguments), source_directory());
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, one.error + "\n");
  }
}

// plan, compare and solve run the same check; a sweep stores the line in its point.
TEST(ExpertFlags, AreRefusedByEveryCommand) {
  const std::string job = "--topology dgx_h100_x16 --nodes 2 --model mixtral_8x7b --ep 16 ";
  const std::string line =
      "--ep: 16 does not divide the 8 experts of mixtral_8x7b; choose a divisor\n";
  for (const char* command : {"compare --a=--scheme=sharded --b=--scheme=sdp4bit ",
                              "solve bandwidth --scheme sharded --beats sdp4bit "}) {
    const Outcome outcome = run(words(command + job), source_directory());
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, line) << command;
  }
  const Sandbox sandbox;
  sandbox.write("s.toml",
                "[run]\ntopology = \"dgx_h100_x16\"\nmodel = \"mixtral_8x7b\"\nnodes = 2\n"
                "sequence = 4096\n[grid]\nep = [8, 16]\n");
  static_cast<void>(sweep_in(sandbox));
  const std::string points = exported(sandbox);
  EXPECT_NE(points.find(line.substr(0, line.size() - 1)), std::string::npos) << points;
}

// A codec of rows that no rank sends changes nothing and refuses nothing, as one of tensor parallelism
// does without it.
TEST(ExpertFlags, CodecsOfRowsApplyOnlyWhereRowsTravel) {
  const OwnFiles files{.scheme =
                           "summary = \"a\"\nzero = [1]\n[activations.dispatch]\ncodec = "
                           "\"mxfp8\"\n[experts.gradients]\ncollective = \"all_to_all\"\n"
                           "codec = \"int8_g128\"\n"};
  const Outcome coded = run_files(files);
  EXPECT_EQ(coded.code, 0) << coded.err;
  const Sandbox sandbox;
  const Outcome plain = run_step("--scheme sharded", sandbox);
  for (const char* figure : {"/step_time_s", "/wire_bytes_inter_node", "/codec_s"}) {
    const Json::json_pointer pointer(figure);
    EXPECT_EQ(Json::parse(coded.out).at(pointer), Json::parse(plain.out).at(pointer)) << figure;
  }
}

}  // namespace
}  // namespace apps_tests
