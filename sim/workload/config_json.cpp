// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/config_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/workload/config_reader.hpp"
#include "sim/workload/families/family.hpp"

namespace sim {
namespace {

// No arithmetic of training depends on these, in any family: names, tokens, files, how text is
// generated, how weights are stored for inference, and numbers within an operator.
constexpr auto kIgnored = std::to_array<std::string_view>({"_attn_implementation",
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
                                                           "use_cache"});

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

void note_unmodelled(ConfigReader& config) {
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

// The run's model.sequence as the reader of a model file takes it; 1 for what it will refuse.
std::optional<int> given_sequence(std::span<const Setting> settings,
                                  const std::filesystem::path& file) {
  constexpr std::string_view kKey = "model.sequence";
  std::vector<Setting> of_sequence;
  std::ranges::copy_if(settings, std::back_inserter(of_sequence),
                       [&](const Setting& setting) { return setting.key == kKey; });
  if (of_sequence.empty()) return std::nullopt;
  TomlDocument document{.file = file.string(), .leaves = {}, .tables = {}};
  apply_settings(of_sequence, document);
  const auto* scalar = std::get_if<TomlScalar>(&document.leaves.at(std::string(kKey)).value);
  const auto* number = scalar == nullptr ? nullptr : std::get_if<std::int64_t>(scalar);
  if (number == nullptr || *number < 1 || *number > std::numeric_limits<int>::max()) return 1;
  return static_cast<int>(*number);
}

// Other programs look for code by that name.
void check_model_type(ConfigReader& config) {
  constexpr std::string_view kKey = "model_type";
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  const std::string type = config.text_or(kKey, "none");
  if (!config.all_good({kKey})) return;
  if (type.empty() || type.front() == '.' ||
      type.find_first_not_of(kLetters) != std::string::npos) {
    config.wrong(kKey, "is not a name of letters, digits, _, - and ., e.g. llama");
  }
}

bool has_name(const ModelFamily::Names& names, std::string_view name) {
  return !name.empty() && std::ranges::count(names, name) > 0;
}

struct Found {
  const ModelFamily* family = nullptr;
  bool of_text_part = false;
};

// The family one of whose names is that of `key`.
Found family_named(ConfigReader& config, const char* key, const std::string& name,
                   ModelFamily::Names ModelFamily::*named) {
  std::vector<std::string_view> titles;
  for (const ModelFamily* family : all_families()) {
    if (has_name(family->*named, name)) return {family, false};
    const bool is_architecture = named == &ModelFamily::architectures;
    if (is_architecture && has_name(family->text_parts, name)) return {family, true};
    titles.push_back(family->title);
  }
  if (config.all_good({key})) {
    config.unsupported(key, fmt::format("is not of a family that is read: {}", joined(titles)));
  }
  return {};
}

// Without `architectures`, which text generation does not need, `model_type` decides; diffusers has a
// name of its own.
Found find_family(ConfigReader& config) {
  constexpr const char* kArchitectures = "architectures";
  constexpr const char* kClass = "_class_name";
  constexpr const char* kType = "model_type";
  if (!config.has(kArchitectures) && config.has(kClass)) {
    return family_named(config, kClass, config.text_or(kClass, ""), &ModelFamily::architectures);
  }
  if (config.has(kArchitectures) || !config.has(kType)) {
    return family_named(config, kArchitectures, config.only_text(kArchitectures),
                        &ModelFamily::architectures);
  }
  if (!config.all_good({kType})) return {};
  return family_named(config, kType, config.text_or(kType, ""), &ModelFamily::model_types);
}

void read_family(ConfigReader& config, const ModelFamily& family, std::optional<int> given,
                 Model& model) {
  family.read(config, given, model);
  note_unmodelled(config);
  if (config.has("quantization_config")) config.note("quantization read over");
}

// What is around the text of a model with pictures or sound: its own parts are not modelled.
void read_text_part(ConfigReader& config, const ModelFamily& family, std::optional<int> given,
                    Model& model) {
  constexpr const char* kText = "text_config";
  if (!config.require(kText)) return;
  config.inside(kText, [&] { read_family(config, family, given, model); });
  // Words are tied as the whole says.
  model.tied_embeddings = config.flag_or("tie_word_embeddings", model.tied_embeddings);
  if (config.has("quantization_config")) config.note("quantization read over");
  config.note("its text alone");
  config.not_modelled("is_encoder_decoder", kEncoders);
  config.ignore({"vision_config",
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
}

std::string summary_of(const ModelFamily& family, const Model& model, const ConfigReader& config) {
  std::string summary = fmt::format("{}: {} layers of {}, sequence {}", family.title, model.layers,
                                    model.hidden, model.sequence);
  for (const std::string& note : config.notes()) {
    summary += (note.starts_with("of ") ? " " : ", ") + note;
  }
  return summary;
}

void name_after(const std::filesystem::path& file, Model& model) {
  std::error_code error;
  const auto folder = std::filesystem::absolute(file, error).lexically_normal().parent_path();
  model.name = file.stem().string();
  model.file = file.filename().string();
  if (model.file != "config.json" || !folder.has_filename()) return;
  model.name = folder.filename().string();
  model.file = model.name + "/" + model.file;
}

}  // namespace

Model parse_config(std::string_view text, const std::filesystem::path& file,
                   std::span<const Setting> settings) {
  if (text.size() > kMostInputBytes) {
    throw InputError(printable_path(file) + ": is larger than 1 MiB; is it the right file?");
  }
  const JsonDocument document = parse_json_of_python(text, file);
  ConfigReader config(document, kIgnored);
  Model model;
  name_after(file, model);
  check_model_type(config);
  const auto [family, of_text_part] = find_family(config);
  if (family != nullptr) {
    const auto given = given_sequence(settings, file);
    (of_text_part ? read_text_part : read_family)(config, *family, given, model);
    config.note_unknown();
    model.summary = summary_of(*family, model, config);
  }
  config.finish();
  return model;
}

}  // namespace sim
