// SPDX-License-Identifier: Apache-2.0
// Hostile flags: each refused in one line that begins with where it was given.
#include <gtest/gtest.h>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr std::string_view kFlawlessRun = "run --topology sdp4bit_a100 --model gpt_125m";

constexpr std::string_view kPlan =
    "plan --topology sdp4bit_a100 --model gpt_125m --attention fused --tokens 1e9";

struct Refusal {
  std::string_view base;
  Arguments more;
  std::string_view place;
  std::string_view says = "";  // part of the line
};

const Refusal kRefusals[] = {
    // Counts. What boost refuses, it locates after the command's name.
    {kFlawlessRun, {"--nodes", "0"}, "--nodes"},
    {kFlawlessRun, {"--nodes", "-1"}, "--nodes"},
    {kFlawlessRun, {"--nodes", "17"}, "--nodes"},
    {kFlawlessRun, {"--nodes", "nan"}, "--nodes", "number"},
    {kFlawlessRun, {"--nodes", "1e3"}, "--nodes", "1000"},
    {kFlawlessRun, {"--nodes", "1.5"}, "--nodes", "write 1 or 2"},
    {kFlawlessRun, {"--nodes", "2:1"}, "--nodes", "is not a whole number"},
    {kFlawlessRun, {"--nodes", "1e400"}, "--nodes", "is out of range"},
    {kFlawlessRun, {"--sequence", "8K"}, "--sequence", "may mean 8000 or 8192"},
    {kFlawlessRun, {"--global-batch", "256,512"}, "--global-batch", "use gardenhose sweep"},
    {kFlawlessRun, {"--global-batch", "64K"}, "--global-batch", "may mean 64000 or 65536"},
    {kFlawlessRun, {"--nodes", "99999999999"}, "--nodes", "number"},
    {kFlawlessRun, {"--gpus-per-node", "0"}, "--gpus-per-node"},
    {kFlawlessRun, {"--gpus-per-node", "5"}, "--gpus-per-node"},
    {kFlawlessRun, {"--tp", "0"}, "--tp"},
    {kFlawlessRun, {"--tp", "-2"}, "--tp"},
    {kFlawlessRun, {"--pp", "0"}, "--pp"},
    {kFlawlessRun, {"--pp", "16"}, "--pp"},
    {kFlawlessRun, {"--micro-batch", "0"}, "--micro-batch"},
    {kFlawlessRun, {"--accumulation", "0"}, "--accumulation"},
    {kFlawlessRun, {"--accumulation", "2147483647"}, "--accumulation"},
    {kFlawlessRun, {"--global-batch", "0"}, "--global-batch"},
    {kFlawlessRun, {"--global-batch", "65"}, "--global-batch"},
    {kFlawlessRun, {"--global-batch", "9223372036854775744"}, "--global-batch"},
    {kFlawlessRun, {"--global-batch", "64", "--accumulation", "1"}, "--global-batch"},
    {kFlawlessRun, {"--sequence", "0"}, "--sequence"},
    {kFlawlessRun, {"--sequence", "2147483647"}, "--sequence", "out of range"},
    {kFlawlessRun, {"--sequence", "512", "--set", "model.sequence=512"}, "--sequence", "only one"},
    // 8 rings of 1024 hops, 1023 steps and 99 collectives: 800 million flows, 100 GB.
    {"run --topology dgx_h100_x128 --model llama_2_7b --zero 3 --step-by-step",
     {},
     "--step-by-step",
     "flows"},
    // 8192 GPUs: 67 million pairs, 8 GB of the 4 GiB that a test's program gets.
    {"collective all_to_all --topology dgx_h100_x128 --set cluster.nodes=1024 --step-by-step",
     {},
     "--step-by-step",
     "flows"},
    {kFlawlessRun, {"--codec-time", "0"}, "--codec-time"},
    {kFlawlessRun, {"--codec-time", "-1"}, "--codec-time"},
    {kFlawlessRun, {"--codec-time", "nan"}, "--codec-time"},
    {kFlawlessRun, {"--codec-time", "1e7"}, "--codec-time", "1e6"},
    {kFlawlessRun, {"--host-issue", "0x"}, "--host-issue", "1.5x"},
    {kFlawlessRun, {"--host-issue", "nanx"}, "--host-issue", "1.5x"},
    {kFlawlessRun, {"--host-issue", "12"}, "--host-issue", "12 us"},
    {kFlawlessRun, {"--host-issue", "-1 us"}, "--host-issue"},
    {kFlawlessRun, {"--cuda-graphs", "yes"}, "--cuda-graphs", "on"},
    {kFlawlessRun, {"--power-throttling", "yes"}, "--power-throttling", "on"},
    {kFlawlessRun, {"-j", "0"}, "-j", "1 to 4096"},
    {kFlawlessRun, {"--perfetto-ranks", "-1", "--perfetto", "timeline.json"}, "--perfetto-ranks"},
    {kFlawlessRun, {"--perfetto-ranks", "1"}, "--perfetto-ranks", "--perfetto"},
    {kFlawlessRun, {"--kineto", "a.json", "--perfetto", "a.json"}, "--kineto", "--perfetto"},
    {kFlawlessRun, {"--month", "month.csv"}, "--month", "--reliability"},
    {kFlawlessRun,
     {"--set", "cluster.nodes=65536", "--set", "cluster.gpus_per_node=1024", "--set",
      "nvlink.kind=switched"},
     "--set cluster.nodes",
     "more than a simulation can hold"},
    // Choices and sizes.
    {kFlawlessRun, {"--sequence-parallel", "yes"}, "--sequence-parallel", "on"},
    {kFlawlessRun, {"--tune=yes"}, "--tune", "neither on nor off"},
    {kFlawlessRun, {"--tune="}, "--tune", "neither on nor off"},
    {kFlawlessRun, {"--recompute", "some"}, "--recompute", "selective"},
    {kFlawlessRun, {"--attention", "flash"}, "--attention", "fused"},
    {kFlawlessRun, {"--tp", "1,8"}, "--tp", "several"},
    {kFlawlessRun, {"--codec-time", "fast"}, "--codec-time", "number"},
    {kFlawlessRun, {"--gradient-precision", "fp8"}, "--gradient-precision", "bf16"},
    {kFlawlessRun, {"--overlap", "everything"}, "--overlap", "all"},
    {kFlawlessRun, {"--format", "yaml"}, "--format", "json"},
    {kFlawlessRun, {"--bucket-size", "160"}, "--bucket-size", "write e.g. \"160 MiB\""},
    {kFlawlessRun, {"--bucket-size", "0 B"}, "--bucket-size"},
    {kFlawlessRun, {"--bucket-size", "-1 MiB"}, "--bucket-size"},
    // Names: the one that was meant is among those that are offered.
    {"run --topology sdp4bit_a10 --model gpt_125m",
     {},
     "--topology",
     "did you mean sdp4bit_a100? Specify a file, or one of: "},
    {"run --topology sdp4bit_a100 --model gpt_125", {}, "--model", "gpt_125m"},
    {"run --topology dgx_h100 --model gpt_125m",
     {},
     "--topology",
     "did you mean dgx_h100_x128 or dgx_h100_x16?"},
    {"run --topology sdp4bit_a100 --model llama3", {}, "--model", "llama_3_70b or llama_3_8b?"},
    {kFlawlessRun, {"--scheme", "sdp4"}, "--scheme", "mean sdp4bit or sdp4bit_unfused?"},
    {kFlawlessRun, {"--calibration", "a100"}, "--calibration", "a100_sdp4bit_published"},
    {kFlawlessRun, {"--scheme", "sdp4bt"}, "--scheme", "'sdp4bt'; did you mean sdp4bit? Known: "},
    {kFlawlessRun, {"--scheme", "sharded,"}, "--scheme"},
    {kFlawlessRun, {"--scheme", "sharded,,qwd"}, "--scheme"},
    {kFlawlessRun, {"--baseline", "sharde"}, "--baseline", "sharded"},
    {kFlawlessRun, {"--break-even"}, "--break-even", "--baseline"},
    // Settings.
    {kFlawlessRun, {"--set", "network.nic_bandwidth"}, "--set", "KEY=VALUE"},
    {kFlawlessRun, {"--set", "=1"}, "--set", "KEY=VALUE"},
    {kFlawlessRun, {"--set", "network.nic_bandwidth="}, "--set network.nic_bandwidth"},
    {kFlawlessRun, {"--set", "network.nic_bandwidth=200"}, "--set network.nic_bandwidth", "unit"},
    {kFlawlessRun,
     {"--set", "network.nic_bandwith=200 Gbps"},
     "--set network.nic_bandwith",
     "nic_bandwidth"},
    {"run --topology roce_a100_2to1 --model gpt_125m",
     {"--set", "network.oversubscription=2:0"},
     "--set network.oversubscription",
     "divides by 0"},
    {kFlawlessRun, {"--set", "gpu.memory_bandwidth=2T"}, "--set gpu.memory_bandwidth", "TBps?"},
    {kFlawlessRun, {"--set", "model.sequence=8K"}, "--set model.sequence", "8000 or 8192"},
    {kFlawlessRun, {"--set", "network=1"}, "--set network"},
    {kFlawlessRun, {"--set", "network.=1"}, "--set network."},
    {kFlawlessRun, {"--set", ".=1"}, "--set ."},
    {kFlawlessRun, {"--set", "a b=1"}, "--set a b"},
    {kFlawlessRun, {"--set", "models.layers=1"}, "--set models.layers", "mean model.layers?"},
    {kFlawlessRun, {"--set", "modl.layer=1"}, "--set modl.layer", "mean model.layers?"},
    {kFlawlessRun, {"--set", "netwrk.fabrik=1"}, "--set netwrk.fabrik", "mean network.fabric?"},
    {kFlawlessRun, {"--set", "layers=1"}, "--set layers", "mean model.layers?"},
    {kFlawlessRun, {"--set", "shape.layers=1"}, "--set shape.layers", "mean model.layers?"},
    {kFlawlessRun, {"--set", "shceme.slices=1"}, "--set shceme.slices", "mean scheme.slices?"},
    {kFlawlessRun, {"--set", "site.east.nodes=1"}, "--set site.east.nodes", "sites.east.nodes?"},
    {kFlawlessRun, {"--set", "nowhere.at_all=1"}, "--set nowhere", "unknown table; remove it"},
    {kFlawlessRun, {"--set", "model.layers=0"}, "--set model.layers"},
    {kFlawlessRun,
     {"--set", "scheme.slice=1"},
     "--set scheme.slice",
     "did you mean scheme.slices?"},
    {kFlawlessRun, {"--set", "scheme.slices=1"}, "--set scheme.slices", "no second level"},
    {kFlawlessRun, {"--scheme", "sdp4bit", "--set", "scheme.slices=0"}, "--set scheme.slices"},
    {kFlawlessRun,
     {"--scheme", "sdp4bit", "--set", "scheme.inter_group=33"},
     "--set scheme.inter_group"},
    // The command line itself.
    {"run", {}, "gardenhose run", "required"},
    {"run --topology sdp4bit_a100", {}, "gardenhose run", "--model"},
    {kFlawlessRun, {"--nods", "2"}, "--nods", "--nodes"},
    {kFlawlessRun, {"--node", "2"}, "--node", "--nodes"},  // a prefix is no flag
    {kFlawlessRun, {"--tp"}, "gardenhose run", "--tp"},
    {kFlawlessRun, {"--tp", "1", "--tp", "1"}, "gardenhose run", "--tp"},
    {kFlawlessRun, {"more"}, "gardenhose run", "'more' is one word too many"},
    {kFlawlessRun, {"--set", "gpu.memory=80", "GB"}, "gardenhose run", "'GB' is one word"},
    {"check", {}, "gardenhose check", "WHAT is missing; write e.g. gardenhose check study.toml"},
    {"report", {}, "gardenhose report", "write e.g. gardenhose report study.sqlite"},
    {kFlawlessRun, {"--gpus", "64"}, "--gpus", "write --nodes and --gpus-per-node"},
    {kFlawlessRun, {"--dp", "64"}, "--dp", "data parallelism is what --tp and --pp leave"},
    {kFlawlessRun, {"--cp", "2"}, "--cp", "pass --attention fused"},
    {kFlawlessRun, {"--micro-batch-size", "2"}, "--micro-batch-size", "mean --micro-batch?"},
    {kFlawlessRun, {"--sequence-length", "2"}, "--sequence-length", "mean --sequence?"},
    {kFlawlessRun, {"--json"}, "--json", "write --format json"},
    {kFlawlessRun, {"--reliability", "llama3_h100", "--tokens", "T"}, "--tokens", "e.g. 15T"},
    {kFlawlessRun, {"--reliability", "llama3_h100", "--tokens", "2t"}, "--tokens", "mean 2T?"},
    {kFlawlessRun, {"--reliability", "llama3_h100", "--tokens", "1e400"}, "--tokens", "range"},
    {kPlan, {"--tp", "1,,2"}, "--tp", "'' is not a whole number"},
    {kPlan, {"--tp", "1,0"}, "--tp", "0 is less than 1"},
    {kPlan, {"--sequence", "512,1024"}, "--sequence", "is several values"},
    {kPlan, {"--zero", "1,4"}, "--zero", "is not a ZeRO stage"},
    {kPlan, {"--recompute", "none,some"}, "--recompute", "selective"},
    {kPlan, {"--budget", "3M"}, "--budget", "did you mean MUSD?"},
    {kPlan, {"--budget", "$"}, "--budget", "does not begin with a number"},
    {kPlan, {"--gap", "101%"}, "--gap", "1.01 is not a fraction"},
    {kPlan, {"--nodes", "1,,2"}, "--nodes", "'' is not a whole number"},
    {kPlan, {"--nic-bandwidths", "400"}, "--nic-bandwidths", "has no unit"},
    {"run --topology sdp4bit_a100 --model gpt_125m,gpt_1.3b", {}, "--model", "takes one"},
    {"run --topology SDP4bit_A100 --model gpt_125m", {}, "--topology", "mean sdp4bit_a100?"},
    {kFlawlessRun, {"--calibration", "h200"}, "--calibration", "did you mean nvidia_h200?"},
    {kFlawlessRun, {"--scheme", "diloco"}, "--scheme", "needs a --topology of several sites"},
    {kFlawlessRun, {"--deadline", "5s"}, "--deadline", "leave it out"},
    {kFlawlessRun,
     {"--set", "network.nic_latency=2us"},
     "--set network.nic_latency",
     "did you mean latency?"},
    {kFlawlessRun,
     {"--nic-bandwidth", "200Gbps"},
     "--nic-bandwidth",
     "write --set network.nic_bandwidth=VALUE"},
    {"rnu", {}, "gardenhose", "did you mean run?"},
    {"list topologys", {}, "list", "did you mean topologies?"},
    {"validte", {}, "gardenhose", "did you mean validate?"},
    {"--verbose", {}, "gardenhose", "--help"},
    {"validate sdp4bt", {}, "validate", "sdp4bit, fsdp"},
    {"validate fsdp --refit", {}, "--refit", "always refits its constants"},
    {"validate fsdp --constants", {}, "--constants", "always refits its constants"},
    {"validate sparseloco --refit", {}, "--refit", "sparseloco has no fitted constants"},
    {"validate nccl --refit", {}, "--refit", "nccl takes its constants from the cluster files"},
    {"validate two-nodes --refit", {}, "--refit", "two-nodes has no fitted constants"},
    {"validate intellect-1 --predictions", {}, "--predictions", "two-nodes, opendiloco"},
    {"validate fsdp --each", {}, "--each", "write gardenhose validate nccl"},
    {"validate --predictions", {}, "--predictions", "write gardenhose validate nccl"},
    {"validate", {"--compare=x.csv"}, "--compare", "write gardenhose validate nccl"},
    {"validate nccl --predictions", {"--compare=x.csv"}, "--predictions", "choose one"},
    {"validate nccl", {"--compare=no_such.csv"}, "no_such.csv", "no such file"},
    {"validate nccl --each --predictions", {}, "--each", "choose one"},
    {"run", {"--topolgy", "x"}, "--topolgy", "did you mean --topology?"},
    {"plan", {"--nic-bandwidth=1Gbps"}, "--nic-bandwidth", "did you mean --nic-bandwidths?"},
    {"collective", {"--quantum", "3"}, "--quantum", "see --help"},
    {"compare --b x", {"--a=--shceme tlq"}, "--shceme", "did you mean --scheme?"},
    {"list", {"scheme"}, "list", "schemes"},
    {"list", {"schemas"}, "list", "schemes"},
    {"list", {"topology"}, "list", "topologies"},
    {"list", {"model", "gpt_125"}, "list model", "did you mean gpt_125m?"},
};

TEST(HostileFlag, IsRefusedWhereItWasGiven) {
  const Sandbox sandbox;
  for (const Refusal& refusal : kRefusals) {
    Arguments arguments = words(refusal.base);
    arguments.insert(arguments.end(), refusal.more.begin(), refusal.more.end());
    SCOPED_TRACE(testing::PrintToString(arguments));
    const Outcome outcome = run(arguments, sandbox.path());
    expect_refused(outcome, refusal.place);
    EXPECT_NE(outcome.err.find(refusal.says), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(sandbox.names(), Arguments{}) << "something was written";
}

TEST(HostileFlag, EmptyTextIsNoValueOfAnyFlag) {
  for (const char* flag : {"--topology", "--model", "--scheme", "--calibration", "--baseline",
                           "--perfetto", "--overlap", "--format", "--bucket-size", "--set"}) {
    const Outcome outcome = run({"run", flag, ""}, source_directory());
    expect_refused(outcome, flag);
    EXPECT_NE(outcome.err.find("is empty"), std::string::npos) << outcome.err;
  }
}

TEST(HostileFlag, LineBreaksDoNotBreakTheLine) {
  for (const char* flag :
       {"--topology", "--model", "--scheme", "--calibration", "--baseline", "--perfetto",
        "--overlap", "--format", "--bucket-size", "--set", "--tp"}) {
    expect_refused(run({"run", flag, "a\nb"}, source_directory()), "'a?b'");
  }
  expect_refused(run({"a\nb"}, source_directory()), "gardenhose");
}

// The degrees of parallelism are checked together: a line for each that does not fit.
TEST(HostileFlag, MoreTensorParallelismThanGpusIsRefused) {
  for (const char* tp : {"3", "6", "1024"}) {
    Arguments arguments = words(kFlawlessRun);
    arguments.insert(arguments.end(), {"--tp", tp});
    const Outcome outcome = run(arguments, source_directory());
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(" GPUs"), std::string::npos) << outcome.err;
    for (const std::string& line : lines_of(outcome.err)) {
      EXPECT_TRUE(line.starts_with("--tp: ") || line.starts_with("--pp: ")) << line;
    }
  }
}

TEST(HostileFlag, PerfettoTargetThatCannotBeWrittenIsLeftAsItWas) {
  const Sandbox sandbox;
  std::filesystem::create_directory(sandbox.path() / "folder");
  for (const char* target : {"folder", "no/such/folder.json", "/proc/timeline.json"}) {
    Arguments arguments = words(kFlawlessRun);
    arguments.insert(arguments.end(), {"--nodes", "2", "--perfetto", target});
    expect_refused(run(arguments, sandbox.path()), target);
  }
  EXPECT_TRUE(std::filesystem::is_empty(sandbox.path() / "folder"));
  EXPECT_EQ(sandbox.names(), (Arguments{"folder"}));
}

// 2.9 GB hold the uncompressed step, and not the other one's buffers besides.
TEST(HostileFlag, TimelineThatIsThereSurvivesARefusal) {
  const Sandbox sandbox;
  sandbox.write("timeline.json", "old");
  Arguments arguments = words(kFlawlessRun);
  arguments.insert(arguments.end(), {"--nodes", "2", "--perfetto", "timeline.json", "--require-fit",
                                     "--scheme", "sharded,sdp4bit", "--set", "gpu.memory=2.9 GB"});
  const Outcome outcome = run(arguments, sandbox.path());
  expect_refused(outcome, "--require-fit");
  EXPECT_NE(outcome.err.find("sdp4bit"), std::string::npos) << outcome.err;
  EXPECT_EQ(text_of(sandbox.path() / "timeline.json"), "old");
}

}  // namespace
}  // namespace apps_tests
