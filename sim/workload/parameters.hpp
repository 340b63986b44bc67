// SPDX-License-Identifier: Apache-2.0
// Parameters and FLOP of a model, by where they are.
#pragma once

#include <cstdint>
#include <string>

#include "sim/base/units.hpp"
#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/model.hpp"

namespace sim {

// Of one layer. A tensor-parallel rank holds 1/tp of `sharded`.
struct LayerParameters {
  std::int64_t sharded = 0;     // split by tensor parallelism
  std::int64_t replicated = 0;  // norms, routers, biases of row-parallel matrices
  // Of these, what is in weight matrices, split and not.
  std::int64_t sharded_matrices = 0;
  std::int64_t replicated_matrices = 0;
  std::int64_t routed = 0;  // of `sharded` and `replicated`: of experts to choose from
  std::int64_t routed_replicated = 0;
  std::int64_t routed_matrices = 0;  // all of them split
  std::int64_t idle = 0;             // of `routed`: those that a token does not meet
  [[nodiscard]] std::int64_t total() const { return sharded + replicated; }
};
[[nodiscard]] LayerParameters layer_parameters(const Model& model, LayerKind kind = {});

// Of what is around the layers.
struct EndParameters {
  std::int64_t words = 0;  // vocabulary x hidden: split by tensor parallelism
  std::int64_t first = 0;  // what else the first pipeline stage has: learned positions, patches
  std::int64_t projection = 0;  // the output's: split by tensor parallelism; `words` if it is tied
  std::int64_t last = 0;        // what else the last stage has: the final norm, a bias
};
[[nodiscard]] EndParameters end_parameters(const Model& model);

// As publications count them: the output projection once when it is tied, and without layers that
// predict further tokens.
[[nodiscard]] std::int64_t total_parameters(const Model& model);

struct ParametersByPart {
  std::int64_t total = 0;         // total_parameters()
  std::int64_t attention = 0;     // or what else mixes tokens
  std::int64_t feed_forward = 0;  // dense, and shared experts with routers
  std::int64_t experts = 0;       // to choose from
  std::int64_t norms = 0;         // and what else a layer has
  std::int64_t ends = 0;
  std::int64_t predictions = 0;  // not in total_parameters()
  // Of those that a token meets, `words` and without: publications have both.
  std::int64_t active = 0;
  std::int64_t active_without_words = 0;
};
[[nodiscard]] ParametersByPart parameters_by_part(const Model& model);
// "671 billion parameters, 37.6 billion of them for each token"; the latter where it differs.
[[nodiscard]] std::string parameters_text(const ParametersByPart& parts);

// How a count of FLOP takes attention under a causal mask: all scores, as Narayanan et al. (arXiv
// 2104.04473) do, or those below the diagonal.
enum class CountedScores { whole, causal };

// Model FLOP of one training step over `samples` sequences: forward and backward of every matrix
// product, no recomputation. Of a window, tokens inside it count; of Mamba-2, 7 d n a token (Megatron-LM's
// count of its scan). For GPT shapes this is Narayanan et al.'s eq. 3 with 72 in place of 96:
// 72 B s L h^2 (1 + s/6h + V/12Lh).
[[nodiscard]] Flop model_flop(const Model& model, std::int64_t samples,
                              CountedScores scores = CountedScores::whole);

// Of one layer forward, a token, with scores below the diagonal.
[[nodiscard]] double layer_flop(const Model& model, LayerKind kind);

// Tokens that a token of a sequence attends to, on average over the sequence; under a causal mask all
// scores count twice, so that a layer without a window has `sequence`.
[[nodiscard]] double attended(const Model& model, LayerKind kind);

}  // namespace sim
