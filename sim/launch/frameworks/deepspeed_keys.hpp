// SPDX-License-Identifier: Apache-2.0
// DeepSpeed's JSON beside the arguments of Hugging Face's Trainer, and what both say of FSDP.
#pragma once

#include <string_view>

#include "sim/launch/framework.hpp"

namespace sim::launch::frameworks {

inline constexpr std::string_view kShardings =
    "full_shard=3|shard_grad_op=2|hybrid_shard=3|no_shard=0|1=3|2=2|3=0|4=3|true=3|auto_wrap=|"
    "offload=|false=|null=";

// Keys of a DeepSpeed JSON, below "deepspeed.", and of FSDP as Accelerate has them.
inline constexpr KeyRow kDeepSpeedKeys[] = {
    means("deepspeed.zero_optimization.stage", "_stage"),
    means("deepspeed.zero_optimization.overlap_comm", "_overlap", "true=true|false=false|auto="),
    means("deepspeed.zero_optimization.reduce_bucket_size", "_bucket", "auto=|*=*"),
    means("deepspeed.zero_optimization.offload_optimizer.device", "_offload_optimizer",
          "cpu=true|none="),
    means("deepspeed.zero_optimization.offload_param.device", "_offload_weights", "cpu=true|none="),
    means("deepspeed.zero_optimization.zero_hpz_partition_size", "_hpz", "1=|*=*"),
    means("deepspeed.train_micro_batch_size_per_gpu", "_ds_micro", "auto=|*=*"),
    means("deepspeed.gradient_accumulation_steps", "_ds_accumulation", "auto=|*=*"),
    means("deepspeed.train_batch_size", "_ds_batch", "auto=|*=*"),
    means("deepspeed.communication_data_type", "gradient-precision",
          "fp32=fp32|bf16=bf16|fp16=bf16"),
    means("deepspeed.optimizer.type", "optimizer", "adam=adamw|adamw=adamw|muon=muon"),
    unmodelled("deepspeed.zero_optimization.zero_quantized_*"),
    unmodelled("deepspeed.zero_optimization.reduce_scatter", "true"),
    unmodelled("deepspeed.zero_optimization.sub_group_size", "1e9|1000000000.0|1000000000|auto"),
    unmodelled("deepspeed.zero_optimization.stage3_max_live_parameters",
               "1e9|1e+9|1000000000.0|1000000000|auto"),
    unmodelled("deepspeed.zero_optimization.stage3_param_persistence_threshold", "auto|1e5|1e6"),
    unmodelled("deepspeed.zero_optimization.stage3_prefetch_bucket_size", "auto"),
    unmodelled("deepspeed.activation_checkpointing.*"),
    unmodelled("deepspeed.tensor_parallel.autotp_size", "0|1"),
    unmodelled("deepspeed.wall_clock_breakdown"),
    unmodelled("deepspeed.flops_profiler.enabled"),
    unmodelled("deepspeed.compression_training.*"),
    unmodelled("deepspeed.zero_force_ds_cpu_optimizer", "true|false"),
    unmodelled("deepspeed.compile.deepcompile"),
    harmless("deepspeed.*"),
    means("fsdp", "_fsdp", kShardings),
    means("fsdp.0", "_fsdp", kShardings),
    means("fsdp.1", "_fsdp_more"),
    means("fsdp.2", "_fsdp_more"),
    means("fsdp_version", "_fsdp2", "2=true|1="),
    means("fsdp_config.fsdp_version", "_fsdp2", "2=true|1="),
    means("fsdp_config.version", "_fsdp2", "2=true|1="),
    means("fsdp_config.fsdp_sharding_strategy", "_fsdp", kShardings),
    means("fsdp_config.fsdp_offload_params", "_offload", kIfTrue),
    means("fsdp_config.offload_params", "_offload", kIfTrue),
    means("fsdp_config.fsdp_reshard_after_forward", "_reshard",
          "true=on|false=off|full_shard=on|shard_grad_op=off"),
    means("fsdp_config.reshard_after_forward", "_reshard", "true=on|false=off"),
    means("fsdp_config.fsdp_backward_prefetch", "backward-prefetch",
          "backward_pre=pre|backward_post=post|no_prefetch=post"),
    means("fsdp_config.backward_prefetch", "backward-prefetch",
          "backward_pre=pre|backward_post=post"),
    means("fsdp_config.fsdp_activation_checkpointing", "_fsdp_recompute", "true=full|false="),
    means("fsdp_config.activation_checkpointing", "_fsdp_recompute", "true=full|false="),
    unmodelled("fsdp_config.fsdp_forward_prefetch"),
    unmodelled("fsdp_config.forward_prefetch"),
    unmodelled("fsdp_config.fsdp_limit_all_gathers", "true"),
    unmodelled("fsdp_config.limit_all_gathers", "true"),
    harmless("fsdp_config.*"),
};

// Sharding, overlap, precision and offloading of either; without both, DistributedDataParallel.
void derive_trainer(Facts& facts);

}  // namespace sim::launch::frameworks
