// SPDX-License-Identifier: Apache-2.0
// --from: what a launch file becomes on a command line, and what the program says of it.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "apps/launch/file_changes.hpp"
#include "apps/launch/launch_model.hpp"
#include "tests/apps/program.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr std::string_view kTitan =
    "[model]\nname = 'llama2'\nflavor = '7B'\n[training]\nlocal_batch_size = 1\nseq_len = 1024\n"
    "[parallelism]\ntensor_parallel_degree = 2\ndata_parallel_shard_degree = 4\n"
    "[profiling]\nenable_profiling = true\n[training2]\nx = 1\n";

constexpr std::string_view kMegatron =
    "torchrun --nnodes 1 --nproc_per_node 8 x.py --tensor-model-parallel-size 2 \\\n"
    "  --num-layers 4 --hidden-size 1024 --num-attention-heads 16 --seq-length 1024 \\\n"
    "  --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 16 --bf16 \\\n"
    "  --use-distributed-optimizer --vocab-file v --merge-file m\n";

Outcome run_from(const Sandbox& folder, const std::string& file, const std::string& more) {
  return run(
      words("run --from " + file + " --topology dgx_h100_x16 --range off --format json " + more),
      folder.path());
}

double step_time(const Outcome& outcome) {
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out)["step_time_s"];
}

TEST(From, RunsAsTheFlagsThatItPrints) {
  const Sandbox folder;
  folder.write("t.toml", kTitan);
  const Outcome from = run_from(folder, "t.toml", "");
  EXPECT_NE(from.err.find("  --tp 2 "), std::string::npos) << from.err;
  EXPECT_NE(from.err.find("Changes time and is not modelled:\n  t.toml:11: "), std::string::npos);
  EXPECT_NE(from.err.find("Keys that are not known here, and were not read:\n  t.toml:13: "),
            std::string::npos);
  const Outcome flags =
      run(words("run --topology dgx_h100_x16 --range off --format json --model llama_2_7b "
                "--sequence 1024 --nodes 1 --tp 2 --zero 3 --sequence-parallel on "
                "--recompute none --stack torch-eager --gradient-precision fp32"),
          folder.path());
  EXPECT_EQ(step_time(from), step_time(flags));
}

TEST(From, FlagsOnTheCommandLineWin) {
  const Sandbox folder;
  folder.write("t.toml", kTitan);
  const Outcome more = run_from(folder, "t.toml", "--tp 4 --nodes 1 --print-flags");
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_EQ(more.out.find("--tp"), std::string::npos) << more.out;
  EXPECT_GT(step_time(run_from(folder, "t.toml", "--micro-batch 4")),
            step_time(run_from(folder, "t.toml", "")));
}

TEST(From, PrintsFlagsWithoutATopology) {
  const Sandbox folder;
  folder.write("m.sh", kMegatron);
  const Outcome outcome = run(words("run --from m.sh --print-flags"), folder.path());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  for (const char* flag : {"--tp 2", "--nodes 1", "--gpus-per-node 8", "--zero 1",
                           "--global-batch 16", "--set model.layers=4"}) {
    EXPECT_NE(outcome.out.find(std::string("  ") + flag + " "), std::string::npos) << flag;
  }
}

TEST(From, OtherCommandsTakeIt) {
  const Sandbox folder;
  folder.write("m.sh", kMegatron);
  folder.write("steps.csv", "name,step_s\none,0.05\n");
  const std::string cluster = " --topology dgx_h100_x16 --nodes 1";
  const Outcome compare =
      run(words("compare --from m.sh --a=--scheme=sdp4bit --b=--scheme=sharded --repetitions 2" +
                cluster),
          folder.path());
  EXPECT_EQ(compare.code, 0) << compare.err;
  const Outcome plan =
      run(words("plan --from m.sh --tokens 1e9 --tp 1 --pp 1 --scheme sharded" + cluster),
          folder.path());
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_NE(plan.err.find("--batch-tokens 16384 "), std::string::npos) << plan.err;  // 16 x 1024
  const Outcome check =
      run(words("check --measured steps.csv --from m.sh" + cluster), folder.path());
  EXPECT_NE(check.out.find("one"), std::string::npos) << check.err;
  const Outcome fit = run(words("fit --steps steps.csv --from m.sh" + cluster), folder.path());
  EXPECT_EQ(fit.code, 0) << fit.err;
}

TEST(From, IsRefusedInOneLocatedLine) {
  const Sandbox folder;
  folder.write("large.sh",
               "torchrun --nnodes 1 --nproc_per_node 8 x.py --tensor-model-parallel-size 16\n");
  folder.write("unknown.yaml", "base_model: nobody/nothing-3B\nmicro_batch_size: 1\n");
  folder.write("none.yaml", "a: 1\n");
  folder.write("binary.sh", std::string("a\n\0\x01", 4));
  folder.write("broken.json", "{\"a\": [1, 2");
  folder.write("deep.yaml", std::string(5000, '['));
  for (const char* file :
       {"large.sh", "unknown.yaml", "none.yaml", "binary.sh", "broken.json", "deep.yaml"}) {
    SCOPED_TRACE(file);
    expect_refused(run_from(folder, file, ""), file);
  }
  folder.write("big.sh", std::string(11'000'000, '#'));
  expect_refused(run_from(folder, "big.sh", ""), "big.sh");
  expect_refused(run_from(folder, "nowhere.sh", ""), "nowhere.sh");
  expect_refused(run(words("run --print-flags"), folder.path()), "--print-flags");
}

TEST(From, TakesTheConfigOfItsModelBesideIt) {
  const Sandbox folder;
  folder.write("a.yaml", "base_model: nobody/nothing-3B\nmicro_batch_size: 1\nsequence_len: 512\n");
  std::filesystem::copy(source_directory() / "tests/workload/configs/Llama-2-7b-hf/config.json",
                        folder.path() / "config.json");
  const Outcome outcome = run(words("run --from a.yaml --print-flags"), folder.path());
  EXPECT_NE(outcome.out.find("--model ./config.json "), std::string::npos) << outcome.out;
}

TEST(From, FindsShippedModelsByTheirNames) {
  EXPECT_EQ(apps::shipped_model_named("NousResearch/Meta-Llama-3.1-8B-Instruct"), "llama_3.1_8b");
  EXPECT_EQ(apps::shipped_model_named("llama3-405B"), "llama_3.1_405b");
  EXPECT_EQ(apps::shipped_model_named("mistralai/Mixtral-8x7B-v0.1"), "mixtral_8x7b");
  EXPECT_EQ(apps::shipped_model_named("Qwen/Qwen3-4B"), "");
}

TEST(From, SaysWhatToChangeInTheFile) {
  const Sandbox folder;
  folder.write("m.sh", kMegatron);
  const std::string changes =
      apps::changes_in(folder.path() / "m.sh", "--tp 1 --recompute full --unit-layers 2");
  EXPECT_NE(changes.find("line 1: --tensor-model-parallel-size 1 in place of 2"), std::string::npos)
      << changes;
  EXPECT_NE(changes.find("add --recompute-granularity full"), std::string::npos) << changes;
  EXPECT_NE(changes.find("--unit-layers 2: Megatron-LM has no one key"), std::string::npos);
  EXPECT_EQ(apps::changes_in(folder.path() / "m.sh", ""), "");
  folder.write("r.sh", std::string(kMegatron.substr(0, kMegatron.size() - 1)) +
                           " \\\n  --recompute-granularity full\n");
  EXPECT_EQ(apps::changes_in(folder.path() / "r.sh", "--recompute none --accumulation 2"),
            "To run it so, change " + (folder.path() / "r.sh").string() +
                ":\n  line 5: remove --recompute-granularity  (--recompute none)\n");
  folder.write("s.sh", std::string(kMegatron.substr(0, kMegatron.size() - 1)) +
                           " \\\n  --sequence-parallel\n");
  EXPECT_EQ(apps::changes_in(folder.path() / "s.sh", "--sequence-parallel off"),
            "To run it so, change " + (folder.path() / "s.sh").string() +
                ":\n  line 5: remove --sequence-parallel  (--sequence-parallel off)\n");
  EXPECT_EQ(apps::changes_in(folder.path() / "m.sh", "--sequence-parallel off"), "");
  const Outcome tuned =
      run(words("run --from m.sh --topology dgx_h100_x16 --range off --tune"), folder.path());
  EXPECT_NE(tuned.out.find("change m.sh:\n"), std::string::npos) << tuned.out << tuned.err;
}

}  // namespace
}  // namespace apps_tests
