#include "sim/workload/operators.hpp"

#include <algorithm>
#include <cmath>

namespace sim {
namespace {

constexpr double kBf16 = 2;  // bytes

// Sizes of one micro-batch on one rank.
struct Sizes {
  double tokens, local_tokens;  // local: what norms, dropouts and residuals see
  double hidden, heads, head_width, key_value, feed_forward, rising, sequence, samples;
  double gradient;  // bytes of one element of the gradient buffer
  Model::Positions positions;
  Model::Biases biases;
  bool query_key_norm, dropout, fused;

  [[nodiscard]] double activations() const { return kBf16 * local_tokens * hidden; }
  [[nodiscard]] double scores() const { return kBf16 * samples * heads * sequence * sequence; }
  [[nodiscard]] bool any_biases() const { return biases != Model::Biases::none; }
  [[nodiscard]] bool all_biases() const { return biases == Model::Biases::all; }
  [[nodiscard]] double queries_and_keys() const {
    return kBf16 * tokens * (heads * head_width + key_value);
  }
  // Of this rank's queries, keys and values.
  [[nodiscard]] double projections() const {
    return kBf16 * tokens * (heads * head_width + 2 * key_value);
  }
  // Megatron's causal softmax is one kernel that reads half of the scores where it takes their
  // shape, else PyTorch's mask and softmax (megatron/core/fusions/fused_softmax.py,
  // is_kernel_available).
  [[nodiscard]] bool one_softmax_kernel() const {
    return std::fmod(heads * samples, 4) == 0 && std::fmod(sequence, 4) == 0 && sequence <= 4096;
  }
};

Sizes sizes_of(const Model& model, const Parallelism& p) {
  const double t = p.tensor;
  const double tokens = static_cast<double>(p.micro_batch) * model.sequence;
  return {.tokens = tokens,
          .local_tokens = p.sequence_parallel ? tokens / t : tokens,
          .hidden = static_cast<double>(model.hidden),
          .heads = model.heads / t,
          .head_width = static_cast<double>(model.head_width),
          .key_value = static_cast<double>(key_width(model)) / t,
          .feed_forward = model.feed_forward / t,
          .rising = model.feed_forward_kind == Model::FeedForward::swiglu ? 2.0 : 1.0,
          .sequence = static_cast<double>(model.sequence),
          .samples = static_cast<double>(p.micro_batch),
          .gradient = static_cast<double>(bytes_of(p.gradients)),
          .positions = model.positions,
          .biases = model.biases,
          .query_key_norm = model.query_key_norm,
          .dropout = model.dropout,
          .fused = p.attention == Attention::fused};
}

Operator memory_pass(std::string_view name, double bytes, double launches = 1) {
  return {.name = name, .bytes = bytes, .launches = launches};
}

Operator gemm(std::string_view name, double m, double n, double k) {
  return {.name = name, .m = m, .n = n, .k = k, .bytes = kBf16 * (m * k + k * n + m * n)};
}

// The gradient of a weight (n x k) from m tokens, added to the gradient buffer: read and written.
Operator weight_gradient(std::string_view name, double m, double n, double k, double gradient) {
  return {.name = name,
          .m = n,
          .n = k,
          .k = m,
          .bytes = kBf16 * (m * k + m * n) + 2 * gradient * n * k};
}

Operator norm(const Sizes& z) { return memory_pass("norm", 2 * z.activations()); }
Operator norm_backward(const Sizes& z) {
  return memory_pass("norm backward", 4 * z.activations(), 2);  // input and weight gradients
}

// Bias, dropout with its byte mask, and the residual: two reads, one write, half a write of mask.
Operator residual(const Sizes& z) {
  return memory_pass("residual", (z.dropout ? 3.5 : 3) * z.activations());
}
void add_residual_backward(const Sizes& z, Operators& into) {
  if (z.dropout) into.push_back(memory_pass("dropout backward", 2.5 * z.activations()));
  if (z.all_biases()) into.push_back(memory_pass("bias gradient", z.activations()));
}

// Matrix products a head and sample over all pairs of tokens, which share `bytes`: those that give
// a number a pair (scores and their gradients), and those that sum over pairs to a vector a token.
struct ProductNames {
  std::string_view pairs, vectors;
};
void add_attention_products(const Sizes& z, ProductNames names, double pairs, double vectors,
                            double bytes, Operators& into) {
  const double products = pairs + vectors;
  const double heads = z.heads * z.samples;
  into.push_back({.name = names.pairs,
                  .m = z.sequence,
                  .n = z.sequence,
                  .k = z.head_width,
                  .count = pairs * heads,
                  .bytes = bytes * pairs / products,
                  .launches = z.fused ? 1 : pairs});
  into.push_back({.name = names.vectors,
                  .m = z.sequence,
                  .n = z.head_width,
                  .k = z.sequence,
                  .count = vectors * heads,
                  .bytes = bytes * vectors / products,
                  .launches = z.fused ? 0 : vectors});
}

constexpr ProductNames kForward{"attention scores", "attention values"};
constexpr ProductNames kBackward{"attention scores backward", "attention values backward"};

// Queries and keys turned by their positions, in one kernel; backward it is the same.
void add_rotation(const Sizes& z, Operators& into) {
  if (z.positions != Model::Positions::rotary) return;
  into.push_back(memory_pass("rotary positions", 2 * z.queries_and_keys()));
}

// Kernels of their own for queries and for keys, which read what norm() and norm_backward() do.
void add_query_key_norm(const Sizes& z, Operators& into) {
  if (!z.query_key_norm) return;
  into.push_back(memory_pass("query, key norm", 2 * z.queries_and_keys(), 2));
}
void add_query_key_norm_backward(const Sizes& z, Operators& into) {
  if (!z.query_key_norm) return;
  into.push_back(memory_pass("query, key norm backward", 4 * z.queries_and_keys(), 4));
}

// Bytes of queries, keys, values and outputs of the rank's heads.
double attention_vectors(const Sizes& z) {
  return kBf16 * z.tokens * (2 * z.heads * z.head_width + 2 * z.key_value);
}

void add_attention_core(const Sizes& z, Operators& into) {
  if (z.fused) {
    add_attention_products(z, kForward, 1, 1, attention_vectors(z), into);
    return;
  }
  const double scores = z.scores();
  // Scores written by the first product and read by the second.
  add_attention_products(z, kForward, 1, 1, 2 * scores + attention_vectors(z), into);
  // Its gradient is that of the scores: there is no pass backward.
  if (z.positions == Model::Positions::alibi) into.push_back(memory_pass("alibi", 2 * scores));
  // One kernel reads a triangle and writes all; else a mask and a softmax read and write all.
  into.push_back(z.one_softmax_kernel() ? memory_pass("softmax", 1.5 * scores)
                                        : memory_pass("mask and softmax", 4 * scores, 2));
  if (z.dropout) into.push_back(memory_pass("attention dropout", 2.5 * scores));
  into.push_back(memory_pass("heads to hidden", 2 * kBf16 * z.tokens * z.heads * z.head_width));
}

void add_attention_core_backward(const Sizes& z, Operators& into) {
  if (z.fused) {
    // Five products: the scores again, and the gradients of values, scores, queries and keys.
    add_attention_products(z, kBackward, 2, 3, 2 * attention_vectors(z), into);
    return;
  }
  const double scores = z.scores();
  // Probabilities read for the values' gradient, the scores' gradient written, then read twice.
  add_attention_products(z, kBackward, 1, 3, 4 * scores + 2 * attention_vectors(z), into);
  if (z.dropout) into.push_back(memory_pass("attention dropout backward", 2.5 * scores));
  into.push_back(z.one_softmax_kernel() ? memory_pass("softmax backward", 2 * scores)
                                        : memory_pass("softmax and mask backward", 5 * scores, 2));
  into.push_back(memory_pass("join query, key, value gradients", 2 * z.projections()));
}

Operators attention_forward(const Sizes& z) {
  Operators into{norm(z), gemm("query, key, value", z.tokens,
                               z.heads * z.head_width + 2 * z.key_value, z.hidden)};
  if (z.any_biases()) into.push_back(memory_pass("query, key, value bias", 2 * z.projections()));
  add_query_key_norm(z, into);
  add_rotation(z, into);
  add_attention_core(z, into);
  into.push_back(gemm("attention output", z.tokens, z.hidden, z.heads * z.head_width));
  into.push_back(residual(z));
  return into;
}

Operators feed_forward_forward(const Sizes& z) {
  const double wide = kBf16 * z.tokens * z.feed_forward;
  return {norm(z), gemm("feed-forward up", z.tokens, z.rising * z.feed_forward, z.hidden),
          memory_pass("activation", (z.rising + 1) * wide),
          gemm("feed-forward down", z.tokens, z.hidden, z.feed_forward), residual(z)};
}

Operators feed_forward_inputs(const Sizes& z) {
  const double wide = kBf16 * z.tokens * z.feed_forward;
  Operators into{norm_backward(z)};  // of what comes after the layer
  add_residual_backward(z, into);
  into.push_back(gemm("feed-forward down inputs", z.tokens, z.feed_forward, z.hidden));
  into.push_back(
      weight_gradient("feed-forward down weights", z.tokens, z.hidden, z.feed_forward, z.gradient));
  into.push_back(memory_pass("activation backward", (2 * z.rising + 1) * wide));
  if (z.all_biases()) into.push_back(memory_pass("bias gradient", z.rising * wide));
  into.push_back(gemm("feed-forward up inputs", z.tokens, z.hidden, z.rising * z.feed_forward));
  return into;
}

Operators attention_inputs(const Sizes& z) {
  const double width = z.heads * z.head_width;
  Operators into{norm_backward(z)};
  add_residual_backward(z, into);
  into.push_back(gemm("attention output inputs", z.tokens, width, z.hidden));
  into.push_back(
      weight_gradient("attention output weights", z.tokens, z.hidden, width, z.gradient));
  add_attention_core_backward(z, into);
  add_rotation(z, into);
  add_query_key_norm_backward(z, into);
  if (z.any_biases()) into.push_back(memory_pass("bias gradient", z.projections()));
  into.push_back(gemm("query, key, value inputs", z.tokens, z.hidden, width + 2 * z.key_value));
  return into;
}

Operators recomputed(const Sizes& z, Recompute recompute) {
  Operators into;
  if (recompute == Recompute::full) {
    into = attention_forward(z);
    for (const Operator& one : feed_forward_forward(z)) into.push_back(one);
  }
  // The fused core keeps no scores: there is nothing that selective recomputation would save.
  if (recompute == Recompute::selective && !z.fused) add_attention_core(z, into);
  return into;
}

}  // namespace

LayerOperators layer_operators(const Model& model, const Parallelism& parallelism) {
  const Sizes z = sizes_of(model, parallelism);
  LayerOperators layer;
  layer.attention = attention_forward(z);
  layer.feed_forward = feed_forward_forward(z);
  layer.recompute = recomputed(z, parallelism.recompute);
  layer.feed_forward_inputs = feed_forward_inputs(z);
  layer.feed_forward_weights = {weight_gradient("feed-forward up weights", z.tokens,
                                                z.rising * z.feed_forward, z.hidden, z.gradient)};
  layer.attention_inputs = attention_inputs(z);
  layer.attention_weights = {weight_gradient("query, key, value weights", z.tokens,
                                             z.heads * z.head_width + 2 * z.key_value, z.hidden,
                                             z.gradient)};
  return layer;
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
  ends.embedding_backward = {
      norm_backward(z),  // of the first layer
      memory_pass("embedding backward", (1 + z.gradient) * z.activations(), 2)};
  // Megatron's cross entropy: logits cast to FP32 (2 + 4 bytes), their maximum (4), subtracted
  // (4 + 4), exponentials (4 + 4), their sum (4), divided by it (4 + 4).
  ends.head = {norm(z), gemm("logits", z.tokens, vocabulary, z.hidden),
               memory_pass("loss", 38 * logits, 6)};
  // The gradient in FP32 (4 + 4) and its cast to BF16 (4 + 2).
  ends.head_backward = {
      memory_pass("loss backward", 14 * logits, 2),
      gemm("logits inputs", z.tokens, z.hidden, vocabulary),
      weight_gradient("logits weights", z.tokens, vocabulary, z.hidden, z.gradient)};
  return ends;
}

}  // namespace sim
