// SPDX-License-Identifier: Apache-2.0
// The keys of a model file.
#include "sim/workload/model.hpp"

namespace sim {
namespace {

constexpr TomlKey kModelKeys[] = {
    {"summary", "string", "", "One-line description, shown by `gardenhose list models`."},
    {"model.layers", "whole number from 1 to 10000", "", "Transformer layers."},
    {"model.hidden", "whole number from 1 to 1000000", "", "Width of the hidden state."},
    {"model.heads", "whole number from 1 to 10000", "", "Attention heads."},
    {"model.head_width", "whole number from 1 to 10000", "",
     "Width of one head's query, key and value; usually hidden / heads."},
    {"model.kv_heads", "whole number from 1 to 10000", "",
     "Key and value heads: a divisor of `heads`, smaller than `heads` with grouped-query "
     "attention."},
    {"model.feed_forward", "whole number from 1 to 10000000", "",
     "Width of the feed-forward block."},
    {"model.feed_forward_kind", "one of gelu, swiglu", "",
     "`gelu`: two matrices. `swiglu`: three (gate, up and down)."},
    {"model.norm", "one of layer_norm, layer_norm_no_bias, rms_norm", "", "Kind of normalisation."},
    {"model.query_key_norm", "true or false", "",
     "Whether each head's query and key are normalised."},
    {"model.positions", "one of learned, rotary, alibi", "",
     "`learned`: a table of parameters. `rotary`: queries and keys are rotated. `alibi`: a bias is "
     "added to each attention score."},
    {"model.position_table", "whole number from 1 to 100000000", "required with learned positions",
     "Number of learned positions, at least `sequence`."},
    {"model.biases", "one of none, qkv, all", "",
     "Linear layers that have a bias: none, only the query, key and value projections (`qkv`), or "
     "all."},
    {"model.dropout", "true or false", "",
     "Whether dropout applies to attention, its output and the feed-forward block."},
    {"model.tied_embeddings", "true or false", "",
     "Whether the output projection shares the weights of the embedding."},
    {"model.vocabulary", "whole number from 1 to 100000000", "",
     "Vocabulary size, padded as in training."},
    {"model.sequence", "whole number from 1 to 100000000", "", "Tokens per sequence."},
};

}  // namespace

std::span<const TomlKey> model_keys() { return kModelKeys; }

}  // namespace sim
