// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/activations.hpp"

#include "sim/workload/sizes.hpp"

namespace sim {
namespace {

constexpr double kBf16 = 2, kFp32 = 4;
constexpr double kMask = 0.5;  // bytes of a dropout's mask over those that it masks

// Softmax output, dropout output and its mask. A fused core keeps none of them.
double score_bytes(const Sizes& z) {
  if (z.fused()) return 0;
  return z.scores() * (z.attention_dropout ? 2 + kMask : 1);
}

// Inputs of a block's norms and of the product after the first; eager, a norm's FP32 input and product
// too. Of a modulated block what is scaled, and at its end what its gate multiplies.
double norm_bytes(const Sizes& z, const Parallelism& p) {
  const double product = keeps_gathered_inputs(p) ? p.tensor : 1;
  const double norms = z.norm_place == Model::NormPlace::both ? 2 : 1;
  const double of_norms = norms * (1 + (z.eager_norm() ? 2 * kFp32 / kBf16 : 0));
  return z.activations() * (of_norms + product + (z.modulated ? 2 : 0));
}

double mask_bytes(const Sizes& z) { return z.dropout ? kMask * z.activations() : 0; }

// Queries, keys, values and the core's output; what norms of queries and keys were given.
double attention_bytes(const Sizes& z) {
  double vectors = z.queries_and_keys() + kBf16 * z.tokens * (z.values + z.outputs);
  if (z.query_key_norm) vectors += z.queries_and_keys();
  // Latent vectors before and after their norms.
  vectors += 2 * kBf16 * z.tokens * (z.latent.query_rank + z.latent.rank);
  return vectors;
}

// What was projected, what was convolved of it, and the scan's output before and after its norm.
double mamba_bytes(const Sizes& z) {
  return kBf16 * z.tokens * (z.mamba.projected() + z.mamba.convolved() + 2 * z.mamba.width);
}

// Of each width between a block's products: inputs and output of the activation; eager, the gate's SiLU.
double widths_kept(const Sizes& z) { return z.rising + 1 + (z.eager_gate() ? 1 : 0); }

// Bytes of a token's row at the experts.
double expert_row(const Sizes& z) { return kBf16 * z.experts.row_width; }

// Scores of the router; rows as experts get and give them; what is between their products.
double expert_bytes(const Sizes& z) {
  if (z.experts.count == 0) return 0;
  return kFp32 * z.local_tokens * z.experts.all +
         z.experts.all_rows() * (2 * expert_row(z) + widths_kept(z) * kBf16 * z.experts.width);
}

// Of tensor-parallel ranks, what DTensor's selective recomputation keeps of a block besides: its
// reduce_scatter's output.
double scattered_bytes(const Sizes& z, const Parallelism& p) {
  return splits_by_dtensor(p) ? z.activations() : 0;
}

// Gate (or up), and down where its product is one that is kept: of the last block under alternate
// recomputation.
double alternate_bytes(const Sizes& z, const Parallelism& p) {
  const bool gated = z.rising > 1;
  // Down's output before its reduce_scatter is of all of a group's tokens.
  const double down = splits_by_dtensor(p) ? kBf16 * z.tokens * z.hidden : z.activations();
  double bytes = z.wide() + (gated ? down : 0) + scattered_bytes(z, p);
  if (z.experts.count > 0) {
    bytes += z.experts.all_rows() * (kBf16 * z.experts.width + (gated ? expert_row(z) : 0));
  }
  return bytes;
}

}  // namespace

LayerActivations all_activations(const Model& model, const Parallelism& p, LayerKind kind) {
  const Sizes z = sizes_of(model, p, kind);
  LayerActivations all;
  if (kind.mixer == Mixer::mamba) all.attention = norm_bytes(z, p) + mask_bytes(z) + mamba_bytes(z);
  if (kind.has_attention()) {
    all.attention = norm_bytes(z, p) + mask_bytes(z) + attention_bytes(z) + score_bytes(z);
  }
  if (kind.block != Block::none) {
    all.feed_forward =
        norm_bytes(z, p) + mask_bytes(z) + widths_kept(z) * z.wide() + expert_bytes(z);
  }
  return all;
}

LayerActivations kept_activations(const Model& model, const Parallelism& p, LayerKind kind) {
  const Sizes z = sizes_of(model, p, kind);
  LayerActivations kept = all_activations(model, p, kind);
  // Of the layer's input, whichever of its blocks is the first.
  const bool mixes = kind.mixer != Mixer::none;
  switch (p.recompute) {
    case Recompute::none:
      break;
    case Recompute::selective:
      if (kind.has_attention()) kept.attention -= score_bytes(z);
      break;
    case Recompute::alternate:
      // The layer's input; queries, values and the core's output; gate or up.
      if (kind.has_attention()) {
        kept.attention = z.activations() + z.queries_and_keys() + kBf16 * z.tokens * z.outputs +
                         scattered_bytes(z, p);
      } else if (mixes) {
        kept.attention = z.activations() + kBf16 * z.tokens * z.mamba.projected();
      }
      if (kind.block != Block::none) {
        kept.feed_forward = alternate_bytes(z, p) + (mixes ? 0 : z.activations());
      }
      break;
    case Recompute::projections:
      // The layer's input; queries, keys and values.
      kept = {.attention = z.activations()};
      if (kind.has_attention()) {
        kept.attention += z.queries_and_keys() + kBf16 * z.tokens * z.values;
      } else if (mixes) {
        kept.attention += kBf16 * z.tokens * z.mamba.projected();
      }
      break;
    case Recompute::experts:
      if (kind.block == Block::experts) kept.feed_forward = z.activations();
      break;
    case Recompute::full:
      kept = {.attention = z.activations()};
      break;
  }
  return kept;
}

double values_between_layers(const Model& model, const Parallelism& p) {
  return double{1} * p.micro_batch * model.sequence * model.hidden / p.context;
}

double head_activations(const Model& model, const Parallelism& p) {
  const double logits =
      static_cast<double>(p.micro_batch) * model.sequence / p.context * model.vocabulary / p.tensor;
  if (p.loss == Loss::fused) return kBf16 * logits;
  // Megatron's loss works in place on one FP32 copy. PyTorch's has the logarithm of the softmax, its
  // gradient and the logits' at once.
  const double copies = p.kernels == Kernels::megatron ? 1 : 3;
  return (kBf16 + copies * kFp32) * logits;
}

}  // namespace sim
