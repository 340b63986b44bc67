// SPDX-License-Identifier: Apache-2.0
// Attention between its projections: what turns, norms and copies them, and its core.
#include <algorithm>
#include <cmath>

#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

// Rows and columns of the scores that a fused kernel works on at a time: those above the diagonal
// are skipped (Dao 2307.08691, section 3.1.1; its blocks are of 64 or 128).
constexpr double kBlock = 128;

// Share of the scores that a fused kernel computes under a causal mask.
double causal_share(double sequence) { return std::min(1.0, 0.5 + 0.5 * kBlock / sequence); }

// Megatron's causal softmax is one kernel that reads half of the scores where it takes their shape,
// else PyTorch's mask and softmax (megatron/core/fusions/fused_softmax.py, is_kernel_available).
bool one_softmax_kernel(const Sizes& z) {
  return std::fmod(z.heads * z.samples, 4) == 0 && std::fmod(z.sequence, 4) == 0 &&
         z.sequence <= 4096;
}

// Matrix products a head and sample over all pairs of tokens, which share `bytes`: those that give
// a number a pair (scores and their gradients), and those that sum over pairs to a vector a token.
struct ProductNames {
  std::string_view pairs, vectors;
  Gradient gradient;
};
void add_products(const Sizes& z, ProductNames names, double pairs, double vectors, double bytes,
                  Operators& into) {
  const double products = pairs + vectors;
  const double queries = z.heads * z.samples * z.sequence;
  const double share = z.fused() ? causal_share(z.sequence) : 1;
  const double heads = z.heads * z.samples * share;
  const auto add = [&](std::string_view name, double count, double n, double k, double launches) {
    into.push_back({.name = name,
                    .m = z.sequence,
                    .n = n,
                    .k = k,
                    .count = count * heads,
                    .bytes = bytes * count / products,
                    .launches = z.fused() ? launches : count,
                    .work = z.fused() ? Work::attention : Work::product,
                    .gradient = z.fused() ? names.gradient : Gradient::none,
                    .attention = z.attention,
                    .head_width = z.head_width,
                    .queries = queries,
                    .useful = 0.5 / share});
  };
  add(names.pairs, pairs, z.sequence, z.head_width, 1);
  add(names.vectors, vectors, z.head_width, z.sequence, 0);
}

constexpr ProductNames kForward{"attention scores", "attention values", Gradient::none};
constexpr ProductNames kBackward{"attention scores backward", "attention values backward",
                                 Gradient::inputs};

// Queries and keys turned by their positions, in one kernel; backward it is the same. Eager, they
// are cast to FP32 (2 + 4 bytes), multiplied as complex numbers (4 + 4) and cast back (4 + 2).
void add_rotation(const Sizes& z, Operators& into) {
  if (z.positions != Model::Positions::rotary) return;
  into.push_back(
      z.kernels == Kernels::eager
          ? memory_pass("rotary positions", 10 * z.queries_and_keys(), 6, Work::rotation)
          : memory_pass("rotary positions", 2 * z.queries_and_keys(), 1, Work::rotation));
}

// Outside Megatron, the keys and values of a group are copied for each of its queries; backward
// their gradients are summed.
void add_copies(const Sizes& z, Operators& into) {
  if (!z.grouped || z.kernels == Kernels::megatron) return;
  into.push_back(
      memory_pass("repeat keys, values", 2 * 2 * z.tokens * (z.key_value + z.width()), 2));
}

// Bytes of queries, keys, values and outputs of the rank's heads.
double vectors(const Sizes& z) { return 2 * z.tokens * (2 * z.width() + 2 * z.key_value); }

}  // namespace

// Norms of queries and keys are kernels of their own. PyTorch's products add their biases.
void add_projected(const Sizes& z, Operators& into) {
  if (z.any_biases() && z.kernels == Kernels::megatron) {
    into.push_back(memory_pass("query, key, value bias", 2 * z.projections()));
  }
  if (z.query_key_norm) {
    into.push_back(memory_pass("query, key norm", 2 * z.queries_and_keys(), 2));
  }
  add_rotation(z, into);
  add_copies(z, into);
}

void add_projected_backward(const Sizes& z, Operators& into) {
  add_copies(z, into);
  add_rotation(z, into);
  if (z.query_key_norm) {
    into.push_back(memory_pass("query, key norm backward", 4 * z.queries_and_keys(), 4));
  }
  if (z.any_biases()) into.push_back(memory_pass("bias gradient", z.projections()));
}

void add_attention_core(const Sizes& z, Operators& into) {
  if (z.fused()) {
    add_products(z, kForward, 1, 1, vectors(z), into);
    return;
  }
  const double scores = z.scores();
  // Scores written by the first product and read by the second.
  add_products(z, kForward, 1, 1, 2 * scores + vectors(z), into);
  // Its gradient is that of the scores: there is no pass backward.
  if (z.positions == Model::Positions::alibi) into.push_back(memory_pass("alibi", 2 * scores));
  // One kernel reads a triangle and writes all; else a mask and a softmax read and write all.
  into.push_back(one_softmax_kernel(z) ? memory_pass("softmax", 1.5 * scores)
                                       : memory_pass("mask and softmax", 4 * scores, 2));
  if (z.dropout) into.push_back(memory_pass("attention dropout", 2.5 * scores));
  into.push_back(memory_pass("heads to hidden", 2 * 2 * z.tokens * z.width()));
}

void add_attention_core_backward(const Sizes& z, Operators& into) {
  if (z.fused()) {
    // Five products: the scores again, and the gradients of values, scores, queries and keys.
    add_products(z, kBackward, 2, 3, 2 * vectors(z), into);
    return;
  }
  const double scores = z.scores();
  // Probabilities read for the values' gradient, the scores' gradient written, then read twice.
  add_products(z, kBackward, 1, 3, 4 * scores + 2 * vectors(z), into);
  if (z.dropout) into.push_back(memory_pass("attention dropout backward", 2.5 * scores));
  into.push_back(one_softmax_kernel(z) ? memory_pass("softmax backward", 2 * scores)
                                       : memory_pass("softmax and mask backward", 5 * scores, 2));
  into.push_back(memory_pass("join query, key, value gradients", 2 * z.projections()));
}

}  // namespace sim
