// SPDX-License-Identifier: Apache-2.0
// NeMo's YAML of Megatron models, and recipes made of it.
#include <string>

#include "sim/launch/frameworks/derive.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch::frameworks {
namespace {

constexpr std::string_view kNemoMarks[] = {"model.tensor_model_parallel_size", "trainer.num_nodes",
                                           "model.encoder_seq_length",
                                           "model.pipeline_model_parallel_size"};

constexpr KeyRow kNemoKeys[] = {
    means("trainer.num_nodes", "_nodes"),
    means("trainer.devices", "_devices"),
    unmodelled("trainer.precision", "bf16|16|bf16-mixed|16-mixed"),
    means("model.micro_batch_size", "micro-batch"),
    means("model.global_batch_size", "global-batch"),
    means("model.tensor_model_parallel_size", "tp"),
    means("model.pipeline_model_parallel_size", "pp"),
    means("model.virtual_pipeline_model_parallel_size", "virtual-stages"),
    means("model.context_parallel_size", "cp"),
    means("model.expert_model_parallel_size", "ep"),
    means("model.expert_tensor_parallel_size", "etp"),
    means("model.sequence_parallel", "sequence-parallel", kOnOff),
    means("model.encoder_seq_length", "_encoder_sequence"),
    means("model.seq_length", "_encoder_sequence"),
    means("model.data.seq_length", "sequence"),
    means("model.num_layers", "model.layers"),
    means("model.hidden_size", "model.hidden"),
    means("model.ffn_hidden_size", "model.feed_forward"),
    means("model.num_attention_heads", "model.heads"),
    means("model.num_query_groups", "model.kv_heads"),
    means("model.kv_channels", "model.head_width"),
    means("model.activation", "model.feed_forward_kind",
          "gelu=gelu|swiglu=swiglu|fast-swiglu=swiglu|squared-relu=squared_relu|geglu=geglu|"
          "fast-geglu=geglu"),
    means("model.normalization", "model.norm",
          "layernorm=layer_norm|layernorm1p=layer_norm|rmsnorm=rms_norm|"
          "low_precision_layernorm=layer_norm"),
    means("model.position_embedding_type", "model.positions",
          "learned_absolute=learned|rope=rotary|alibi=alibi|none=none"),
    means("model.rotary_percentage", "model.rotary_share"),
    means("model.max_position_embeddings", "_positions"),
    means("model.bias", "_biased"),
    means("model.share_embeddings_and_output_weights", "model.tied_embeddings",
          "true=true|false=false"),
    means("model.hidden_dropout", "_hidden_dropout"),
    means("model.attention_dropout", "_attention_dropout"),
    means("model.make_vocab_size_divisible_by", "_divisible"),
    means("model.tokenizer.type", "_tokenizer"),
    means("model.tokenizer."
          "library",
          "_library"),
    means("model.num_moe_experts", "model.experts.count"),
    means("model.moe_router_topk", "model.experts.top_k"),
    means("model.moe_ffn_hidden_size", "model.experts.width"),
    means("model.activations_checkpoint_granularity", "_granularity",
          "selective=selective|full=full"),
    means("model.activations_checkpoint_method", "_recompute_method"),
    means("model.activations_checkpoint_num_layers", "_recompute_layers"),
    means("model.use_flash_attention", "_flash", kIfTrue),
    means("model.transformer_engine", "_engine", kIfTrue),
    means("model.mcore_gpt", "_engine", kIfTrue),
    means("model.cross_entropy_loss_fusion", "loss", "true=fused|false=unfused"),
    means("model.ub_tp_comm_overlap", "_overlap_tensor", kIfTrue),
    means("model.overlap_p2p_comm", "_overlap_pipeline", kIfTrue),
    means("model.megatron_amp_O2", "_o2", kIfTrue),
    means("model.fp8", "precision", "true=fp8|false="),
    unmodelled("model.fp8_params"),
    means("model.optim.name", "_optimizer"),
    means("model.optim.overlap_grad_sync", "_overlap_gradients", kIfTrue),
    means("model.optim.overlap_param_sync", "_overlap_weights", kIfTrue),
    means("model.optim.grad_sync_dtype", "gradient-precision",
          "bf16=bf16|fp32=fp32|bfloat16=bf16|float32=fp32|torch.bfloat16=bf16"),
    means("model.optim.bucket_cap_mb", "_bucket_mb"),
    means("model.enable_cuda_graph", "cuda-graphs", "true=on|false="),
    unmodelled("model.rampup_batch_size"),
    unmodelled("model.num_micro_batches_with_partial_activation_checkpoints"),
    unmodelled("model.activations_checkpoint_layers_per_pipeline"),
    unmodelled("model.cpu_offloading"),
    unmodelled("model.sharp", "false|0|null"),
    unmodelled("trainer.use_profiler"),
    unmodelled("model.nsys_profile.enabled"),
    unmodelled("model.fp8_dot_product_attention"),
    unmodelled("model.fp8_multi_head_attention"),
    unmodelled("model.data.dynamic_sequence*"),
    unmodelled("model.peft.peft_scheme"),
    unmodelled("trainer.accumulate_grad_batches", "1"),
    unmodelled("trainer.replace_sampler_ddp", "false|null"),
    unmodelled("model.pipeline_model_parallel_split_rank", "0|null"),
    unmodelled("model.moe_token_dispatcher_type", "alltoall|null"),
    unmodelled("model.deterministic_mode"),
    unmodelled("model.fsdp"),
    unmodelled("model.fsdp_sharding_strategy", "full|null"),
    unmodelled("model.seq_len_interpolation_factor", "null"),
    unmodelled("model.gradient_accumulation_fusion", "true|false"),
    unmodelled("model.sync_batch_comm"),
    unmodelled("model.use_te_rng_tracker", "true|false"),
    harmless("model.init_method_std"),
    harmless("model.use_scaled_init_method"),
    harmless("model.layernorm_epsilon"),
    harmless("model.pre_process"),
    harmless("model.post_process"),
    harmless("model.persist_layer_norm"),
    harmless("model.grad_*"),
    harmless("model.gradient_as_bucket_view"),
    harmless("model.bias_activation_fusion"),
    harmless("model.bias_dropout_add_fusion"),
    harmless("model.masked_softmax_fusion"),
    harmless("model.get_attention_mask_from_fusion"),
    harmless("model.apply_rope_fusion"),
    harmless("model.apply_query_key_layer_scaling"),
    harmless("model.do_layer_norm_weight_decay"),
    harmless("model.normalize_attention_scores"),
    harmless("model.headscale"),
    harmless("model.transformer_block_type"),
    harmless("model.openai_gelu"),
    harmless("model.onnx_safe"),
    harmless("model.hysteresis"),
    harmless("model.native_amp_*"),
    harmless("model.fp16_*"),
    harmless("model.fp32_*"),
    harmless("model.fp8_*"),
    harmless("model.reduce_amax"),
    harmless("model.use_emha"),
    harmless("model.ub_tp_comm_overlap_cfg*"),
    harmless("model.seed"),
    harmless("model.resume_from_checkpoint"),
    harmless("model.restore_from_path"),
    harmless("model.use_cpu_initialization"),
    harmless("model.attention_type"),
    harmless("model.share_token_embeddings"),
    harmless("model.legacy"),
    harmless("model.skip_*"),
    unmodelled("model.tp_comm_atomic_*"),
    harmless("model.moe_*"),
    harmless("model.rotary_base"),
    harmless("model.precision"),
    harmless("model.layernorm_*"),
    harmless("model.fsdp_*"),
    harmless("model.mcore_customization_config.*"),
    harmless("model.ffn_dropout"),
    harmless("model.apex_*"),
    unmodelled("model.async_grad_allreduce"),
    unmodelled("model.inductor*"),
    unmodelled("model.mm_cfg.*"),
    unmodelled("model.unet.*"),
    unmodelled("model.encoder.*"),
    unmodelled("model.channels_last"),
    harmless("model.megatron_legacy"),
    harmless("model.name"),
    harmless("model.gc_interval"),
    harmless("model.dist_ckpt_*"),
    harmless("model.vocab_file"),
    harmless("model.batch_p2p_comm"),
    harmless("model.nsys_profile.*"),
    harmless("model.tokenizer.*"),
    harmless("model.data.*"),
    harmless("model.optim.*"),
    harmless("trainer.*"),
    harmless("exp_manager.*"),
    harmless("run.*"),
    harmless("run"),
    harmless("name"),
    harmless("defaults.*"),
    harmless("hydra.*"),
    harmless("restore_from_path"),
};

void derive_nemo_model(Facts& facts) {
  if (!facts.has("model.layers")) return;
  facts.assume("model.feed_forward_kind", "gelu", "GELU unless told");
  facts.assume("model.norm", "layer_norm", "layer norm unless told");
  facts.assume("model.positions", "learned", "learned positions unless told");
  if (facts.is("model.positions", "learned") && facts.has("_positions")) {
    facts.derive("model.position_table", facts.text("_positions"), "_positions");
  }
  if (!facts.is("model.positions", "rotary")) facts.forget("model.rotary_share");
  const bool biased = !facts.is("_biased", "false") && !facts.is("_biased", "False");
  facts.assume("model.biases", biased ? "all" : "none", "biases unless told");
  facts.assume("model.tied_embeddings", "true", "tied embeddings unless told");
  derive_dropout(facts, "0.1", "dropout of 0.1 unless told");
  derive_sizes(facts);
  if (facts.has("model.experts.count")) {
    if (!facts.has("model.experts.width")) {
      facts.derive("model.experts.width", facts.text("model.feed_forward"), "model.feed_forward");
    }
    facts.forget("model.feed_forward");
  }
  const std::string tokenizer = facts.text("_tokenizer"),
                    library = facts.text("_library", "megatron");
  if (tokenizer.starts_with("GPT2BPE") || (tokenizer.empty() && library == "megatron")) {
    derive_vocabulary(facts, 50257, 128, "the 50257 words of GPT-2's tokenizer, padded");
  }
}

void derive_nemo(Facts& facts) {
  derive_nodes(facts, {"_nodes"}, {"_devices"});
  if (!facts.has("sequence") && facts.has("_encoder_sequence")) {
    facts.derive("sequence", facts.text("_encoder_sequence"), "_encoder_sequence");
  }
  const bool sharded = facts.text("_optimizer").find("distributed") != std::string::npos;
  if (sharded) facts.derive("zero", "1", "_optimizer");
  facts.assume("zero", "0", "no distributed optimizer");
  derive_overlap(facts, "no key asks for overlap");
  derive_recompute(facts);
  if (facts.is("_engine", "true")) {
    facts.assume("attention", "fused", "Transformer Engine's attention");
  } else if (facts.is("_flash", "true")) {
    facts.derive("attention", "flash2", "_flash");
  }
  facts.assume("attention", "unfused", "neither flash attention nor Transformer Engine");
  facts.assume("loss", "unfused", "the loss is not fused unless told");
  facts.assume("gradient-precision", facts.is("_o2", "true") ? "bf16" : "fp32",
               facts.is("_o2", "true") ? "O2 reduces gradients in the model's precision"
                                       : "gradients of FP32 weights");
  if (const auto bucket = facts.count("_bucket_mb"); bucket && !facts.is("overlap", "none")) {
    facts.derive("bucket-size", std::to_string(*bucket) + "MiB", "_bucket_mb");
  }
  facts.assume("stack", "nemo", "its kernels");
  derive_nemo_model(facts);
}

}  // namespace

constinit const Framework nemo{
    .name = "NeMo",
    .title = "a NeMo YAML",
    .source = "github.com/NVIDIA/NeMo: megatron_gpt_config.yaml, megatron_base_model.py",
    .marks = kNemoMarks,
    .keys = kNemoKeys,
    .shared = {},
    .derive = derive_nemo};

}  // namespace sim::launch::frameworks
