// SPDX-License-Identifier: Apache-2.0
// torchtitan's TOML files, old and new: FSDP2 over what tensor, pipeline and context parallelism leave.
#include <array>
#include <string>

#include "sim/launch/frameworks/derive.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kTorchtitanMarks[] = {
    "training.data_parallel_degree",       "training.tensor_parallel_degree",
    "parallelism.tensor_parallel_degree",  "parallelism.data_parallel_shard_degree",
    "training.local_batch_size",           "training.data_parallel_shard_degree",
    "activation_checkpoint.mode",          "experimental.pipeline_parallel_degree",
    "parallelism.pipeline_parallel_degree"};

constexpr KeyRow kTorchtitanKeys[] = {
    means("model.name", "_name"),
    means("model.flavor", "_flavor"),
    means("model_spec.name", "_name"),
    means("model_spec.flavor", "_flavor"),
    means("training.batch_size", "_local_batch"),
    means("training.local_batch_size", "_local_batch"),
    means("training.global_batch_size", "global-batch", "-1=|*=*"),
    means("training.seq_len", "sequence"),
    means("parallelism.tensor_parallel_degree", "tp"),
    means("training.tensor_parallel_degree", "tp"),
    means("parallelism.pipeline_parallel_degree", "pp"),
    means("training.pipeline_parallel_degree", "pp"),
    means("experimental.pipeline_parallel_degree", "pp"),
    means("parallelism.context_parallel_degree", "cp"),
    means("experimental.context_parallel_degree", "cp"),
    means("parallelism.expert_parallel_degree", "ep"),
    means("parallelism.expert_tensor_parallel_degree", "etp"),
    means("parallelism.data_parallel_shard_degree", "_shard", "-1=|*=*"),
    means("training.data_parallel_shard_degree", "_shard", "-1=|*=*"),
    means("training.data_parallel_degree", "_shard", "-1=|*=*"),
    means("parallelism.data_parallel_replicate_degree", "_replicate"),
    means("training.data_parallel_replicate_degree", "_replicate"),
    means("training.data_parallel_type", "_data_parallel"),
    means("parallelism.fsdp_reshard_after_forward", "reshard", "always=on|never=off|default="),
    means("parallelism.context_parallel_rotate_method", "cp-exchange",
          "allgather=all_gather|alltoall=ring"),
    means("experimental.context_parallel_rotate_method", "cp-exchange",
          "allgather=all_gather|alltoall=ring"),
    means("parallelism.pipeline_parallel_schedule", "_schedule"),
    means("experimental.pipeline_parallel_schedule", "_schedule"),
    means("parallelism.pipeline_parallel_microbatch_size", "_microbatch"),
    means("experimental.pipeline_parallel_microbatches", "_microbatches"),
    means("parallelism.enable_async_tensor_parallel", "_overlap_tensor", kIfTrue),
    means("experimental.enable_async_tensor_parallel", "_overlap_tensor", kIfTrue),
    means("training.compile", "_compile", kIfTrue),
    means("compile.enable", "_compile", kIfTrue),
    means("activation_checkpoint.mode", "_mode"),
    means("activation_checkpoint.selective_ac_option", "_option"),
    means("training.fp8_linear", "precision", "null=|false=|dynamic=fp8|true=fp8"),
    means("float8.enable_float8_linear", "precision", "true=fp8|false="),
    means("float8.enable_fsdp_float8_all_gather", "weight-precision", "true=fp8|false="),
    means("float8.recipe_name", "_recipe"),
    means("quantize.linear.float8.enable_fsdp_float8_all_gather", "weight-precision",
          "true=fp8|false="),
    means("quantize.linear.float8.recipe_name", "_recipe"),
    means("quantize.dense.float8.enable_fsdp_float8_all_gather", "weight-precision",
          "true=fp8|false="),
    means("quantize.dense.float8.recipe_name", "_recipe"),
    means("model.converters.*", "_converter"),
    means("training.mixed_precision_reduce", "gradient-precision", "float32=fp32|bfloat16=bf16"),
    means("training.enable_cpu_offload", "offload-weights", kOnOff),
    means("optimizer.name", "optimizer", "adamw=adamw|adam=adamw"),
    means("optimizer.implementation", "_optimizer", "fused=adamw|foreach=adamw-foreach"),
    means("optimizer.fused", "_optimizer", "true=adamw|false=adamw-foreach"),
    unmodelled("optimizer.early_step_in_backward"),
    unmodelled("training.mixed_precision_param", "bfloat16"),
    unmodelled("training.dtype", "float32"),
    unmodelled("profiling.enable_profiling"),
    unmodelled("profiling.enable_memory_snapshot"),
    unmodelled("checkpoint.enable_checkpoint"),
    unmodelled("checkpoint.enable"),
    unmodelled("validation.enable"),
    unmodelled("validation.enabled"),
    unmodelled("parallelism.disable_loss_parallel"),
    unmodelled("training.enable_loss_parallel", "true"),
    unmodelled("fault_tolerance.enable"),
    unmodelled("memory_estimation.enabled", "false"),
    unmodelled("parallelism.module_fqns_per_model_part"),
    unmodelled("parallelism.pipeline_parallel_split_points"),
    unmodelled("experimental.pipeline_parallel_split_points"),
    unmodelled("parallelism.expert_parallel_comm_backend", "standard"),
    unmodelled("activation_checkpoint.early_stop"),
    unmodelled("model.use_flex_attn"),
    unmodelled("quantize.*.mx.*"),
    harmless("model.norm_type"),
    harmless("model.tokenizer_path"),
    harmless("model.hf_assets_path"),
    harmless("model.print_after_conversion"),
    harmless("training.steps"),
    harmless("training.warmup_steps"),
    harmless("training.max_norm"),
    harmless("training.dataset"),
    harmless("training.dataset_path"),
    harmless("training.seed"),
    harmless("training.deterministic"),
    harmless("training.gc_freq"),
    harmless("activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns*"),
    harmless("activation_checkpoint.selective_*"),
    harmless("float8.*"),
    harmless("quantize.linear.float8.*"),
    harmless("quantize.dense.float8.*"),
    harmless("float8.filter_fqns*"),
    harmless("float8.filter_fqns.*"),
    harmless("quantize.linear.float8.filter_fqns*"),
    harmless("quantize.linear.float8.filter_fqns.*"),
    harmless("compile.components.*"),
    harmless("compile.backend"),
    harmless("job.*"),
    harmless("metrics.*"),
    harmless("profiling.*"),
    harmless("optimizer.*"),
    harmless("lr_scheduler.*"),
    harmless("checkpoint.*"),
    harmless("comm.*"),
    harmless("validation.*"),
    harmless("debug.*"),
    harmless("memory_estimation.*"),
    harmless("fault_tolerance.*"),
    harmless("tokenizer.*"),
};

void derive_torchtitan_precision(Facts& facts) {
  const Fact* recipe = facts.find("_recipe");
  const std::string converter = facts.text("_converter");
  const bool is_fp8 = recipe != nullptr || converter.find("float8") != std::string::npos;
  if (!is_fp8) return;
  const std::string_view from = recipe != nullptr ? "_recipe" : "_converter";
  const std::string name = facts.text("_recipe", "tensorwise");
  if (name == "rowwise") return facts.derive("precision", "fp8-rowwise", from);
  if (name == "rowwise_with_gw_hp") return facts.derive("precision", "fp8-rowwise-gw-hp", from);
  facts.derive("precision", "fp8", from);
}

void derive_recomputing(Facts& facts) {
  const std::string mode = facts.text("_mode", "none"), option = facts.text("_option", "2");
  if (mode == "none" || mode == "full") {
    facts.derive("recompute", mode, "_mode");
  } else if (mode == "selective" && (option == "op" || option == "1")) {
    facts.derive("recompute", option == "1" ? "full" : "alternate", "_option");
  } else {
    facts.derive("recompute", "full", "_mode");
    facts.warn(facts.has("_option") ? "_option" : "_mode",
               "recomputes only some layers; taken as all of them");
  }
}

// A pipeline takes a rank's batch in micro-batches of its own.
void derive_torchtitan_batch(Facts& facts) {
  const std::int64_t batch = facts.count_or("_local_batch", 1);
  const std::int64_t stages = facts.count_or("pp", 1);
  if (!facts.has("_local_batch") && stages == 1) return;
  std::int64_t micro = batch;
  if (stages > 1) {
    micro = facts.count_or("_microbatch", 1);
    if (const auto count = facts.count("_microbatches"))
      micro = std::max<std::int64_t>(batch / *count, 1);
  }
  facts.derive("micro-batch", std::to_string(micro), "_local_batch");
  if (facts.has("global-batch")) return;
  if (batch > micro) facts.derive("accumulation", std::to_string(batch / micro), "_local_batch");
}

void derive_schedule(Facts& facts) {
  if (facts.count_or("pp", 1) == 1) return;
  const std::string schedule = facts.text("_schedule", "1F1B");
  if (schedule == "Interleaved1F1B") return facts.derive("virtual-stages", "2", "_schedule");
  if (schedule != "1F1B") facts.warn("_schedule", "another order of stages; taken as 1F1B");
}

void derive_torchtitan(Facts& facts) {
  const std::int64_t shard = facts.count_or("_shard", 0);
  const std::int64_t copies = facts.count_or("_replicate", 1);
  const bool sharded = !facts.is("_data_parallel", "ddp") && !(copies > 1 && shard == 1);
  facts.assume("zero", sharded ? "3" : "0",
               sharded ? "FSDP2 shards whatever else is left" : "copies without shards: DDP");
  if (sharded && copies > 1 && shard > 0)
    facts.derive("hybrid-shard", std::to_string(shard), "_shard");
  if (shard > 0) facts.derive("_dp", std::to_string(shard * copies), "_shard");
  const bool compiles = facts.is("_compile", "true");
  facts.set("stack",
            {compiles ? "torch-compile" : "torch-eager", "it compiles nothing unless told", {}});
  if (compiles) facts.derive("stack", "torch-compile", "_compile");
  facts.assume("sequence-parallel", "on", "tensor parallelism comes with it");
  if (facts.is("_overlap_tensor", "true")) {
    facts.derive("overlap", sharded ? "gradients,weights,tensor" : "gradients,tensor",
                 "_overlap_tensor");
  }
  if (facts.has("_optimizer")) facts.derive("optimizer", facts.text("_optimizer"), "_optimizer");
  if (facts.is("offload-weights", "on")) {
    facts.derive("optimizer-state", "host", "offload-weights");
  } else {
    facts.forget("offload-weights");
  }
  facts.assume("gradient-precision", "fp32", "FSDP2 reduces in FP32 unless told");
  derive_torchtitan_precision(facts);
  derive_recomputing(facts);
  derive_torchtitan_batch(facts);
  derive_schedule(facts);
}

}  // namespace

constinit const Framework torchtitan{
    .name = "torchtitan",
    .title = "a torchtitan TOML",
    .source =
        "github.com/pytorch/torchtitan: config_manager.py, job_config.py, parallelize_llama.py",
    .marks = kTorchtitanMarks,
    .keys = kTorchtitanKeys,
    .shared = {},
    .derive = derive_torchtitan};

}  // namespace sim::launch::frameworks
