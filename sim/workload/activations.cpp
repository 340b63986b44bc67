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
  return z.scores() * (z.dropout ? 2 + kMask : 1);
}

// Inputs of a norm and of the product after it; eager, the norm's FP32 input and product too.
double norm_bytes(const Sizes& z, const Parallelism& p) {
  const double product = keeps_gathered_inputs(p) ? p.tensor : 1;
  return z.activations() * (1 + product + (z.eager_norm() ? 2 * kFp32 / kBf16 : 0));
}

}  // namespace

LayerActivations all_activations(const Model& model, const Parallelism& p) {
  const Sizes z = sizes_of(model, p);
  const double mask = z.dropout ? kMask * z.activations() : 0;
  LayerActivations all;
  // Queries, keys, values (as wide as keys) and the attention's output (as queries); what norms of
  // queries and keys were given.
  all.attention =
      norm_bytes(z, p) + mask + (z.query_key_norm ? 3 : 2) * z.queries_and_keys() + score_bytes(z);
  // Inputs and output of the activation; eager, the gate's SiLU.
  all.feed_forward = norm_bytes(z, p) + mask + (z.rising + 1 + (z.eager_gate() ? 1 : 0)) * z.wide();
  return all;
}

LayerActivations kept_activations(const Model& model, const Parallelism& p) {
  const Sizes z = sizes_of(model, p);
  LayerActivations kept = all_activations(model, p);
  switch (p.recompute) {
    case Recompute::none:
      break;
    case Recompute::selective:
      kept.attention -= score_bytes(z);
      break;
    case Recompute::alternate:
      // The layer's input; queries, values and the core's output; gate (or up), and down where its
      // product is one that is kept.
      kept.attention = z.activations() + z.queries_and_keys() + kBf16 * z.tokens * z.width();
      kept.feed_forward = z.wide() + (z.rising > 1 ? z.activations() : 0);
      break;
    case Recompute::projections:
      // The layer's input; queries, keys and values.
      kept = {.attention =
                  z.activations() + 2 * z.queries_and_keys() - kBf16 * z.tokens * z.width()};
      break;
    case Recompute::full:
      kept = {.attention = z.activations()};
      break;
  }
  return kept;
}

double head_activations(const Model& model, const Parallelism& p) {
  const double logits =
      static_cast<double>(p.micro_batch) * model.sequence * model.vocabulary / p.tensor;
  if (p.loss == Loss::fused) return kBf16 * logits;
  // Megatron's loss works in place on one FP32 copy. PyTorch's has the logarithm of the softmax, its
  // gradient and the logits' at once.
  const double copies = p.kernels == Kernels::megatron ? 1 : 3;
  return (kBf16 + copies * kFp32) * logits;
}

}  // namespace sim
