// SPDX-License-Identifier: Apache-2.0
// gpt-neox's YAML, which holds DeepSpeed's keys beside its own.
#include <string>

#include "sim/launch/frameworks/derive.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kNeoxMarks[] = {"pipe_parallel_size", "gpt_j_residual",
                                           "attention_config.*", "model_parallel_size"};

constexpr KeyRow kNeoxKeys[] = {
    means("pipe_parallel_size", "pp", "0=|1=1|*=*"),
    means("model_parallel_size", "tp"),
    means("sequence_parallel", "sequence-parallel", kOnOff),
    means("context_parallel_size", "cp"),
    means("num_layers", "model.layers"),
    means("hidden_size", "model.hidden"),
    means("intermediate_size", "model.feed_forward"),
    means("num_attention_heads", "model.heads"),
    means("num_kv_heads", "model.kv_heads"),
    means("seq_length", "sequence"),
    means("max_position_embeddings", "_positions"),
    means("norm", "model.norm",
          "layernorm=layer_norm|rmsnorm=rms_norm|non_parametric_layernorm=no_weights"),
    means("pos_emb", "model.positions", "rotary=rotary|learned=learned|none=none|alibi=alibi"),
    means("rotary_pct", "model.rotary_share"),
    means("no_weight_tying", "model.tied_embeddings", "true=false|false=true"),
    means("gpt_j_residual", "_parallel", kIfTrue),
    means("gpt_j_tied", "_one_norm", kIfTrue),
    means("activation", "model.feed_forward_kind",
          "gelu=gelu|swiglu=swiglu|relu=relu|geglu=geglu|silu=gelu"),
    means("mlp_type", "_mlp"),
    means("mlp_multiple_of", "_multiple"),
    means("use_bias_in_attn_linear", "_biased"),
    unmodelled("use_bias_in_mlp", "true|false"),
    harmless("use_bias_in_norms"),
    means("hidden_dropout", "_hidden_dropout"),
    means("attention_dropout", "_attention_dropout"),
    means("attention_config.*.*.*", "_attention"),
    harmless("attention_config.*.*"),
    means("make_vocab_size_divisible_by", "_divisible"),
    means("tokenizer_type", "_tokenizer"),
    means("padded_vocab_size", "model.vocabulary"),
    means("train_micro_batch_size_per_gpu", "micro-batch"),
    means("gradient_accumulation_steps", "accumulation"),
    means("train_batch_size", "global-batch"),
    means("zero_optimization.stage", "zero"),
    means("zero_optimization.overlap_comm", "_overlap_gradients", kIfTrue),
    means("zero_optimization.reduce_bucket_size", "_bucket"),
    means("zero_optimization.cpu_offload", "optimizer-state", "true=host|false="),
    means("zero_optimization.offload_optimizer.device", "optimizer-state", "cpu=host|none="),
    means("zero_optimization.offload_param.device", "offload-weights", "cpu=on|none="),
    means("checkpoint_activations", "_granularity", "true=full|false="),
    means("optimizer.type", "optimizer", "adam=adamw|adamw=adamw|muon=muon"),
    means("fp16.enabled", "_half", "true=fp16|false="),
    means("bf16.enabled", "_half", "true=bf16|false="),
    means("precision", "_half", "fp16=fp16|bfloat16=bf16"),
    means("fp32_allreduce", "_reduce", "true=fp32|false="),
    means("data_types.grad_accum_dtype", "_reduce", "fp32=fp32|fp16=bf16|bf16=bf16"),
    means("num_gpus", "_gpus_per_node"),
    means("num_nodes", "_nodes"),
    means("global_num_gpus", "_gpus"),
    unmodelled("partition_activations"),
    unmodelled("synchronize_each_layer"),
    unmodelled("wall_clock_breakdown"),
    unmodelled("contiguous_checkpointing"),
    unmodelled("checkpoint_in_cpu"),
    unmodelled("zero_optimization.allgather_partitions", "true"),
    unmodelled("zero_optimization.reduce_scatter", "true"),
    unmodelled("zero_optimization.contiguous_gradients", "true|false"),
    unmodelled("zero_optimization.zero_quantized_*"),
    unmodelled("zero_optimization.zero_hpz_partition_size", "1"),
    unmodelled("sparse_gradients"),
    unmodelled("moe_*", "1"),
    unmodelled("curriculum_learning.enabled"),
    unmodelled("communication_data_type", "null"),
    unmodelled("profile"),
    unmodelled("flops_profiler.enabled"),
    unmodelled("sliding_window_width"),
    unmodelled("te_*"),
    harmless("zero_optimization.*"),
    harmless("fp16.*"),
    harmless("bf16.*"),
    harmless("data_types.*"),
    harmless("optimizer.*"),
    harmless("optimizer_params.*"),
    harmless("comet_*"),
    harmless("wandb_*"),
    harmless("use_wandb"),
    harmless("use_mup"),
    harmless("output_layer_parallelism"),
    harmless("scaled_*"),
    harmless("bias_*"),
    harmless("rope_fusion"),
    harmless("layernorm_fusion"),
    harmless("rmsnorm_fusion"),
    harmless("init_method*"),
    harmless("output_layer_init_method*"),
    harmless("min_lr"),
    harmless("lr_*"),
    harmless("data_*"),
    harmless("train-data-*"),
    harmless("valid-data-*"),
    harmless("test-data-*"),
    harmless("num_workers"),
    harmless("pack_impl"),
    harmless("dataset_impl"),
    harmless("allow_chopped"),
    harmless("train_*.*"),
    harmless("valid_*.*"),
    harmless("test_*.*"),
    harmless("pos_*.*"),
    harmless("neg_*.*"),
    unmodelled("use_flashattn_swiglu"),
    unmodelled("mamba_*"),
    harmless("train_*"),
    harmless("valid_*"),
    harmless("test_*"),
    harmless("split"),
    harmless("vocab_file"),
    harmless("merge_file"),
    harmless("gradient_clipping"),
    harmless("weight_decay"),
    harmless("distributed_backend"),
    harmless("warmup"),
    harmless("save"),
    harmless("save_*"),
    harmless("load"),
    harmless("finetune"),
    harmless("checkpoint_*"),
    harmless("checkpoint-*"),
    harmless("extra_save_iters.*"),
    harmless("keep_last_n_checkpoints"),
    harmless("eval_*"),
    harmless("do_*"),
    harmless("log_*"),
    harmless("steps_per_print"),
    harmless("tensorboard_dir"),
    harmless("seed"),
    harmless("layernorm_epsilon"),
    harmless("rms_norm_epsilon"),
    harmless("rotary_*"),
    harmless("launcher"),
    harmless("deepspeed_*"),
    harmless("hostfile"),
    harmless("master_*"),
    harmless("no_ssh_check"),
    harmless("user_script"),
    harmless("override_lr_scheduler"),
};

void derive_gpt_neox_model(Facts& facts) {
  const auto hidden = facts.count("model.hidden");
  if (!hidden) return;
  facts.assume("model.feed_forward_kind", "gelu", "GELU unless told");
  if (facts.is("_mlp", "llama")) facts.derive("model.feed_forward_kind", "swiglu", "_mlp");
  const bool gated = facts.is("model.feed_forward_kind", "swiglu");
  // transformer.py, ParallelMLP: 4 h unless told, and of a gate and its partner a third each, rounded
  // up to a multiple.
  const std::string_view from =
      facts.has("model.feed_forward") ? "model.feed_forward" : "model.hidden";
  std::int64_t width = facts.count_or("model.feed_forward", 4 * *hidden);
  if (gated) {
    const std::int64_t multiple = facts.count_or("_multiple", 256);
    width = (width * 2 / 3 / 2 + multiple - 1) / multiple * multiple;
  }
  facts.derive("model.feed_forward", std::to_string(width), from);
  facts.assume("model.norm", "layer_norm", "layer norm unless told");
  facts.assume("model.positions", "learned", "learned positions unless told");
  if (facts.is("model.positions", "learned") && facts.has("_positions")) {
    facts.derive("model.position_table", facts.text("_positions"), "_positions");
  }
  if (!facts.is("model.positions", "rotary")) facts.forget("model.rotary_share");
  const bool biased = !facts.is("_biased", "false") && !facts.is("_biased", "False");
  facts.assume("model.biases", biased ? "all" : "none", "biases unless told");
  facts.assume("model.tied_embeddings", "true", "tied embeddings unless told");
  if (facts.is("_parallel", "true")) {
    facts.derive("model.blocks", facts.is("_one_norm", "true") ? "parallel" : "parallel_two_norms",
                 "_parallel");
  }
  derive_dropout(facts, "0", "no dropout unless told");
  derive_sizes(facts);
  const std::string tokenizer = facts.text("_tokenizer");
  if (tokenizer == "HFTokenizer") {
    derive_vocabulary(facts, 50277, 128, "the 50277 words of GPT-NeoX-20B's tokenizer, padded");
  } else if (tokenizer == "GPT2BPETokenizer") {
    derive_vocabulary(facts, 50257, 128, "the 50257 words of GPT-2's tokenizer, padded");
  }
}

void derive_gpt_neox(Facts& facts) {
  derive_nodes(facts, {"_nodes"}, {"_gpus_per_node"});
  facts.assume("zero", "0", "no zero_optimization");
  derive_overlap(facts, "no key asks for overlap");
  derive_recompute(facts);
  const std::string attention = facts.text("_attention", "global");
  if (attention == "flash") facts.derive("attention", "flash2", "_attention");
  if (attention == "global")
    facts.assume("attention", "unfused", "attention of several kernels unless told");
  if (attention != "flash" && attention != "global") {
    facts.warn("_attention", "taken as full attention, unfused");
  }
  if (facts.has("_reduce")) {
    facts.derive("gradient-precision", facts.text("_reduce"), "_reduce");
  } else {
    const bool fp16 = !facts.is("_half", "bf16");
    facts.assume("gradient-precision", fp16 ? "bf16" : "fp32",
                 fp16 ? "FP16 gradients are reduced in their 16 bits"
                      : "BF16 training accumulates and reduces in FP32");
  }
  if (const auto bucket = facts.count("_bucket"); bucket && !facts.is("overlap", "none")) {
    const std::int64_t bytes = *bucket * (facts.is("gradient-precision", "fp32") ? 4 : 2);
    facts.derive("bucket-size", std::to_string(bytes) + "B", "_bucket");
  }
  if (facts.has("global-batch")) facts.forget("accumulation");
  facts.assume("stack", "megatron", "its kernels");
  derive_gpt_neox_model(facts);
}

}  // namespace

constinit const Framework gpt_neox{
    .name = "gpt-neox",
    .title = "a gpt-neox YAML",
    .source = "github.com/EleutherAI/gpt-neox: megatron/neox_arguments",
    .marks = kNeoxMarks,
    .keys = kNeoxKeys,
    .shared = {},
    .derive = derive_gpt_neox};

}  // namespace sim::launch::frameworks
