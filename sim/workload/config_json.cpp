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
#include "sim/workload/config_families.hpp"
#include "sim/workload/config_reader.hpp"

namespace sim {
namespace {

// No arithmetic of training depends on these, in any family: names, tokens, files, how text is
// generated, how weights are stored for inference, and numbers within an operator.
constexpr auto kIgnored = std::to_array<std::string_view>({"_attn_implementation",
                                                           "_attn_implementation_autoset",
                                                           "_attn_implementation_internal",
                                                           "_commit_hash",
                                                           "_flash_attn_2_enabled",
                                                           "_name_or_path",
                                                           "attn_implementation",
                                                           "auto_map",
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
                                                           "layer_norm_epsilon",
                                                           "length_penalty",
                                                           "mask_token_id",
                                                           "max_length",
                                                           "max_new_tokens",
                                                           "max_sequence_length",
                                                           "min_length",
                                                           "no_repeat_ngram_size",
                                                           "norm_eps",
                                                           "num_beam_groups",
                                                           "num_beams",
                                                           "num_labels",
                                                           "num_return_sequences",
                                                           "output_attentions",
                                                           "output_hidden_states",
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
                                                           "rope_parameters",
                                                           "rope_scaling",
                                                           "rope_theta",
                                                           "sep_token_id",
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

constexpr const char* kExperts = "mixture-of-experts layers are not modelled";
constexpr const char* kLatent = "multi-head latent attention is not modelled";
constexpr const char* kWindows = "sliding windows are not modelled";
constexpr const char* kOnlyText = "only text models are modelled";
constexpr const char* kEncoders = "encoders are not modelled";
constexpr const char* kCaps = "soft-capping is not modelled";
constexpr const char* kHeadNorms = "query and key norms are modelled for Qwen3 only";
constexpr const char* kSideBySide = "attention beside the feed-forward block is not modelled";

struct Unmodelled {
  std::string_view key;
  const char* why;
};
// What changes the arithmetic of any family.
constexpr std::array kUnmodelled{
    Unmodelled{"num_local_experts", kExperts},
    Unmodelled{"num_experts", kExperts},
    Unmodelled{"num_experts_per_tok", kExperts},
    Unmodelled{"num_experts_per_token", kExperts},
    Unmodelled{"moe_num_experts", kExperts},
    Unmodelled{"n_routed_experts", kExperts},
    Unmodelled{"n_shared_experts", kExperts},
    Unmodelled{"moe_intermediate_size", kExperts},
    Unmodelled{"shared_expert_intermediate_size", kExperts},
    Unmodelled{"q_lora_rank", kLatent},
    Unmodelled{"kv_lora_rank", kLatent},
    Unmodelled{"qk_rope_head_dim", kLatent},
    Unmodelled{"qk_nope_head_dim", kLatent},
    Unmodelled{"v_head_dim", kLatent},
    Unmodelled{"sliding_window_pattern", kWindows},
    Unmodelled{"attention_chunk_size", kWindows},
    Unmodelled{"vision_config", kOnlyText},
    Unmodelled{"audio_config", kOnlyText},
    Unmodelled{"text_config", kOnlyText},
    Unmodelled{"use_mrope", kOnlyText},
    Unmodelled{"is_encoder_decoder", kEncoders},
    Unmodelled{"add_cross_attention", kEncoders},
    Unmodelled{"attn_logit_softcapping", kCaps},
    Unmodelled{"final_logit_softcapping", kCaps},
    Unmodelled{"cross_attention_hidden_size", kEncoders},
    Unmodelled{"use_qk_norm", kHeadNorms},
    Unmodelled{"qk_layernorm", kHeadNorms},
    Unmodelled{"use_parallel_residual", kSideBySide},
    Unmodelled{"parallel_attn", kSideBySide},
    Unmodelled{"mamba_d_state", "state-space layers are not modelled"},
    Unmodelled{"quantization_config", "quantised weights are not modelled"},
    Unmodelled{"num_nextn_predict_layers", "multi-token prediction is not modelled"},
    Unmodelled{"pruned_heads", "layers that differ are not modelled"}};

void note_unmodelled(ConfigReader& config) {
  for (const Unmodelled& one : kUnmodelled) config.not_modelled(one.key, one.why);
  config.not_modelled("layer_types", "attention other than full_attention is not modelled",
                      "full_attention");
  config.not_modelled("partial_rotary_factor", "rotating only part of a head is not modelled", 1);
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

// The family whose `key` is the config's.
const ModelFamily* family_named(ConfigReader& config, const char* key, const std::string& name,
                                std::string_view ModelFamily::*named) {
  std::vector<std::string_view> known;
  for (const ModelFamily& family : all_families()) {
    if (family.*named == name) return &family;
    known.push_back(family.*named);
  }
  if (config.all_good({key})) {
    config.unsupported(key, fmt::format("is not one of: {}", joined(known)));
  }
  return nullptr;
}

// Without `architectures`, which text generation does not need, `model_type` decides.
const ModelFamily* find_family(ConfigReader& config) {
  constexpr const char* kArchitectures = "architectures";
  constexpr const char* kType = "model_type";
  if (config.has(kArchitectures) || !config.has(kType)) {
    return family_named(config, kArchitectures, config.only_text(kArchitectures),
                        &ModelFamily::architecture);
  }
  if (!config.all_good({kType})) return nullptr;
  return family_named(config, kType, config.text_or(kType, ""), &ModelFamily::model_type);
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
  ConfigReader config(document);
  Model model;
  name_after(file, model);
  check_model_type(config);
  const ModelFamily* family = find_family(config);
  note_unmodelled(config);
  if (family != nullptr) {
    family->read(config, given_sequence(settings, file), model);
    config.ignore(kIgnored);
    config.note_unknown();
    model.summary = fmt::format("{}: {} layers of {}, sequence {}", family->title, model.layers,
                                model.hidden, model.sequence);
  }
  config.finish();
  return model;
}

}  // namespace sim
