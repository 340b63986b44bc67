// SPDX-License-Identifier: Apache-2.0
// Model: the shape of one model of layers, exactly enough for its parameter and FLOP counts. Layers
// differ by their kind alone (sim/workload/layer_kinds.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"
#include "sim/workload/layer_kinds.hpp"

namespace sim {

// [model] of a model file.
struct Model {
  enum class FeedForward {
    gelu,  // two matrices: hidden x feed_forward and back
    relu,  // likewise
    squared_relu,
    swiglu,  // three: gate and up, then down
    geglu
  };
  enum class Positions {
    learned,  // a table of `position_table` x hidden parameters
    rotary,   // queries and keys are turned; no parameters
    alibi,    // a number added to each score (arXiv 2108.12409); no parameters
    none
  };
  enum class Norm {
    layer_norm,          // weight and bias
    layer_norm_no_bias,  // weight
    rms_norm,            // weight
    no_weights           // layer norm without parameters (OLMo, arXiv 2402.00838)
  };
  // Where a layer's norms are: of what each block reads, of what it gives, or of both.
  enum class NormPlace { before, after, both };
  // Whether a feed-forward block reads what attention gives, or what attention reads, with the same
  // norm or with one of its own (GPT-J, GPT-NeoX).
  enum class Blocks { serial, parallel, parallel_two_norms };
  enum class Biases {
    none,
    qkv,           // of queries, keys and values
    attention,     // of these and of attention's output
    feed_forward,  // of the feed-forward block
    all            // of every linear layer of the blocks
  };
  // Weights of the norm of queries and keys: shared by heads, of all heads' width, or none.
  enum class HeadNorm { head, all_heads, none };
  enum class WindowKind {
    sliding,  // a token attends to so many before it, itself included
    chunked   // to those of its own chunk of so many
  };
  // Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1). Queries and keys of
  // `head_width` end with `rope_width` elements that are turned; all heads share those of keys.
  struct Latent {
    int rank = 0;        // of keys and values; 0: attention is not latent
    int query_rank = 0;  // 0: queries are projected at once
    int rope_width = 0;
    int value_width = 0;  // of a head
    bool operator==(const Latent&) const = default;
  };
  // A feed-forward block of experts, of which a router chooses `top_k` for each token.
  struct Experts {
    int count = 0;  // 0: no layer has any
    int top_k = 1;
    int width = 0;
    int shared_width = 0;      // of an expert that every token passes; 0: none
    bool shared_gate = false;  // a sigmoid of its own weights the shared one (Qwen2-MoE)
    bool router_bias = false;  // one number an expert, of which a router learns or balances
    int latent_width = 0;  // experts work on so many columns, projected before and after; 0: on all
    // Consecutive experts form groups, and a token's are in `top_groups` of them (DeepSeek-V2, arXiv
    // 2405.04434, section 2.2.2).
    int groups = 1;
    int top_groups = 1;
    bool operator==(const Experts&) const = default;
  };
  // Mamba-2 (arXiv 2405.21060).
  struct Mamba {
    int heads = 0;  // 0: no layer is one
    int head_width = 0;
    int state = 0;   // of each column of a head
    int groups = 0;  // of heads that share B and C
    int kernel = 0;  // tokens of the convolution
    int chunk = 0;   // tokens that are computed as attention
    bool operator==(const Mamba&) const = default;
  };
  // Patches instead of words: `vocabulary` is 0.
  struct Vision {
    int patch_values = 0;     // numbers in a patch; 0: the model reads words
    int outputs = 0;          // classes, or numbers for each patch
    bool of_patches = false;  // outputs for each patch
    int extra_tokens = 0;     // learned, beside the patches
    // Of the diffusion transformer (arXiv 2212.09748): layers are scaled and shifted by a vector that is
    // made of the time step, by this many frequencies, and of a table of so many conditions.
    int frequencies = 0;
    int conditions = 0;
    bool operator==(const Vision&) const = default;
  };
  std::string name;     // the file's stem; of a config.json its folder's
  std::string file;     // its last part, after the folder of a config.json
  std::string summary;  // one line for `list`
  int layers = 0;
  LayerOrder order =
      {};  // empty: all have attention and a feed-forward block, of experts if it has any
  int predictions = 0;  // layers that predict further tokens (arXiv 2412.19437, section 2.2)
  std::optional<LayerKind> prediction;  // their kind, if it is not the last layer's
  int hidden = 0;
  int heads = 0;
  int head_width = 0;  // of a query, a key and a value; mostly hidden / heads
  int kv_heads = 0;    // grouped-query attention; divides heads; equal to heads without it
  bool causal = true;  // tokens attend to those before them alone
  int window = 0;      // of layers that have one
  WindowKind window_kind = WindowKind::sliding;
  bool sinks = false;          // a learned number of each head in the softmax's sum
  bool attention_cap = false;  // scores pass a tanh (soft-capping)
  bool logit_cap = false;      // logits do
  bool logit_scale = false;    // logits are multiplied by a constant
  int feed_forward = 0;        // width of a feed-forward block; 0 where all are of experts
  FeedForward feed_forward_kind = FeedForward::gelu;
  Norm norm = Norm::layer_norm;
  NormPlace norm_place = NormPlace::before;
  Blocks blocks = Blocks::serial;
  bool query_key_norm = false;  // a norm of each head's query and key
  HeadNorm query_key_norm_weights = HeadNorm::head;
  Positions positions = Positions::learned;
  int position_table = 0;   // learned positions: at least `sequence`; 0 without
  double rotary_share = 1;  // of a head's width, with rotary positions
  Biases biases = Biases::none;
  bool head_bias = false;                 // of the output projection
  bool embedding_norm = false;            // a norm of the embedding's output
  bool dropout = false;                   // on attention, its output and the feed-forward block
  std::optional<bool> attention_dropout;  // on attention, if not as `dropout`
  bool tied_embeddings = false;           // the output projection is the embedding
  int vocabulary = 0;                     // padded as it is trained
  int sequence = 0;                       // tokens per sample
  Latent latent = {};
  Experts experts = {};
  Mamba mamba = {};
  Vision vision = {};
  bool operator==(const Model&) const = default;
};

// What a model file may hold.
[[nodiscard]] std::span<const TomlKey> model_keys();

// Reads a model file, or a Hugging Face config.json (sim/workload/config_json.hpp) where the name
// ends in .json, after replacing the keys of `settings`, which are a model file's for both. Throws
// InputError as read_cluster does.
[[nodiscard]] Model read_model(const std::filesystem::path& file,
                               std::span<const Setting> settings = {});

// The same from text in memory; `file` gives the name and what the messages call the text.
[[nodiscard]] Model parse_model(std::string_view text, const std::filesystem::path& file,
                                std::span<const Setting> settings = {});

// Width of all heads' queries, of the keys that groups of heads share, of their values, and of what
// attention gives to its output projection.
[[nodiscard]] inline std::int64_t query_width(const Model& model) {
  return std::int64_t{model.heads} * model.head_width;
}
[[nodiscard]] inline std::int64_t key_width(const Model& model) {
  return std::int64_t{model.kv_heads} * model.head_width;
}
[[nodiscard]] inline int value_head_width(const Model& model) {
  return model.latent.rank > 0 ? model.latent.value_width : model.head_width;
}
[[nodiscard]] inline std::int64_t value_width(const Model& model) {
  return std::int64_t{model.kv_heads} * value_head_width(model);
}
[[nodiscard]] inline std::int64_t output_width(const Model& model) {
  return std::int64_t{model.heads} * value_head_width(model);
}
// Matrices from hidden to feed_forward: one, or gate and up.
[[nodiscard]] inline int rising_widths(const Model& model) {
  using enum Model::FeedForward;
  return model.feed_forward_kind == swiglu || model.feed_forward_kind == geglu ? 2 : 1;
}
// Of a Mamba-2 layer: all heads, and what its convolution passes over, B and C of each group included.
[[nodiscard]] inline std::int64_t mamba_width(const Model::Mamba& mamba) {
  return std::int64_t{mamba.heads} * mamba.head_width;
}
[[nodiscard]] inline std::int64_t mamba_convolved(const Model::Mamba& mamba) {
  return mamba_width(mamba) + std::int64_t{2} * mamba.groups * mamba.state;
}
// Whether layers are scaled and shifted by a vector of each sample.
[[nodiscard]] inline bool is_modulated(const Model& model) { return model.vision.frequencies > 0; }
[[nodiscard]] inline bool has_query_biases(const Model& model) {
  using enum Model::Biases;
  return model.biases != none && model.biases != feed_forward;
}
[[nodiscard]] inline bool has_output_bias(const Model& model) {
  return model.biases == Model::Biases::all || model.biases == Model::Biases::attention;
}
[[nodiscard]] inline bool has_feed_forward_biases(const Model& model) {
  return model.biases == Model::Biases::all || model.biases == Model::Biases::feed_forward;
}

}  // namespace sim
