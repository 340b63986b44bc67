// SPDX-License-Identifier: Apache-2.0
// nanotron's YAML.
#include <string>

#include "sim/launch/frameworks/derive.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kNanotronMarks[] = {"tokens.batch_accumulation_per_replica",
                                               "parallelism.tp_mode",
                                               "model.model_config.hidden_size"};

constexpr KeyRow kNanotronKeys[] = {
    means("parallelism.dp", "_dp"),
    means("parallelism.tp", "tp"),
    means("parallelism.pp", "pp"),
    means("parallelism.context_parallel_size", "cp"),
    means("parallelism.expert_parallel_size", "ep"),
    means("parallelism.tp_mode", "sequence-parallel", "reduce_scatter=on|all_reduce=off"),
    means("parallelism.tp_linear_async_communication", "_overlap_tensor", kIfTrue),
    means("parallelism.recompute_layer", "_granularity", "true=full|false="),
    means("parallelism.pp_engine", "_schedule"),
    means("tokens.batch_accumulation_per_replica", "accumulation"),
    means("tokens.micro_batch_size", "micro-batch"),
    means("tokens.sequence_length", "sequence"),
    means("optimizer.zero_stage", "zero"),
    means("optimizer.accumulate_grad_in_fp32", "gradient-precision", "true=fp32|false=bf16"),
    means("optimizer.optimizer_factory.torch_adam_is_fused", "_fused", kIfTrue),
    means("model.ddp_bucket_cap_mb", "_bucket_mb"),
    means("model.dtype", "_dtype"),
    means("model.make_vocab_size_divisible_by", "_divisible"),
    means("model.model_config.num_hidden_layers", "model.layers"),
    means("model.model_config.hidden_size", "model.hidden"),
    means("model.model_config.intermediate_size", "model.feed_forward"),
    means("model.model_config.num_attention_heads", "model.heads"),
    means("model.model_config.num_key_value_heads", "model.kv_heads"),
    means("model.model_config.n_layer", "model.layers"),
    means("model.model_config.n_embed", "model.hidden"),
    means("model.model_config.n_head", "model.heads"),
    means("model.model_config.hidden_act", "model.feed_forward_kind",
          "silu=swiglu|gelu=gelu|relu=relu"),
    means("model.model_config.tie_word_embeddings", "model.tied_embeddings",
          "true=true|false=false"),
    means("model.model_config.vocab_size", "_words"),
    means("model.model_config.attention_bias", "_biased", kIfTrue),
    unmodelled("model.model_config.moe_config.*"),
    unmodelled("model.model_config.sliding_window_size"),
    unmodelled("model.model_config._attn_implementation", "flash_attention_2|null"),
    unmodelled("parallelism.moe_layer_recompute"),
    unmodelled("parallelism.tp_recompute_allgather", "true"),
    unmodelled("profiler.*", "null"),
    unmodelled("profiler"),
    unmodelled("general.ignore_sanity_checks", "true"),
    unmodelled("model.model_config.no_rope_layer*"),
    harmless("model.model_config.*"),
    harmless("model.init_method.*"),
    harmless("checkpoints.*"),
    harmless("data_stages.*"),
    harmless("data.*"),
    harmless("general.*"),
    harmless("lighteval*"),
    harmless("lighteval.*"),
    harmless("logging.*"),
    harmless("optimizer.*"),
    harmless("tokenizer.*"),
    harmless("tokens.*"),
    harmless("s3_upload*"),
    harmless("s3_upload.*"),
    harmless("experiment_logger*"),
    harmless("experiment_logger.*"),
    harmless("metrics_logging.*"),
    harmless("metrics_logging"),
    harmless("slurm.*"),
    harmless("kill_switch_path"),
};

void derive_nanotron_model(Facts& facts) {
  if (!facts.has("model.layers")) return;
  facts.assume("model.feed_forward_kind", "swiglu", "its models are Llama's");
  facts.assume("model.norm", "rms_norm", "its models are Llama's");
  facts.assume("model.positions", "rotary", "its models are Llama's");
  facts.assume("model.biases", facts.is("_biased", "true") ? "qkv" : "none",
               "its models are Llama's");
  facts.assume("model.dropout", "false", "its models have no dropout");
  derive_sizes(facts);
  const std::int64_t words = facts.count_or("_words", 0);
  const std::int64_t multiple = facts.count_or("_divisible", 1) * facts.count_or("tp", 1);
  if (words > 0) {
    facts.derive("model.vocabulary", std::to_string((words + multiple - 1) / multiple * multiple),
                 "_words");
  }
}

void derive_nanotron(Facts& facts) {
  // DistributedDataParallel's reducer overlaps the last backward pass.
  const bool copies = facts.count_or("_dp", 1) > 1;
  if (copies) facts.derive("_overlap_gradients", "true", "_dp");
  derive_overlap(facts, "nothing is communicated beside compute");
  derive_recompute(facts);
  if (const auto bucket = facts.count("_bucket_mb"); bucket && copies) {
    facts.derive("bucket-size", std::to_string(*bucket) + "MiB", "_bucket_mb");
  }
  if (facts.count_or("pp", 1) > 1 && facts.text("_schedule", "1f1b") != "1f1b") {
    facts.warn("_schedule", "another order of stages; taken as 1F1B");
  }
  if (facts.has("_fused")) facts.derive("optimizer", "adamw", "_fused");
  if (facts.has("_dtype") && facts.text("_dtype").find("float16") == std::string::npos) {
    facts.warn("_dtype", "taken as bfloat16");
  }
  facts.assume("attention", "flash2", "flash-attn's kernels");
  facts.assume("kernels", "eager", "PyTorch's kernels");
  derive_nanotron_model(facts);
}

}  // namespace

constinit const Framework nanotron{
    .name = "nanotron",
    .title = "a nanotron YAML",
    .source = "github.com/huggingface/nanotron: src/nanotron/config, models/llama.py",
    .marks = kNanotronMarks,
    .keys = kNanotronKeys,
    .shared = {},
    .derive = derive_nanotron};

}  // namespace sim::launch::frameworks
