// SPDX-License-Identifier: Apache-2.0
// Model: the shape of one transformer, exactly enough for its parameter and FLOP counts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"

namespace sim {

// [model] of a model file. Every key is required, but for position_table without a table.
struct Model {
  enum class FeedForward {
    gelu,   // two matrices: hidden x feed_forward and back
    swiglu  // three: gate and up, then down
  };
  enum class Positions {
    learned,  // a table of `position_table` x hidden parameters
    rotary,   // queries and keys are turned; no parameters
    alibi     // a number added to each score (arXiv 2108.12409); no parameters
  };
  enum class Norm {
    layer_norm,          // weight and bias
    layer_norm_no_bias,  // weight
    rms_norm             // weight
  };
  enum class Biases {
    none,
    qkv,  // of queries, keys and values
    all   // of every linear layer of the blocks; the output projection has none
  };
  std::string name;     // the file's stem; of a config.json its folder's
  std::string file;     // its last part, after the folder of a config.json
  std::string summary;  // one line for `list`
  int layers = 0;
  int hidden = 0;
  int heads = 0;
  int head_width = 0;    // of a query, a key and a value; mostly hidden / heads
  int kv_heads = 0;      // grouped-query attention; divides heads; equal to heads without it
  int feed_forward = 0;  // width of the feed-forward block
  FeedForward feed_forward_kind = FeedForward::gelu;
  Norm norm = Norm::layer_norm;
  bool query_key_norm = false;  // a norm of each head's query and key, its weights shared by heads
  Positions positions = Positions::learned;
  int position_table = 0;  // learned positions: at least `sequence`; 0 without
  Biases biases = Biases::none;
  bool dropout = false;          // on attention, its output and the feed-forward block
  bool tied_embeddings = false;  // the output projection is the embedding
  int vocabulary = 0;            // padded as it is trained
  int sequence = 0;              // tokens per sample
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

// Width of all heads' queries, and of the keys (or values) that groups of heads share.
[[nodiscard]] inline std::int64_t query_width(const Model& model) {
  return std::int64_t{model.heads} * model.head_width;
}
[[nodiscard]] inline std::int64_t key_width(const Model& model) {
  return std::int64_t{model.kv_heads} * model.head_width;
}
// Matrices from hidden to feed_forward: one, or gate and up.
[[nodiscard]] inline int rising_widths(const Model& model) {
  return model.feed_forward_kind == Model::FeedForward::swiglu ? 2 : 1;
}

// Parameters by where they live: a tensor-parallel rank holds 1/tp of `layer_sharded`.
struct ParameterCount {
  std::int64_t layer_sharded = 0;     // of one layer: split by tensor parallelism
  std::int64_t layer_matrices = 0;    // of `layer_sharded`: all but biases
  std::int64_t layer_replicated = 0;  // of one layer: norms and biases of row-parallel matrices
  std::int64_t embedding = 0;         // vocabulary x hidden: split by tensor parallelism
  std::int64_t positions = 0;         // learned positions: on the first pipeline stage
  std::int64_t final_norm = 0;        // on the last pipeline stage
};
[[nodiscard]] ParameterCount parameter_count(const Model& model);
// All parameters of the model, the output projection counted once when it is tied.
[[nodiscard]] std::int64_t total_parameters(const Model& model);

// Model FLOP of one training step over `samples` sequences: forward and backward of every matrix
// product, full (not causal) attention, no recomputation. For GPT shapes this is Narayanan et al.
// (arXiv 2104.04473, eq. 3) with 72 in place of 96: 72 B s L h^2 (1 + s/6h + V/12Lh).
[[nodiscard]] Flop model_flop(const Model& model, std::int64_t samples);

}  // namespace sim
