// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/operators.hpp"

#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

// The four linear layers of a block; gate and up are one.
struct Linears {
  Linear projections, output, up, down;
};

Linears linears_of(const Sizes& z) {
  return {.projections = {.forward = "query, key, value",
                          .inputs = "query, key, value inputs",
                          .weights = "query, key, value weights",
                          .cast = "query, key, value casts",
                          .m = z.tokens,
                          .n = z.projected(),
                          .k = z.hidden},
          .output = {.forward = "attention output",
                     .inputs = "attention output inputs",
                     .weights = "attention output weights",
                     .cast = "attention output casts",
                     .m = z.tokens,
                     .n = z.hidden,
                     .k = z.width()},
          .up = {.forward = "feed-forward up",
                 .inputs = "feed-forward up inputs",
                 .weights = "feed-forward up weights",
                 .cast = "feed-forward up casts",
                 .m = z.tokens,
                 .n = z.rising * z.feed_forward,
                 .k = z.hidden},
          .down = {.forward = "feed-forward down",
                   .inputs = "feed-forward down inputs",
                   .weights = "feed-forward down weights",
                   .cast = "feed-forward down casts",
                   .m = z.tokens,
                   .n = z.hidden,
                   .k = z.feed_forward}};
}

// Of what ranks gathered along sequences, or of what they are about to scatter: read and written.
void add_sequence_copy(const Sizes& z, Operators& into) {
  constexpr double kReadAndWritten = 2 * 2;  // in BF16
  if (z.copies_sequences) {
    into.push_back(memory_pass("sequence copy", kReadAndWritten * z.tokens * z.hidden));
  }
}

void add_attention_from_core(const Sizes& z, Operators& into) {
  add_attention_core(z, into);
  add_linear(z, linears_of(z).output, into);
  add_sequence_copy(z, into);
  add_residual(z, into);
}

Operators attention_to_core(const Sizes& z) {
  Operators into;
  add_norm(z, into);
  add_sequence_copy(z, into);
  add_linear(z, linears_of(z).projections, into);
  add_projected(z, into);
  return into;
}

Operators attention_from_core(const Sizes& z) {
  Operators into;
  add_attention_from_core(z, into);
  return into;
}

// What a layer's last product reads.
void add_feed_forward_up(const Sizes& z, Operators& into) {
  add_norm(z, into);
  add_sequence_copy(z, into);
  add_linear(z, linears_of(z).up, into);
  add_activation(z, into);
}

void add_feed_forward_down(const Sizes& z, Operators& into) {
  add_linear(z, linears_of(z).down, into);
  add_sequence_copy(z, into);
  add_residual(z, into);
}

Operators feed_forward_forward(const Sizes& z) {
  Operators into;
  add_feed_forward_up(z, into);
  add_feed_forward_down(z, into);
  return into;
}

Operators feed_forward_inputs(const Sizes& z) {
  const Linears linears = linears_of(z);
  Operators into;
  add_norm_backward(z, into);  // of what comes after the layer
  add_residual_backward(z, into);
  add_sequence_copy(z, into);
  add_linear_inputs(z, linears.down, into);
  into.push_back(linear_weights(z, linears.down));
  add_activation_backward(z, into);
  add_linear_inputs(z, linears.up, into);
  add_sequence_copy(z, into);
  return into;
}

Operators attention_back_to_core(const Sizes& z) {
  const Linears linears = linears_of(z);
  Operators into;
  add_norm_backward(z, into);
  add_residual_backward(z, into);
  add_sequence_copy(z, into);
  add_linear_inputs(z, linears.output, into);
  into.push_back(linear_weights(z, linears.output));
  add_attention_core_backward(z, into);
  return into;
}

Operators attention_back_from_core(const Sizes& z) {
  Operators into;
  add_projected_backward(z, into);
  add_linear_inputs(z, linears_of(z).projections, into);
  add_sequence_copy(z, into);
  return into;
}

// Of queries, keys, values, output, gate, up and down every second one, and all that is no product.
// Without a gate the sixth is down.
Operators recomputed_alternately(const Sizes& z, bool last) {
  Linears linears = linears_of(z);
  linears.projections.n = z.key_value;
  linears.up.n = z.feed_forward;
  Operators into;
  add_norm(z, into);
  add_sequence_copy(z, into);
  add_linear(z, linears.projections, into);
  add_projected(z, into);
  add_linear(z, linears.output, into);
  add_residual(z, into);
  add_norm(z, into);
  add_sequence_copy(z, into);
  if (z.rising > 1) add_linear(z, linears.up, into);
  add_activation(z, into);
  if (z.rising == 1 && last) add_linear(z, linears.down, into);
  return into;
}

Operators recomputed(const Sizes& z, const Parallelism& p) {
  Operators into;
  switch (p.recompute) {
    case Recompute::none:
      break;
    case Recompute::selective:
      // The fused core keeps no scores: there is nothing that selective recomputation would save.
      if (!z.fused()) add_attention_core(z, into);
      break;
    case Recompute::alternate:
      return recomputed_alternately(z, recomputes_last(p));
    case Recompute::projections:
      add_norm(z, into);  // the gradients of the projections' weights read it
      add_attention_from_core(z, into);
      add_feed_forward_up(z, into);
      break;
    case Recompute::full:
      into = attention_to_core(z);
      add_attention_from_core(z, into);
      add_feed_forward_up(z, into);
      if (recomputes_last(p)) add_feed_forward_down(z, into);
      break;
  }
  return into;
}

// Megatron's cross entropy: logits cast to FP32 (2 + 4 bytes), their maximum (4), subtracted
// (4 + 4), exponentials (4 + 4), their sum (4), divided by it (4 + 4). PyTorch's: the cast (2 + 4),
// the logarithm of the softmax (4 + 4). Fused: read (2).
Operator loss_forward(const Parallelism& p, double logits) {
  if (p.loss == Loss::fused) return memory_pass("loss", 2 * logits, 1, Work::loss);
  return p.kernels == Kernels::megatron ? memory_pass("loss", 38 * logits, 6, Work::loss)
                                        : memory_pass("loss", 14 * logits, 3, Work::loss);
}

// The gradient in FP32 (4 + 4) and its cast to BF16 (4 + 2). PyTorch's: zeros (4), the softmax's
// (4 + 4 + 4), the cast. Fused: in place (2 + 2).
Operator loss_backward(const Parallelism& p, double logits) {
  if (p.loss == Loss::fused) return memory_pass("loss backward", 4 * logits, 1, Work::loss);
  return p.kernels == Kernels::megatron ? memory_pass("loss backward", 14 * logits, 2, Work::loss)
                                        : memory_pass("loss backward", 22 * logits, 3, Work::loss);
}

}  // namespace

LayerOperators layer_operators(const Model& model, const Parallelism& parallelism) {
  const Sizes z = sizes_of(model, parallelism);
  const Linears linears = linears_of(z);
  constexpr std::string_view kAttention = "attention", kFeedForward = "feed-forward";
  constexpr std::string_view kProjections = "projections", kCore = "core";
  return {.forward = {{kAttention, kProjections, attention_to_core(z), Point::inside_attention},
                      {kAttention, kCore, attention_from_core(z)},
                      {kFeedForward, {}, feed_forward_forward(z)}},
          .recompute = recomputed(z, parallelism),
          .backward = {{.block = kFeedForward,
                        .kernels = feed_forward_inputs(z),
                        .beside = {linear_weights(z, linears.up)}},
                       {kAttention, kCore, attention_back_to_core(z), Point::inside_attention},
                       {.block = kAttention,
                        .part = kProjections,
                        .kernels = attention_back_from_core(z),
                        .beside = {linear_weights(z, linears.projections)}}}};
}

EndOperators end_operators(const Model& model, const Parallelism& parallelism) {
  const Sizes z = sizes_of(model, parallelism);
  const double vocabulary = static_cast<double>(model.vocabulary) / parallelism.tensor;
  const double logits = z.tokens * vocabulary;
  EndOperators ends;
  ends.embedding = {memory_pass("embedding", 2 * z.activations())};  // words gathered
  if (z.positions == Model::Positions::learned) {
    ends.embedding.push_back(memory_pass("embedding positions", 3 * z.activations()));
  }
  if (z.dropout) ends.embedding.push_back(memory_pass("embedding dropout", 2.5 * z.activations()));
  add_norm_backward(z, ends.embedding_backward);  // of the first layer
  ends.embedding_backward.push_back(
      memory_pass("embedding backward", (1 + z.embedding_gradient_bytes) * z.activations(), 2));
  add_norm(z, ends.head);
  ends.head.push_back(gemm("logits", z.tokens, vocabulary, z.hidden));
  ends.head.push_back(loss_forward(parallelism, logits));
  if (parallelism.loss_metrics > 0) {
    // Each as PyTorch's cross entropy forward: the cast (2 + 4), the logarithm of the softmax (4 + 4).
    const double metrics = parallelism.loss_metrics;
    ends.head.push_back(
        memory_pass("loss metrics", 14 * logits * metrics, 3 * metrics, Work::loss));
  }
  ends.head_backward = {loss_backward(parallelism, logits),
                        gemm("logits inputs", z.tokens, z.hidden, vocabulary, Gradient::inputs),
                        weight_gradient(z, "logits weights", z.tokens, vocabulary, z.hidden)};
  return ends;
}

}  // namespace sim
