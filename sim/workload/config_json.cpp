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

// No arithmetic depends on these, in any family: names, tokens, files, numbers within an operator.
constexpr std::array<std::string_view, 34> kIgnored{"_attn_implementation",
                                                    "_attn_implementation_autoset",
                                                    "_commit_hash",
                                                    "_name_or_path",
                                                    "attn_implementation",
                                                    "auto_map",
                                                    "bos_token_id",
                                                    "chunk_size_feed_forward",
                                                    "dtype",
                                                    "eos_token_id",
                                                    "gradient_checkpointing",
                                                    "id2label",
                                                    "initializer_range",
                                                    "label2id",
                                                    "layer_norm_epsilon",
                                                    "norm_eps",
                                                    "output_attentions",
                                                    "output_hidden_states",
                                                    "pad_token_id",
                                                    "pretraining_tp",
                                                    "return_dict",
                                                    "rms_norm_eps",
                                                    "rope_parameters",
                                                    "rope_scaling",
                                                    "rope_theta",
                                                    "sep_token_id",
                                                    "task_specific_params",
                                                    "tokenizer_class",
                                                    "tokenizer_name",
                                                    "torch_dtype",
                                                    "torchscript",
                                                    "transformers_version",
                                                    "unk_token_id",
                                                    "use_cache"};

constexpr const char* kExperts = "mixture-of-experts layers are not modelled";
constexpr const char* kLatent = "multi-head latent attention is not modelled";
constexpr const char* kWindows = "sliding windows are not modelled";
constexpr const char* kOnlyText = "only text models are modelled";
constexpr const char* kEncoders = "encoders are not modelled";
constexpr const char* kCaps = "soft-capping is not modelled";

struct Unmodelled {
  std::string_view key;
  const char* why;
};
// What changes the arithmetic of any family.
constexpr std::array kUnmodelled{
    Unmodelled{"num_local_experts", kExperts},
    Unmodelled{"num_experts", kExperts},
    Unmodelled{"num_experts_per_tok", kExperts},
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

const ModelFamily* find_family(ConfigReader& config) {
  constexpr std::string_view kKey = "architectures";
  const std::string architecture = config.only_text(kKey);
  std::vector<std::string_view> known;
  for (const ModelFamily& family : all_families()) {
    if (family.architecture == architecture) return &family;
    known.push_back(family.architecture);
  }
  if (config.all_good({kKey})) {
    config.unsupported(kKey, fmt::format("is not one of: {}", joined(known)));
  }
  return nullptr;
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
  const JsonDocument document = parse_json(text, file);
  ConfigReader config(document);
  Model model;
  name_after(file, model);
  const ModelFamily* family = find_family(config);
  note_unmodelled(config);
  check_model_type(config);
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
