// SPDX-License-Identifier: Apache-2.0
// What several frameworks derive in the same way.
#pragma once

#include <initializer_list>
#include <string_view>

#include "sim/launch/facts.hpp"

namespace sim::launch::frameworks {

// `overlap` from facts such as "_overlap_gradients" that are "true".
void derive_overlap(Facts& facts, std::string_view why);
// `nodes` and `gpus-per-node` from the first of these facts that there is.
void derive_nodes(Facts& facts, std::initializer_list<std::string_view> nodes,
                  std::initializer_list<std::string_view> gpus_per_node);
// `recompute` from how finely activations are recomputed ("_granularity": selective, full), and a
// warning where only some layers are ("_recompute_method" block of "_recompute_layers").
void derive_recompute(Facts& facts);
// Sizes of a model that follow from others: as many keys as heads, a head's width of hidden / heads.
void derive_sizes(Facts& facts);
// "model.vocabulary" of a tokenizer with so many words, padded to a multiple of "_divisible" (`usual`
// without) times `tp`.
void derive_vocabulary(Facts& facts, std::int64_t words, std::int64_t usual, std::string_view why);
// `model.dropout` of "_hidden_dropout" and "_attention_dropout".
void derive_dropout(Facts& facts, std::string_view usual, std::string_view why);
// Zero for "0", "0.0" and such.
[[nodiscard]] bool is_zero(std::string_view text);

}  // namespace sim::launch::frameworks
