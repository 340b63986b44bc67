// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/families/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

// Models that take more tokens were trained on fewer at first.
constexpr int kLongestAssumed = 8'192;
constexpr int kUsualSequence = 4'096;
constexpr const char* kOriginal = "original_max_position_embeddings";

constexpr std::array<std::string_view, 9> kGelus{
    "gelu",       "gelu_new", "gelu_fast",     "gelu_pytorch_tanh", "gelu_python",
    "quick_gelu", "gelu_10",  "gelu_accurate", "gelu-approximate"};

// What a model of more positions was trained on: of the keys that say so.
int original_sequence(ConfigReader& config) {
  std::optional<double> original;
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    if (!original) original = config.number_within(key, kOriginal);
  }
  if (!original && config.has(kOriginal)) original = config.count(kOriginal, kTokens);
  const double tokens = original.value_or(0);
  return tokens >= 1 && tokens <= kLongestAssumed ? static_cast<int>(tokens) : kUsualSequence;
}

}  // namespace

void check_divides(ConfigReader& config, std::string_view key, int part, std::string_view whole_key,
                   int whole) {
  if (config.all_good({key, whole_key}) && whole % part != 0) {
    config.wrong(key, fmt::format("does not divide {} = {}", whole_key, whole));
  }
}

void read_shape(ConfigReader& config, Model& model, const ShapeKeys& keys) {
  model.layers = config.count(keys.layers, kLayers);
  model.hidden = config.count(keys.hidden, kHidden);
  model.heads = model.kv_heads = config.count(keys.heads, kHeads);
  if (config.has("head_dim")) {
    model.head_width = config.count("head_dim", kHeadWidth);
  } else {
    check_divides(config, keys.heads, model.heads, keys.hidden, model.hidden);
    model.head_width = std::max(model.hidden / model.heads, 1);
  }
  model.vocabulary = config.count("vocab_size", kTokens);
}

void read_grouped(ConfigReader& config, Model& model) {
  constexpr const char* kKey = "num_key_value_heads";
  model.kv_heads = config.count_or(kKey, kHeads, model.heads);
  check_divides(config, kKey, model.kv_heads, "num_attention_heads", model.heads);
}

void read_activation(ConfigReader& config, const char* key, std::string_view usual, bool gated,
                     Model& model) {
  using enum Model::FeedForward;
  const std::string name = config.text_or(key, usual);
  if (!config.all_good({key})) return;
  if (std::ranges::count(kGelus, name) > 0) {
    model.feed_forward_kind = gated ? geglu : gelu;
  } else if (gated) {
    model.feed_forward_kind = swiglu;
    if (name != "silu" && name != "swish") {
      config.unsupported(key, "only silu and gelu are modelled between gate and up");
    }
  } else if (name == "relu") {
    model.feed_forward_kind = relu;
  } else if (name == "relu2") {
    model.feed_forward_kind = squared_relu;
  } else {
    config.unsupported(key, "only gelu, relu and relu2 are modelled in a block without a gate");
  }
}

void read_attention_dropout(ConfigReader& config, Model& model) {
  if (config.number_or("attention_dropout", 0) > 0) model.attention_dropout = true;
  for (const char* key : {"hidden_dropout", "embd_pdrop", "resid_pdrop", "embd_dropout"}) {
    config.not_modelled(key, "dropout outside of attention is not modelled in this family");
  }
}

void read_dropout(ConfigReader& config, Model& model, const DropoutKeys& keys) {
  const bool attention = config.number_or(keys.attention, keys.usual) > 0;
  model.dropout = config.number_or(keys.blocks, keys.usual) > 0;
  if (attention != model.dropout) model.attention_dropout = attention;
  if (!model.dropout && config.number_or(keys.embedding, keys.usual) > 0) {
    config.unsupported(keys.embedding, "dropout of embeddings alone is not modelled");
  }
  config.ignore({keys.embedding});
}

void read_usual(ConfigReader& config, std::string_view activation, bool gated, Model& model) {
  read_shape(config, model);
  read_grouped(config, model);
  model.feed_forward = config.count("intermediate_size", kFeedForwardWidth);
  read_activation(config, "hidden_act", activation, gated, model);
}

void read_gpt_shape(ConfigReader& config, Model& model) {
  read_shape(config, model, {.layers = "n_layer", .hidden = "n_embd", .heads = "n_head"});
  model.feed_forward = config.count_or("n_inner", kFeedForwardWidth, 4 * model.hidden);
  read_activation(config, "activation_function", "gelu_new", false, model);
}

void read_gated(ConfigReader& config, Model& model) {
  read_usual(config, "silu", true, model);
  model.norm = Model::Norm::rms_norm;
  model.positions = Model::Positions::rotary;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  read_attention_dropout(config, model);
}

Model::Biases biases_of(bool attention, bool block) {
  using Biases = Model::Biases;
  if (attention) return block ? Biases::all : Biases::attention;
  return block ? Biases::feed_forward : Biases::none;
}

void read_biases(ConfigReader& config, Model& model) {
  const bool attention = config.flag_or("attention_bias", false);
  model.biases = biases_of(attention, config.flag_or("mlp_bias", false));
}

void set_rotary_share(ConfigReader& config, const char* key, double share, Model& model) {
  model.rotary_share = share;
  if (share > 0 && share <= 1) return;
  model.rotary_share = 1;
  if (config.all_good({key})) config.wrong(key, "is not a share of a head's width");
}

void read_rotary_share(ConfigReader& config, double usual, Model& model) {
  constexpr const char* kKey = "partial_rotary_factor";
  const auto inner = config.number_within("rope_parameters", kKey);
  const double share = config.number_or(kKey, inner.value_or(usual));
  set_rotary_share(config, config.has(kKey) ? kKey : "rope_parameters", share, model);
}

void set_sequence(ConfigReader& config, std::string_view key, int longest, std::optional<int> given,
                  Model& model) {
  const int original = original_sequence(config);
  model.sequence = given.value_or(longest > kLongestAssumed ? original : longest);
  if (!given && model.sequence < longest && config.all_good({key})) {
    config.note(fmt::format("of at most {}", longest));
  }
}

void read_sequence(ConfigReader& config, std::optional<int> given, Model& model) {
  constexpr const char* kKey = "max_position_embeddings";
  const int longest = config.count(kKey, kTokens);
  set_sequence(config, kKey, longest, given, model);
  if (config.all_good({kKey}) && model.sequence > longest) {
    config.wrong(kKey, fmt::format("is less than the sequence of {}; pass `sequence`, at most {}",
                                   model.sequence, longest));
  }
}

void read_position_table(ConfigReader& config, const char* key, std::optional<int> given,
                         Model& model) {
  model.positions = Model::Positions::learned;
  model.position_table = config.count(key, kTokens);
  set_sequence(config, key, model.position_table, given, model);
}

Kinds usual_kinds(const Model& model) {
  const LayerKind usual{.block = model.experts.count > 0 ? Block::experts : Block::dense};
  return Kinds(static_cast<std::size_t>(model.layers), usual);
}

void set_order(Kinds kinds, Model& model) {
  if (kinds != usual_kinds(model)) model.order = order_of(std::move(kinds));
}

bool read_window(ConfigReader& config, Model& model) {
  constexpr const char* kKey = "sliding_window";
  if (!config.has(kKey)) return false;
  const int window = config.count(kKey, kTokens);
  if (window >= config.count_or("max_position_embeddings", kTokens, 1)) return false;
  model.window = window;
  return true;
}

Kinds read_window_pattern(ConfigReader& config, int usual, Model& model) {
  constexpr const char* kKeys[] = {"_sliding_window_pattern", "sliding_window_pattern"};
  int of = usual;
  for (const char* key : kKeys) of = config.count_or(key, kLayers, of);
  Kinds kinds = usual_kinds(model);
  config.ignore({"layer_types"});
  if (!read_window(config, model)) return kinds;
  const auto is_windowed = [of](int layer) { return (layer + 1) % of != 0; };
  read_windows(config, is_windowed, kinds);
  return kinds;
}

void read_all_windows(ConfigReader& config, Model& model) {
  Kinds kinds = usual_kinds(model);
  if (read_window(config, model))
    read_windows(
        config, [](int) { return true; }, kinds);
  set_order(std::move(kinds), model);
}

void read_windows(ConfigReader& config, const IsWindowed& is_windowed, Kinds& kinds) {
  constexpr const char* kKey = "layer_types";
  const std::vector<std::string> types = config.texts(kKey);
  if (!config.all_good({kKey})) return;
  if (!types.empty() && types.size() != kinds.size()) {
    config.wrong(kKey, fmt::format("has not one word for each of {} layers", kinds.size()));
    return;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool full =
        types.empty() ? !is_windowed(static_cast<int>(i)) : types[i] == "full_attention";
    if (!full) kinds[i].mixer = Mixer::window;
    if (full || types.empty() || types[i] == "sliding_attention" ||
        types[i] == "chunked_attention") {
      continue;
    }
    config.unsupported(
        kKey, fmt::format("attention of the type {} is not modelled", printable(types[i])));
    return;
  }
}

void read_unplaced(ConfigReader& config, Mixer placed, Kinds& kinds) {
  constexpr const char* kKey = "no_rope_layers";
  const auto rotated = config.integers(kKey, {.lowest = 0, .highest = 1});
  const int interval = config.count_or("no_rope_layer_interval", kLayers, 4);
  if (!rotated.empty() && rotated.size() != kinds.size()) {
    config.wrong(kKey, fmt::format("has not one number for each of {} layers", kinds.size()));
    return;
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const bool is_placed =
        rotated.empty() ? (static_cast<int>(i) + 1) % interval != 0 : rotated[i] == 1;
    kinds[i].mixer = is_placed ? placed : Mixer::unplaced;
  }
}

void read_experts(ConfigReader& config, const ExpertKeys& keys, Model& model) {
  model.experts.count = config.count(keys.count, kExpertCount);
  model.experts.top_k = config.count(keys.top_k, kExpertCount);
  model.experts.width = config.count(keys.width, kFeedForwardWidth);
}

void set_shared_width(ConfigReader& config, const char* key, int times, int width, Model& model) {
  const std::int64_t all = std::int64_t{times} * width;
  if (all <= kFeedForwardWidth.highest) {
    model.experts.shared_width = static_cast<int>(all);
  } else if (config.all_good({key})) {
    config.wrong(key, fmt::format("times {} is more than {}", width, kFeedForwardWidth.highest));
  }
}

void read_shared_experts(ConfigReader& config, Model& model) {
  constexpr const char* kKey = "n_shared_experts";
  const int count = config.count_or(kKey, {.lowest = 0, .highest = kExpertCount.highest}, 0);
  set_shared_width(config, kKey, count, model.experts.width, model);
}

void read_first_dense(ConfigReader& config, int usual, Model& model) {
  constexpr const char* kKey = "first_k_dense_replace";
  const int dense = config.count_or(kKey, {.lowest = 0, .highest = kLayers.highest}, usual);
  Kinds kinds = usual_kinds(model);
  for (int i = 0; i < std::min(dense, model.layers); ++i) {
    kinds[static_cast<std::size_t>(i)].block = Block::dense;
  }
  set_order(std::move(kinds), model);
}

void read_predictions(ConfigReader& config, const char* key, Model& model) {
  model.predictions = config.count_or(key, {.lowest = 0, .highest = kLayers.highest}, 0);
}

}  // namespace sim::families
