// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/config_keys.hpp"

#include <array>
#include <string_view>

namespace sim {
namespace {

constexpr std::string_view kHarmless[] = {"_attn_implementation",
                                          "_attn_implementation_autoset",
                                          "_attn_implementation_internal",
                                          "_class_name",
                                          "_commit_hash",
                                          "_diffusers_version",
                                          "_flash_attn_2_enabled",
                                          "_name_or_path",
                                          "architectures",
                                          "attn_implementation",
                                          "auto_map",
                                          "aux_loss_alpha",
                                          "bad_words_ids",
                                          "begin_suppress_tokens",
                                          "bos_token_id",
                                          "cache_config",
                                          "cache_implementation",
                                          "chunk_size_feed_forward",
                                          "classifier_dropout",
                                          "custom_pipelines",
                                          "decoder_start_token_id",
                                          "diversity_penalty",
                                          "do_sample",
                                          "dtype",
                                          "early_stopping",
                                          "encoder_no_repeat_ngram_size",
                                          "eos_token_id",
                                          "exponential_decay_length_penalty",
                                          "finetuning_task",
                                          "flash_attn",
                                          "forced_bos_token_id",
                                          "forced_eos_token_id",
                                          "gradient_checkpointing",
                                          "id2label",
                                          "initializer_range",
                                          "is_decoder",
                                          "is_llama_config",
                                          "label2id",
                                          "layer_norm_eps",
                                          "layer_norm_epsilon",
                                          "length_penalty",
                                          "mask_token_id",
                                          "max_length",
                                          "max_new_tokens",
                                          "max_sequence_length",
                                          "min_length",
                                          "model_type",
                                          "moe_router_dtype",
                                          "n_group",
                                          "no_repeat_ngram_size",
                                          "norm_eps",
                                          "norm_epsilon",
                                          "norm_topk_prob",
                                          "num_beam_groups",
                                          "num_beams",
                                          "num_labels",
                                          "num_return_sequences",
                                          "original_max_position_embeddings",
                                          "output_attentions",
                                          "output_hidden_states",
                                          "output_router_logits",
                                          "output_scores",
                                          "pad_token_id",
                                          "prefix",
                                          "pretraining_tp",
                                          "problem_type",
                                          "remove_invalid_values",
                                          "repetition_penalty",
                                          "return_dict",
                                          "return_dict_in_generate",
                                          "rms_norm_eps",
                                          "rope_interleaved",
                                          "rope_local_base_freq",
                                          "rope_parameters",
                                          "rope_scaling",
                                          "rope_theta",
                                          "routed_scaling_factor",
                                          "router_aux_loss_coef",
                                          "router_jitter_noise",
                                          "scoring_func",
                                          "sep_token_id",
                                          "seq_aux",
                                          "suppress_tokens",
                                          "task_specific_params",
                                          "temperature",
                                          "tf_legacy_loss",
                                          "tie_encoder_decoder",
                                          "time_step_floor",
                                          "time_step_limit",
                                          "time_step_max",
                                          "time_step_min",
                                          "tokenizer_class",
                                          "tokenizer_model_max_length",
                                          "tokenizer_name",
                                          "top_k",
                                          "top_p",
                                          "topk_group",
                                          "topk_method",
                                          "torch_dtype",
                                          "torchscript",
                                          "transformers.js_config",
                                          "transformers_version",
                                          "typical_p",
                                          "unk_token_id",
                                          "unsloth_fixed",
                                          "unsloth_version",
                                          "use_bfloat16",
                                          "use_cache"};

constexpr const char* kExperts = "this family has no experts";
constexpr const char* kLatent = "latent attention is not modelled in this family";
constexpr const char* kWindows = "windows are not modelled in this family";
constexpr const char* kSparse = "sparse attention is not modelled";
constexpr const char* kLinear = "linear attention is not modelled";
constexpr const char* kOnlyText = "only text models are modelled";
constexpr const char* kEncoders = "encoders are not modelled";
constexpr const char* kCaps = "soft-capping is not modelled in this family";
constexpr const char* kHeadNorms = "this family has no query and key norms";
constexpr const char* kSideBySide = "blocks side by side are not modelled in this family";
constexpr const char* kFurtherTokens = "multi-token prediction is not modelled in this family";

struct Unmodelled {
  std::string_view key;
  const char* why;
};
// What changes the arithmetic of a family that does not read it.
constexpr auto kUnmodelled = std::to_array<Unmodelled>(
    {{"num_local_experts", kExperts},
     {"num_experts", kExperts},
     {"num_experts_per_tok", kExperts},
     {"num_experts_per_token", kExperts},
     {"moe_num_experts", kExperts},
     {"n_routed_experts", kExperts},
     {"n_shared_experts", kExperts},
     {"moe_intermediate_size", kExperts},
     {"shared_expert_intermediate_size", kExperts},
     {"q_lora_rank", kLatent},
     {"kv_lora_rank", kLatent},
     {"qk_rope_head_dim", kLatent},
     {"qk_nope_head_dim", kLatent},
     {"v_head_dim", kLatent},
     {"sliding_window", kWindows},
     {"use_sliding_window", kWindows},
     {"sliding_window_pattern", kWindows},
     {"attention_chunk_size", kWindows},
     {"index_topk", kSparse},
     {"index_n_heads", kSparse},
     {"index_head_dim", kSparse},
     {"sparse_attention_config", kSparse},
     {"compress_ratios", kSparse},
     {"linear_attn_config", kLinear},
     {"linear_num_value_heads", kLinear},
     {"vision_config", kOnlyText},
     {"audio_config", kOnlyText},
     {"text_config", kOnlyText},
     {"use_mrope", kOnlyText},
     {"is_encoder_decoder", kEncoders},
     {"add_cross_attention", kEncoders},
     {"cross_attention_hidden_size", kEncoders},
     {"attn_logit_softcapping", kCaps},
     {"final_logit_softcapping", kCaps},
     {"use_qk_norm", kHeadNorms},
     {"qk_layernorm", kHeadNorms},
     {"use_parallel_residual", kSideBySide},
     {"parallel_attn", kSideBySide},
     {"mamba_d_state", "state-space layers are not modelled in this family"},
     {"num_nextn_predict_layers", kFurtherTokens},
     {"attn_output_gate", "gates of attention's output are not modelled"},
     {"block_configs", "layers of different shapes are not modelled"},
     {"pruned_heads", "layers of different shapes are not modelled"}});

constexpr auto kBesideText = std::to_array<std::string_view>({"vision_config",
                                                              "audio_config",
                                                              "image_token_id",
                                                              "image_token_index",
                                                              "video_token_id",
                                                              "video_token_index",
                                                              "boi_token_index",
                                                              "eoi_token_index",
                                                              "boi_token_id",
                                                              "eoi_token_id",
                                                              "mm_tokens_per_image",
                                                              "vision_start_token_id",
                                                              "vision_end_token_id",
                                                              "ignore_index",
                                                              "media_placeholder_token_id",
                                                              "video_placeholder",
                                                              "image_placeholder",
                                                              "use_unified_vision_chunk",
                                                              "projector_hidden_act",
                                                              "multimodal_projector_bias",
                                                              "spatial_merge_size",
                                                              "vision_feature_layer",
                                                              "vision_feature_select_strategy",
                                                              "image_seq_length"});

}  // namespace

std::span<const std::string_view> keys_beside_text() { return kBesideText; }

void refuse_unread(ConfigReader& config) {
  for (const Unmodelled& one : kUnmodelled) {
    if (!config.was_read(one.key)) config.not_modelled(one.key, one.why);
  }
  if (!config.was_read("layer_types")) {
    config.not_modelled("layer_types",
                        "attention other than full_attention is not modelled in this family",
                        "full_attention");
  }
  if (!config.was_read("partial_rotary_factor")) {
    config.not_modelled("partial_rotary_factor",
                        "rotating only part of a head is not modelled in this family", 1);
  }
}

std::span<const std::string_view> harmless_keys() { return kHarmless; }

}  // namespace sim
