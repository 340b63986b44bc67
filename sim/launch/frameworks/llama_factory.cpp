// SPDX-License-Identifier: Apache-2.0
// LLaMA-Factory's YAML, and arguments of Hugging Face's Trainer in general.
#include <string>

#include "sim/launch/frameworks/deepspeed_keys.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kFactoryMarks[] = {"per_device_train_batch_size", "finetuning_type",
                                              "deepspeed.zero_optimization.stage"};

constexpr KeyRow kFactoryKeys[] = {
    means("model_name_or_path", "_model"),
    means("per_device_train_batch_size", "micro-batch"),
    means("gradient_accumulation_steps", "accumulation"),
    means("cutoff_len", "sequence"),
    means("model_max_length", "sequence"),
    means("max_seq_length", "sequence"),
    means("max_length", "sequence"),
    means("block_size", "sequence"),
    means("packing", "_packing", "true=true|false=false"),
    means("neat_packing", "_packing", "true=true|false="),
    means("finetuning_type", "_finetuning"),
    means("template", "_template"),
    means("disable_gradient_checkpointing", "_disabled", kIfTrue),
    means("gradient_checkpointing", "_recompute", "true=full|false=none"),
    means("flash_attn", "attention", "fa2=flash2|fa3=flash3|sdpa=sdpa|disabled=unfused|auto="),
    means("attn_implementation", "attention",
          "flash_attention_2=flash2|flash_attention_3=flash3|sdpa=sdpa|eager=unfused"),
    means("optim", "optimizer",
          "adamw_torch=|adamw_torch_fused=adamw|adamw_hf=adamw-foreach|muon=muon"),
    means("use_muon", "optimizer", "true=muon|false="),
    means("torch_compile", "_compile", kIfTrue),
    means("fp8", "precision", "true=fp8|false="),
    means("fp8_enable_fsdp_float8_all_gather", "weight-precision", "true=fp8|false="),
    harmless("bf16"),
    harmless("fp16"),
    means("pure_bf16", "optimizer-precision", "true=bf16|false="),
    means("nnodes", "_nnodes"),
    means("num_nodes", "_nodes"),
    means("num_gpus", "_gpus_per_node"),
    means("nproc_per_node", "_nproc"),
    unmodelled("use_unsloth"),
    unmodelled("enable_liger_kernel"),
    unmodelled("use_liger_kernel"),
    unmodelled("quantization_bit"),
    unmodelled("load_in_4bit"),
    unmodelled("load_in_8bit"),
    unmodelled("use_galore"),
    unmodelled("use_badam"),
    unmodelled("use_apollo"),
    unmodelled("freeze_*", "false|0|null|true"),
    unmodelled("use_peft"),
    unmodelled("lora_r", "0"),
    unmodelled("shift_attn"),
    unmodelled("mixture_of_depths"),
    unmodelled("group_by_length"),
    unmodelled("eval_strategy", "no|null|false"),
    unmodelled("sequence_parallel_size", "1"),
    harmless("fp8_*"),
    harmless("fsdp_transformer_layer_cls_to_wrap"),
    harmless("lora_*"),
    harmless("pissa_*"),
    harmless("trust_remote_code"),
    harmless("image_*"),
    harmless("video_*"),
    harmless("stage"),
    harmless("do_*"),
    harmless("dataset*"),
    harmless("dataset*.*"),
    harmless("data_*"),
    harmless("media_dir"),
    harmless("mix_strategy"),
    harmless("interleave_probs"),
    harmless("tokenized_path"),
    harmless("max_samples"),
    harmless("overwrite_*"),
    harmless("preprocessing_*"),
    harmless("dataloader_*"),
    harmless("output_dir"),
    harmless("logging_*"),
    harmless("save_*"),
    harmless("plot_loss"),
    harmless("report_to*"),
    harmless("run_name"),
    harmless("learning_rate"),
    harmless("num_train_epochs"),
    harmless("max_steps"),
    harmless("lr_scheduler*"),
    harmless("warmup_*"),
    harmless("weight_decay"),
    harmless("max_grad_norm"),
    harmless("adam_*"),
    harmless("seed"),
    harmless("ddp_timeout"),
    harmless("ddp_*"),
    harmless("resume_from_checkpoint"),
    harmless("eval_*"),
    harmless("val_size"),
    harmless("per_device_eval_batch_size"),
    harmless("evaluation_strategy"),
    harmless("bf16_full_eval"),
    harmless("tf32"),
    harmless("rope_scaling"),
    harmless("use_fast_tokenizer"),
    harmless("pref_*"),
    harmless("compute_accuracy"),
    harmless("load_best_model_at_end"),
    harmless("metric_for_best_model"),
    harmless("hub_*"),
    harmless("push_to_hub*"),
    harmless("remove_unused_columns"),
    harmless("gradient_checkpointing_kwargs.*"),
    harmless("include_*"),
    harmless("deepspeed"),
    harmless("ray_*"),
    harmless("resources_per_worker.*"),
    harmless("placement_strategy"),
    harmless("master_*"),
    harmless("node_rank"),
    harmless("rdzv_*"),
    harmless("torch_dtype"),
    harmless("chat_template*"),
    harmless("system_prompt"),
    harmless("enable_thinking"),
    harmless("$*"),
};

void derive_llama_factory(Facts& facts) {
  const bool of_factory = facts.has("_finetuning") || facts.has("_template");
  const std::string kind = facts.text("_finetuning", "full");
  if (kind != "full") facts.warn("_finetuning", "trains a part of the model; taken as all of it");
  if (facts.has("_recompute")) {
    facts.derive("recompute", facts.text("_recompute"), "_recompute");
  } else {
    const bool on = of_factory && !facts.is("_disabled", "true");
    facts.assume("recompute", on ? "full" : "none",
                 on ? "LLaMA-Factory recomputes unless told" : "no gradient checkpointing");
  }
  if (!facts.is("_packing", "true") && facts.has("sequence")) {
    facts.warn("sequence", "the longest sequence: without packing, most are shorter");
  }
  derive_trainer(facts);
}

}  // namespace

constinit const Framework llama_factory{
    .name = "LLaMA-Factory",
    .title = "LLaMA-Factory's or Hugging Face Trainer's arguments",
    .source =
        "github.com/hiyouga/LLaMA-Factory: src/llamafactory/hparams; "
        "huggingface/transformers: training_args.py; deepspeedai/DeepSpeed: zero/config.py",
    .marks = kFactoryMarks,
    .keys = kFactoryKeys,
    .shared = kDeepSpeedKeys,
    .derive = derive_llama_factory};

}  // namespace sim::launch::frameworks
