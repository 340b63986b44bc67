// SPDX-License-Identifier: Apache-2.0
// Sizes of one micro-batch on one rank, and its software: the basis for counting operators and the
// memory that they leave. Internal to those.
#pragma once

#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"
#include "sim/workload/routing.hpp"

namespace sim {

// Multi-head latent attention; rank 0 without.
struct LatentSizes {
  double rank, query_rank, rope_width;
};
// Experts to choose from; count 0 without, and none where there is nothing to choose.
struct ExpertSizes {
  double all;    // to choose from
  double count;  // of these on the rank
  double top_k, width, latent_width;
  bool shared, shared_gate;
  bool dispatched;  // to other ranks, and rows of theirs to this one
  Dispatcher by;
  double tokens;    // whose rows the rank's experts get; of the rank that gets most
  double arriving;  // rows, before one is there for each expert
  double row_width;
  Routed routed;
  // Of an expert where all have the same.
  [[nodiscard]] double rows() const { return tokens * top_k / count; }
  [[nodiscard]] double all_rows() const { return tokens * top_k; }
};
struct MambaSizes {
  double heads, width, state, groups, kernel, chunk;
  [[nodiscard]] double convolved() const { return width + 2 * groups * state; }
  [[nodiscard]] double projected() const { return width + convolved() + heads; }
};
// Of all pairs of tokens of a sequence: those that a fused kernel computes, and those that count.
struct AttendedShares {
  double computed, useful;
};

// The core of attention: of so many heads, `rounds` times so many queries of a sample and keys.
struct CoreSizes {
  double heads, queries, keys, rounds;
};

struct Sizes {
  double tokens, local_tokens;  // local: as seen by norms, dropouts and residuals
  double hidden, heads, head_width, sequence, samples;
  double own_sequence;  // the rank's tokens of a sequence
  CoreSizes core;
  double keys, values, outputs;  // widths of all of the rank's heads; outputs: of the core
  double feed_forward, rising;   // of what every token passes: dense, or a shared expert
  LayerKind kind;
  Model::Blocks blocks;
  Model::NormPlace norm_place;
  LatentSizes latent;
  ExpertSizes experts;
  MambaSizes mamba;
  AttendedShares attends;
  // Bytes moved per element by a weight's gradient once it is summed: written in BF16, and added to
  // a buffer of the whole gradient if there is one.
  double weight_gradient_bytes;
  double embedding_gradient_bytes;  // per element of the buffer of embedding gradients
  Model::Positions positions;
  bool query_biases, output_bias, feed_forward_biases;
  Model::Norm norm;
  double rotary_share;
  bool query_key_norm, grouped, dropout, attention_dropout, causal, sinks, attention_cap;
  bool modulated;  // layers are scaled and shifted by a vector of each sample
  // What tensor-parallel ranks gather or scatter: Stack::dtensor. Where that overlaps, products run in as many
  // parts as there are ranks, as these come or go, and a scatter ends with the sum of what all made
  // (fused_all_gather_matmul and fused_matmul_reduce_scatter in torch.distributed._symmetric_memory).
  bool copies_sequences;
  double parts_in_turn;  // 1: whole
  Attention attention;
  Kernels kernels;
  Casts casts;
  MatrixPrecision matrices;
  bool gathers_matrices;  // weights arrive in the precision of the matrix products

  [[nodiscard]] bool fused() const { return is_fused(attention); }
  [[nodiscard]] double width() const { return heads * head_width; }  // of queries
  [[nodiscard]] double value_head() const { return outputs / heads; }
  [[nodiscard]] double projected() const { return width() + keys + values; }
  // Bytes of BF16 activations: of one hidden state per token, and of one feed-forward width.
  [[nodiscard]] double activations() const { return 2 * local_tokens * hidden; }
  [[nodiscard]] double wide() const { return 2 * tokens * feed_forward; }
  [[nodiscard]] double scores() const { return 2 * samples * heads * own_sequence * sequence; }
  [[nodiscard]] double queries_and_keys() const { return 2 * tokens * (width() + keys); }
  [[nodiscard]] double projections() const { return 2 * tokens * projected(); }
  [[nodiscard]] bool is_parallel() const { return blocks != Model::Blocks::serial; }
  // PyTorch's own RMSNorm and SwiGLU take several kernels each and write the results in between.
  [[nodiscard]] bool eager_norm() const {
    return kernels == Kernels::eager && norm == Model::Norm::rms_norm;
  }
  [[nodiscard]] bool eager_gate() const { return kernels == Kernels::eager && rising > 1; }
};
// How a micro-batch's tokens spread over the ranks of an expert-parallel group on so many nodes.
[[nodiscard]] Routed routed_to(const Model& model, const Parallelism& parallelism, int nodes = 1);
[[nodiscard]] Sizes sizes_of(const Model& model, const Parallelism& parallelism,
                             LayerKind kind = {});

}  // namespace sim
