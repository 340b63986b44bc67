// SPDX-License-Identifier: Apache-2.0
// Launch files as the fields of a job that their frameworks would run.
#include "sim/launch/launch.hpp"

#include <gtest/gtest.h>

#include "tests/launch/launches.hpp"

namespace sim::launch {
namespace {

TEST(Launch, TorchtitanShardsWhatIsLeft) {
  const Launch launch = launch_of(parse_toml_entries(
      "[model]\nname = 'llama3'\nflavor = '8B'\n[training]\nlocal_batch_size = 2\nseq_len = 4096\n"
      "compile = true\n[parallelism]\ntensor_parallel_degree = 2\ndata_parallel_shard_degree = 4\n"
      "data_parallel_replicate_degree = 2\n[activation_checkpoint]\nmode = 'selective'\n"
      "selective_ac_option = 'op'\n[profiling]\nenable_profiling = true\n",
      "f.toml"));
  EXPECT_EQ(field_of(launch, "zero"), "3");
  EXPECT_EQ(field_of(launch, "hybrid-shard"), "4");
  EXPECT_EQ(field_of(launch, "tp"), "2");
  EXPECT_EQ(field_of(launch, "sequence-parallel"), "on");
  EXPECT_EQ(field_of(launch, "recompute"), "alternate");
  EXPECT_EQ(field_of(launch, "stack"), "torch-compile");
  EXPECT_EQ(field_of(launch, "micro-batch"), "2");
  EXPECT_EQ(launch.gpus, 2 * 4 * 2);  // tp x shards x copies
  EXPECT_EQ(launch.model_name->value, "llama3-8B");
  ASSERT_EQ(launch.not_modelled.size(), 1U);
  EXPECT_EQ(launch.not_modelled.front(), "f.toml:16: profiling.enable_profiling = true");
}

TEST(Launch, TorchtitanPipelinesSplitTheLocalBatch) {
  const Launch launch = launch_of(parse_toml_entries(
      "[training]\nlocal_batch_size = 8\n[parallelism]\npipeline_parallel_degree = 4\n"
      "pipeline_parallel_microbatch_size = 2\n",
      "f.toml"));
  EXPECT_EQ(field_of(launch, "micro-batch"), "2");
  EXPECT_EQ(field_of(launch, "accumulation"), "4");  // 8 / 2
}

constexpr std::string_view kMegatron =
    "TP=2\nexport N=4\nARGS=\"--tensor-model-parallel-size $TP --pipeline-model-parallel-size 2\"\n"
    "torchrun --nnodes $N --nproc_per_node 8 pretrain_gpt.py $ARGS --num-layers 24 \\\n"
    "  --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 --max-position-embeddings "
    "2048 "
    "\\\n  --micro-batch-size 2 --global-batch-size 256 --fp16 --use-distributed-optimizer \\\n"
    "  --overlap-grad-reduce --vocab-file v.json --merge-file m.txt --sequence-parallel\n";

TEST(Launch, KeepsSequenceParallelismBesideAnotherNumberOfTensorParallelRanks) {
  EXPECT_EQ(field_of(launch_of(parse_shell(kMegatron, "f.sh"), {"tp"}), "sequence-parallel"), "on");
  const auto torchtitan = [](const std::set<std::string, std::less<>>& given) {
    return field_of(launch_of(parse_toml_entries("[training]\nlocal_batch_size = 2\n"
                                                 "[parallelism]\ntensor_parallel_degree = 1\n",
                                                 "f.toml"),
                              given),
                    "sequence-parallel");
  };
  EXPECT_EQ(torchtitan({"tp"}), "on");
  EXPECT_EQ(torchtitan({}), "(none)");
}

TEST(Launch, MegatronsArguments) {
  const Launch launch = launch_of(parse_shell(kMegatron, "f.sh"));
  EXPECT_EQ(field_of(launch, "nodes"), "4");
  EXPECT_EQ(field_of(launch, "gpus-per-node"), "8");
  EXPECT_EQ(field_of(launch, "tp"), "2");
  EXPECT_EQ(field_of(launch, "zero"), "1");
  EXPECT_EQ(field_of(launch, "overlap"), "gradients");
  EXPECT_EQ(field_of(launch, "global-batch"), "256");
  EXPECT_EQ(field_of(launch, "gradient-precision"), "bf16");
  EXPECT_EQ(field_of(launch, "model.feed_forward"), "4096");  // 4 x 1024
  // 50257 words to a multiple of 128 x 2.
  EXPECT_EQ(field_of(launch, "model.vocabulary"), "50432");
  EXPECT_EQ(field_of(launch, "model.dropout"), "true");
  EXPECT_TRUE(launch.unknown.empty());
}

TEST(Launch, ALayoutThatNeedsMoreGpusIsRefusedUnlessTheyAreGiven) {
  const std::string text =
      "torchrun --nnodes 1 --nproc_per_node 8 x.py --tensor-model-parallel-size 8 \\\n"
      "  --pipeline-model-parallel-size 16\n";
  const std::string what = refusal([&] { return launch_of(parse_shell(text, "f.sh")); });
  EXPECT_TRUE(what.starts_with("f.sh:2: pipeline-model-parallel-size = 16: ")) << what;
  EXPECT_NE(what.find("multiple of 128 GPUs"), std::string::npos) << what;
  EXPECT_EQ(field_of(launch_of(parse_shell(text, "f.sh"), {"nodes"}), "pp"), "16");
}

TEST(Launch, AValueOfARunningShellIsAskedForByName) {
  const std::string text = "x --tensor-model-parallel-size 2 --micro-batch-size $MBS\n";
  const std::string what = refusal([&] { return launch_of(parse_shell(text, "f.sh")); });
  EXPECT_EQ(what,
            "f.sh:1: micro-batch-size: '$MBS' is known to a running shell alone; give "
            "`micro-batch` instead");
  EXPECT_EQ(field_of(launch_of(parse_shell(text, "f.sh"), {"micro-batch"}), "tp"), "2");
}

TEST(Launch, NemoWithReferences) {
  const Launch launch = launch_of(
      parse_yaml("trainer:\n  num_nodes: 2\n  devices: 8\nmodel:\n  tensor_model_parallel_size: 2\n"
                 "  micro_batch_size: 1\n  global_batch_size: 64\n  encoder_seq_length: 2048\n  "
                 "num_layers: 8\n"
                 "  hidden_size: 512\n  ffn_hidden_size: ${multiply:4, ${.hidden_size}}\n"
                 "  num_attention_heads: 8\n  sequence_parallel: true\n  megatron_amp_O2: true\n"
                 "  activations_checkpoint_granularity: selective\n  optim:\n    name: "
                 "distributed_fused_adam\n    overlap_grad_sync: false\n  data:\n    seq_length: "
                 "${model.encoder_seq_length}\n",
                 "f.yaml"));
  EXPECT_EQ(field_of(launch, "model.feed_forward"), "2048");  // 4 x 512
  EXPECT_EQ(field_of(launch, "sequence"), "2048");
  EXPECT_EQ(field_of(launch, "zero"), "1");
  EXPECT_EQ(field_of(launch, "overlap"), "none");
  EXPECT_EQ(field_of(launch, "recompute"), "selective");
  EXPECT_EQ(field_of(launch, "sequence-parallel"), "on");
  EXPECT_EQ(field_of(launch, "nodes"), "2");
}

TEST(Launch, MlperfsExportsAccumulateAMiniBatch) {
  const Launch launch =
      launch_of(parse_shell("source common.sh\nexport MINIBS=8\nexport MICRO_BATCH_SIZE=2\n"
                            "export DGXNNODES=4\nexport DGXNGPU=8\nexport CONTEXT_PARALLEL=2\n",
                            "f.sh"));
  EXPECT_EQ(field_of(launch, "accumulation"), "4");  // 8 / 2
  EXPECT_EQ(field_of(launch, "cp"), "2");
  EXPECT_EQ(field_of(launch, "gpus-per-node"), "8");
  EXPECT_EQ(launch.document.unread.size(), 1U);
}

TEST(Launch, NanotronIsReadByItsValuesNotItsName) {
  const Launch launch = launch_of(parse_yaml(
      "general:\n  run: dp2_tp4\nparallelism:\n  dp: 1\n  tp: 8\n  pp: 1\n  tp_mode: "
      "REDUCE_SCATTER\ntokens:\n  micro_batch_size: 1\n  batch_accumulation_per_replica: 3\n"
      "  sequence_length: 2048\noptimizer:\n  zero_stage: 0\n  accumulate_grad_in_fp32: true\n",
      "f.yaml"));
  EXPECT_EQ(field_of(launch, "tp"), "8");
  EXPECT_EQ(field_of(launch, "zero"), "0");
  EXPECT_EQ(field_of(launch, "accumulation"), "3");
  EXPECT_EQ(field_of(launch, "gradient-precision"), "fp32");
  EXPECT_EQ(launch.gpus, 8);
}

TEST(Launch, NeoxsGatedWidthsAreAThird) {
  const Launch launch = launch_of(parse_yaml(
      "{\"model_parallel_size\": 2, \"num_layers\": 4, \"hidden_size\": 768,\n"
      "\"num_attention_heads\": 8, \"activation\": \"swiglu\", \"intermediate_size\": 6144,\n"
      "\"mlp_multiple_of\": 256, \"zero_optimization\": {\"stage\": 1, \"overlap_comm\": true,\n"
      "\"reduce_bucket_size\": 500000000}, \"fp16\": {\"enabled\": true}}",
      "f.yml"));
  EXPECT_EQ(field_of(launch, "model.feed_forward"), "2048");  // 6144 / 3
  EXPECT_EQ(field_of(launch, "bucket-size"), "1000000000B");  // 5e8 elements of 2 bytes
  EXPECT_EQ(field_of(launch, "overlap"), "gradients");
}

TEST(Launch, AxolotlsFsdpOnHosts) {
  const Launch launch = launch_of(parse_yaml(
      "base_model: NousResearch/Meta-Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n"
      "micro_batch_size: 2\ngradient_accumulation_steps: 4\ngradient_checkpointing: true\n"
      "fsdp:\n  - full_shard\n  - auto_wrap\nfsdp_config:\n  fsdp_offload_params: true\n"
      "  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_backward_prefetch: BACKWARD_PRE\n",
      "f.yaml"));
  EXPECT_EQ(field_of(launch, "zero"), "3");
  EXPECT_EQ(field_of(launch, "offload-weights"), "on");
  EXPECT_EQ(field_of(launch, "optimizer-state"), "host");
  EXPECT_EQ(field_of(launch, "backward-prefetch"), "pre");
  EXPECT_EQ(field_of(launch, "recompute"), "full");
  ASSERT_EQ(launch.not_modelled.size(), 1U);  // the hosts' update
}

TEST(Launch, LlamaFactoryFillsDeepSpeedsAutoIn) {
  Document document = parse_yaml(
      "model_name_or_path: Qwen/Qwen3-4B\nfinetuning_type: full\ncutoff_len: 2048\n"
      "per_device_train_batch_size: 1\ngradient_accumulation_steps: 2\n",
      "f.yaml");
  for (const Entry& entry :
       parse_yaml("{\"train_micro_batch_size_per_gpu\": \"auto\",\n\"zero_optimization\": "
                  "{\"stage\": 3, \"overlap_comm\": false, \"reduce_bucket_size\": \"auto\"}}",
                  "ds.json")
           .entries) {
    add(document, {"deepspeed." + entry.key, entry.value, entry.place});
  }
  const Launch launch = launch_of(document);
  EXPECT_EQ(field_of(launch, "zero"), "3");
  EXPECT_EQ(field_of(launch, "overlap"), "none");
  EXPECT_EQ(field_of(launch, "micro-batch"), "1");
  EXPECT_EQ(field_of(launch, "accumulation"), "2");
  EXPECT_EQ(field_of(launch, "recompute"), "full");
  EXPECT_EQ(launch.not_modelled.size(), 1U);  // sequences shorter than the cutoff
}

TEST(Launch, KeysForFieldsAreTheFrameworksOwn) {
  const Launch launch = launch_of(parse_shell(kMegatron, "f.sh"));
  const auto key = [&](std::string_view field, std::string_view value) {
    const auto found = key_for(*launch.framework, field, value, launch.document);
    return found ? std::string(found->key) + " " + found->value : std::string("(none)");
  };
  EXPECT_EQ(key("tp", "4"), "tensor-model-parallel-size 4");
  EXPECT_EQ(key("recompute", "full"), "recompute-granularity full");
  EXPECT_EQ(key("zero", "1"), "use-distributed-optimizer true");
  EXPECT_EQ(key("overlap", "weights"), "overlap-param-gather true");
  EXPECT_EQ(key("unit-layers", "2"), "(none)");
}

}  // namespace
}  // namespace sim::launch
