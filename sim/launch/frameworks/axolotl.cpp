// SPDX-License-Identifier: Apache-2.0
// axolotl's YAML.
#include <string>

#include "sim/launch/frameworks/deepspeed_keys.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kAxolotlMarks[] = {"base_model", "sample_packing"};

constexpr KeyRow kAxolotlKeys[] = {
    means("base_model", "_model"),
    means("sequence_len", "sequence"),
    means("sample_packing", "_packing", "true=true|false=false"),
    means("micro_batch_size", "micro-batch"),
    means("gradient_accumulation_steps", "accumulation"),
    means("batch_size", "_batch"),
    means("optimizer", "_optimizer"),
    harmless("bf16"),
    harmless("fp16"),
    harmless("bfloat16"),
    harmless("float16"),
    means("gradient_checkpointing", "recompute", "true=full|false=none|unsloth=full|offload=full"),
    means("flash_attention", "attention", "true=flash2|false="),
    means("sdp_attention", "attention", "true=sdpa|false="),
    means("attn_implementation", "attention",
          "flash_attention_2=flash2|flash_attention_3=flash3|sdpa=sdpa|eager=unfused"),
    means("torch_compile", "_compile", "true=true|false=|auto="),
    means("tensor_parallel_size", "tp"),
    means("context_parallel_size", "cp"),
    means("sequence_parallel_degree", "cp"),
    means("dp_shard_size", "_shard"),
    means("dp_replicate_size", "_replicate"),
    means("adapter", "_adapter"),
    means("liger_fused_linear_cross_entropy", "loss", "true=fused|false="),
    means("fp8", "precision", "true=fp8|false="),
    unmodelled("load_in_8bit"),
    unmodelled("load_in_4bit"),
    unmodelled("liger_rope"),
    unmodelled("liger_rms_norm"),
    unmodelled("liger_glu_activation"),
    unmodelled("liger_swiglu"),
    unmodelled("liger_layer_norm"),
    unmodelled("liger_cross_entropy"),
    unmodelled("cut_cross_entropy"),
    unmodelled("evals_per_epoch"),
    unmodelled("eval_steps"),
    unmodelled("val_set_size", "0|0.0|null"),
    unmodelled("unfrozen_parameters.*"),
    unmodelled("lora_qkv_kernel"),
    unmodelled("lora_o_kernel"),
    unmodelled("lora_mlp_kernel"),
    unmodelled("layer_offloading"),
    unmodelled("activation_offloading"),
    unmodelled("relora*"),
    unmodelled("group_by_length"),
    unmodelled("xformers_attention"),
    unmodelled("flash_attn_*"),
    unmodelled("quantize_moe_experts"),
    unmodelled("eager_attention"),
    unmodelled("flex_attention"),
    harmless("flash_attn_rms_norm"),
    harmless("lora_*"),
    harmless("lora_*.*"),
    harmless("peft*"),
    harmless("peft_*.*"),
    unmodelled("plugins.*", "axolotl.integrations.liger.ligerplugin|null"),
    unmodelled("gptq*"),
    unmodelled("trl.*"),
    unmodelled("ebft.*"),
    unmodelled("qat.*"),
    unmodelled("use_kernels"),
    unmodelled("use_scattermoe"),
    unmodelled("max_packed_sequence_len"),
    harmless("eot_tokens.*"),
    harmless("processor_type"),
    harmless("torchdistx_path"),
    harmless("push_dataset_to_hub"),
    harmless("base_model_config"),
    harmless("hub_*"),
    harmless("hf_*"),
    harmless("is_*"),
    harmless("model_type"),
    harmless("tokenizer_*"),
    harmless("trust_remote_code"),
    harmless("strict"),
    harmless("chat_template*"),
    harmless("datasets"),
    harmless("datasets.*.*"),
    harmless("datasets.*"),
    harmless("test_datasets.*"),
    harmless("pretraining_dataset*"),
    harmless("pretraining_dataset.*"),
    harmless("dataset_*"),
    harmless("default_system_message"),
    harmless("rl"),
    harmless("output_dir"),
    harmless("pad_to_sequence_len"),
    harmless("eval_*"),
    harmless("do_*"),
    harmless("wandb_*"),
    harmless("mlflow_*"),
    harmless("num_epochs"),
    harmless("max_steps"),
    harmless("lr_scheduler*"),
    harmless("lr_*"),
    harmless("learning_rate"),
    harmless("cosine_*"),
    harmless("tf32"),
    harmless("train_on_inputs"),
    harmless("gradient_checkpointing_kwargs.*"),
    harmless("early_stopping_patience"),
    harmless("resume_from_checkpoint"),
    harmless("local_rank"),
    harmless("logging_steps"),
    harmless("loss_watchdog_*"),
    harmless("warmup_*"),
    harmless("saves_per_epoch"),
    harmless("save_*"),
    harmless("debug"),
    harmless("weight_decay"),
    harmless("max_grad_norm"),
    harmless("adam_*"),
    harmless("special_tokens"),
    harmless("special_tokens.*"),
    harmless("tokens"),
    harmless("tokens.*"),
    harmless("shuffle_merged_datasets"),
    harmless("seed"),
    harmless("auto_resume_from_checkpoints"),
    harmless("ddp_*"),
    harmless("deepspeed"),
    harmless("fsdp_config"),
    harmless("group_by_*"),
    harmless("use_tensorboard"),
    harmless("remove_unused_columns"),
    harmless("roundup_*"),
    harmless("overrides_of_model_*.*"),
    harmless("skip_*"),
};

void derive_axolotl_optimizer(Facts& facts) {
  const std::string name = facts.text("_optimizer", "adamw_torch_fused");
  if (name == "adamw_torch_fused") return facts.derive("optimizer", "adamw", "_optimizer");
  if (name == "muon") return facts.derive("optimizer", "muon", "_optimizer");
  if (name != "adamw_torch") facts.warn("_optimizer", "taken as AdamW with its states in FP32");
}

void derive_axolotl(Facts& facts) {
  if (facts.has("_adapter")) facts.warn("_adapter", "trains an adapter; taken as the whole model");
  if (!facts.is("_packing", "true") && facts.has("sequence")) {
    facts.warn("sequence", "the longest sequence: without packing, most are shorter");
  }
  if (const auto batch = facts.count("_batch"); batch && !facts.has("accumulation")) {
    const std::int64_t micro = facts.count_or("micro-batch", 1);
    if (*batch % micro == 0) facts.derive("accumulation", std::to_string(*batch / micro), "_batch");
  }
  facts.assume("recompute", "none", "no gradient checkpointing");
  derive_axolotl_optimizer(facts);
  derive_trainer(facts);
  const std::int64_t shard = facts.count_or("_shard", 0), copies = facts.count_or("_replicate", 1);
  if (shard > 0) facts.derive("_dp", std::to_string(shard * copies), "_shard");
  if (shard > 0 && copies > 1 && facts.is("zero", "3")) {
    facts.derive("hybrid-shard", std::to_string(shard), "_shard");
  }
}

}  // namespace

constinit const Framework axolotl{
    .name = "axolotl",
    .title = "an axolotl YAML",
    .source =
        "github.com/axolotl-ai-cloud/axolotl: src/axolotl/utils/schemas; "
        "huggingface/transformers: training_args.py; deepspeedai/DeepSpeed: zero/config.py",
    .marks = kAxolotlMarks,
    .keys = kAxolotlKeys,
    .shared = kDeepSpeedKeys,
    .derive = derive_axolotl};

}  // namespace sim::launch::frameworks
