// SPDX-License-Identifier: Apache-2.0
// The keys of a model file.
#include "sim/workload/model.hpp"

namespace sim {
namespace {

constexpr TomlKey kModelKeys[] = {
    {"summary", "text", "", "One line for `gardenhose list models`."},
    {"model.layers", "whole number from 1 to 10000", "", "Transformer layers."},
    {"model.hidden", "whole number from 1 to 1000000", "", "Width of the hidden state."},
    {"model.heads", "whole number from 1 to 10000", "", "Attention heads."},
    {"model.head_width", "whole number from 1 to 10000", "",
     "Width of one head's query, key and value; usually hidden / heads."},
    {"model.kv_heads", "whole number from 1 to 10000", "",
     "Heads of keys and values. Grouped-query attention has fewer than `heads`; it divides "
     "`heads`."},
    {"model.feed_forward", "whole number from 1 to 10000000", "",
     "Width of the feed-forward block."},
    {"model.feed_forward_kind", "one of gelu, swiglu", "",
     "`gelu`: two matrices. `swiglu`: three (gate, up and down)."},
    {"model.norm", "one of layer_norm, layer_norm_no_bias, rms_norm", "", "Kind of the norms."},
    {"model.query_key_norm", "true or false", "", "A norm of each head's query and key."},
    {"model.positions", "one of learned, rotary, alibi", "",
     "`learned`: a table of parameters. `rotary`: queries and keys are rotated. `alibi`: a number "
     "is added to each score."},
    {"model.position_table", "whole number from 1 to 100000000", "needed with learned positions",
     "Entries of the table of learned positions, at least `sequence`."},
    {"model.biases", "one of none, qkv, all", "",
     "Biases of the linear layers: none, those of queries, keys and values, or all."},
    {"model.dropout", "true or false", "",
     "Dropout on attention, its output and the feed-forward block."},
    {"model.tied_embeddings", "true or false", "", "The output projection is the embedding."},
    {"model.vocabulary", "whole number from 1 to 100000000", "",
     "Entries of the vocabulary, padded as in training."},
    {"model.sequence", "whole number from 1 to 100000000", "", "Tokens of a sequence."},
};

}  // namespace

std::span<const TomlKey> model_keys() { return kModelKeys; }

}  // namespace sim
