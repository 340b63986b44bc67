#include "sim/workload/activations.hpp"

namespace sim {
namespace {

constexpr double kBf16 = 2, kFp32 = 4, kMask = 1;

struct Widths {
  double tokens;
  double state;     // values of the tokens' state that the rank holds
  double queries;   // values of the tokens' queries on the rank; of their attention's outputs too
  double keys;      // of keys; of values too
  double wide;      // of one feed-forward width
  double rising;    // such widths that rise: one, or gate and up
  double scores;    // of all heads and pairs
  bool eager_norm;  // RMSNorm is several kernels, whose FP32 inputs are kept
};

Widths widths_of(const Model& model, const Parallelism& p) {
  const double t = p.tensor;
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence;
  return {.tokens = tokens,
          .state = tokens * model.hidden / (p.sequence_parallel ? t : 1),
          .queries = tokens * static_cast<double>(query_width(model)) / t,
          .keys = tokens * static_cast<double>(key_width(model)) / t,
          .wide = tokens * model.feed_forward / t,
          .rising = model.feed_forward_kind == Model::FeedForward::swiglu ? 2.0 : 1.0,
          .scores = tokens * model.heads * model.sequence / t,
          .eager_norm = p.kernels == Kernels::eager && model.norm == Model::Norm::rms_norm};
}

// Softmax output, dropout output and its mask. A fused core keeps none of them.
double score_bytes(const Model& model, const Parallelism& p, const Widths& w) {
  if (p.attention == Attention::fused) return 0;
  return w.scores * (model.dropout ? 2 * kBf16 + kMask : kBf16);
}

// Inputs of a norm and of the product after it; eager, the norm's FP32 input and product too.
double norm_bytes(const Widths& w) {
  return w.state * (2 * kBf16 + (w.eager_norm ? 2 * kFp32 : 0));
}

}  // namespace

LayerActivations all_activations(const Model& model, const Parallelism& p) {
  const Widths w = widths_of(model, p);
  const double mask = model.dropout ? kMask * w.state : 0;
  const bool eager_gate = p.kernels == Kernels::eager && w.rising > 1;  // and the gate's SiLU
  LayerActivations all;
  // Queries, keys, values and the attention's output; what norms of queries and keys were given.
  all.attention = norm_bytes(w) + mask + kBf16 * (2 * w.queries + 2 * w.keys) +
                  (model.query_key_norm ? kBf16 * (w.queries + w.keys) : 0) +
                  score_bytes(model, p, w);
  // Inputs and output of the activation.
  all.feed_forward = norm_bytes(w) + mask + kBf16 * (w.rising + 1 + (eager_gate ? 1 : 0)) * w.wide;
  return all;
}

LayerActivations kept_activations(const Model& model, const Parallelism& p) {
  const Widths w = widths_of(model, p);
  LayerActivations kept = all_activations(model, p);
  switch (p.recompute) {
    case Recompute::none:
      break;
    case Recompute::selective:
      kept.attention -= score_bytes(model, p, w);
      break;
    case Recompute::alternate:
      // The layer's input; queries, values and the core's output; gate (or up), and down where its
      // product is one that is kept.
      kept.attention = kBf16 * (w.state + 2 * w.queries + w.keys);
      kept.feed_forward = kBf16 * (w.wide + (w.rising > 1 ? w.state : 0));
      break;
    case Recompute::full:
      kept = {.attention = kBf16 * w.state};
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
