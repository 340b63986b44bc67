// SPDX-License-Identifier: Apache-2.0
// What several families of config.json have in common.
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/workload/config_reader.hpp"
#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/model.hpp"

namespace sim::families {

// Keys of a shape, by the names that most families use.
struct ShapeKeys {
  const char* layers = "num_hidden_layers";
  const char* hidden = "hidden_size";
  const char* heads = "num_attention_heads";
};
// Layers, hidden size, heads that share nothing, their width and the vocabulary.
void read_shape(ConfigReader& config, Model& model, const ShapeKeys& keys = {});
// Keys and values that heads share: "num_key_value_heads", and "head_dim".
void read_grouped(ConfigReader& config, Model& model);
// Records that the number does not divide the other's.
void check_divides(ConfigReader& config, std::string_view key, int part, std::string_view whole_key,
                   int whole);
// A block of which `gated` ones have gate and up.
void read_activation(ConfigReader& config, const char* key, std::string_view usual, bool gated,
                     Model& model);
// The shape by the usual keys, with keys and values that heads share, and its block.
void read_usual(ConfigReader& config, std::string_view activation, bool gated, Model& model);
// The shape and the block of GPT-2 and what has its keys.
void read_gpt_shape(ConfigReader& config, Model& model);

// Llama and its descendants: all of the above, gated blocks, RMS norms and rotary positions.
void read_gated(ConfigReader& config, Model& model);
// Dropout of attention ("attention_dropout"), and that there is none elsewhere.
void read_attention_dropout(ConfigReader& config, Model& model);
// The same of all: what embeddings have counts where blocks have it.
struct DropoutKeys {
  const char* attention = "attention_dropout";
  const char* blocks = "resid_pdrop";
  const char* embedding = "embd_pdrop";
  double usual = 0;  // where the file is silent
};
void read_dropout(ConfigReader& config, Model& model, const DropoutKeys& keys);
// Biases of attention's matrices, its output's included, and of the feed-forward block's.
[[nodiscard]] Model::Biases biases_of(bool attention, bool block);
// By "attention_bias" and "mlp_bias".
void read_biases(ConfigReader& config, Model& model);
// "partial_rotary_factor", also inside "rope_parameters".
void read_rotary_share(ConfigReader& config, double usual, Model& model);
void set_rotary_share(ConfigReader& config, const char* key, double share, Model& model);

// The sequence: the given one, or else the longest of `key` if that is at most 8192, what the positions
// were extended from if that is, or 4096.
void set_sequence(ConfigReader& config, std::string_view key, int longest, std::optional<int> given,
                  Model& model);
// By "max_position_embeddings", with positions that end there.
void read_sequence(ConfigReader& config, std::optional<int> given, Model& model);
// A table of learned positions, and the sequence.
void read_position_table(ConfigReader& config, const char* key, std::optional<int> given,
                         Model& model);

// One kind for each layer of a model, to change.
using Kinds = std::vector<LayerKind>;
[[nodiscard]] Kinds usual_kinds(const Model& model);
// Leaves the order empty where no layer differs from the usual kind.
void set_order(Kinds kinds, Model& model);
// Whether a window ("sliding_window") hides any token of the longest sequence; then it is the model's.
[[nodiscard]] bool read_window(ConfigReader& config, Model& model);
// The layers that have it: those for which `is_windowed`, unless "layer_types" says which.
using IsWindowed = std::function<bool(int layer)>;
void read_windows(ConfigReader& config, const IsWindowed& is_windowed, Kinds& kinds);
// Both, where all but each `usual`-th layer has it, or "sliding_window_pattern" says another number.
[[nodiscard]] Kinds read_window_pattern(ConfigReader& config, int usual, Model& model);
// Both, for a family whose layers all have it or none.
void read_all_windows(ConfigReader& config, Model& model);
// Layers without positions: those that "no_rope_layers" has 0 for, or else each
// "no_rope_layer_interval"-th. The others are `placed`.
void read_unplaced(ConfigReader& config, Mixer placed, Kinds& kinds);

struct ExpertKeys {
  const char* count;
  const char* top_k = "num_experts_per_tok";
  const char* width = "intermediate_size";
};
void read_experts(ConfigReader& config, const ExpertKeys& keys, Model& model);
// An expert for all tokens, as wide as `times` of `width`.
void set_shared_width(ConfigReader& config, const char* key, int times, int width, Model& model);
// "n_shared_experts" of the same width as the others.
void read_shared_experts(ConfigReader& config, Model& model);
// Dense blocks in the layers below "first_k_dense_replace".
void read_first_dense(ConfigReader& config, int usual, Model& model);
// Layers that predict further tokens: "num_nextn_predict_layers".
void read_predictions(ConfigReader& config, const char* key, Model& model);

}  // namespace sim::families
