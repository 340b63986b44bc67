// SPDX-License-Identifier: Apache-2.0
// Attention between its projections: what turns, norms and copies them, and its core.
#include <algorithm>
#include <cmath>

#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

// Megatron's causal softmax is one kernel that reads half of the scores where it takes their shape,
// else PyTorch's mask and softmax (megatron/core/fusions/fused_softmax.py, is_kernel_available).
bool one_softmax_kernel(const Sizes& z) {
  return !z.sinks && std::fmod(z.heads * z.samples, 4) == 0 && std::fmod(z.sequence, 4) == 0 &&
         z.sequence <= 4096;
}

// One kernel reads a triangle and writes all; else a mask and a softmax read and write all. Without a
// mask, the softmax alone does.
Operator softmax(const Sizes& z) {
  const double scores = z.scores();
  if (!z.causal) return memory_pass("softmax", 2 * scores);
  return one_softmax_kernel(z) ? memory_pass("softmax", 1.5 * scores)
                               : memory_pass("mask and softmax", 4 * scores, 2);
}

Operator softmax_backward(const Sizes& z) {
  const double scores = z.scores();
  if (!z.causal) return memory_pass("softmax backward", 3 * scores);
  return one_softmax_kernel(z) ? memory_pass("softmax backward", 2 * scores)
                               : memory_pass("softmax and mask backward", 5 * scores, 2);
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
  const double queries = z.core.heads * z.samples * z.core.queries;
  const double share = z.fused() ? z.attends.computed : 1;
  const double heads = z.core.heads * z.samples * share;
  const auto add = [&](std::string_view name, double count, double n, double k, double launches) {
    into.push_back({.name = name,
                    .m = z.core.queries,
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
                    .useful = z.attends.useful / share});
  };
  add(names.pairs, pairs, z.core.keys, z.head_width, 1);
  add(names.vectors, vectors, z.value_head(), z.core.keys, 0);
}

constexpr ProductNames kForward{"attention scores", "attention values", Gradient::none};
constexpr ProductNames kBackward{"attention scores backward", "attention values backward",
                                 Gradient::inputs};

// Queries and keys turned by their positions, in one kernel; backward it is the same. Eager, they
// are cast to FP32 (2 + 4 bytes), multiplied as complex numbers (4 + 4) and cast back (4 + 2).
void add_rotation(const Sizes& z, Operators& into) {
  if (z.positions != Model::Positions::rotary || z.kind.mixer == Mixer::unplaced) return;
  const double turned = z.latent.rank > 0 ? 2 * z.tokens * (z.heads + 1) * z.latent.rope_width
                                          : z.rotary_share * z.queries_and_keys();
  into.push_back(z.kernels == Kernels::eager
                     ? memory_pass("rotary positions", 10 * turned, 6, Work::rotation)
                     : memory_pass("rotary positions", 2 * turned, 1, Work::rotation));
}

// Outside Megatron, the keys and values of a group are copied for each of its queries; backward
// their gradients are summed.
void add_copies(const Sizes& z, Operators& into) {
  if (!z.grouped || z.kernels == Kernels::megatron) return;
  into.push_back(
      memory_pass("repeat keys, values", 2 * z.tokens * (z.keys + z.values + 2 * z.width()), 2));
}

// Bytes of queries, keys, values and outputs of the rank's heads.
double vectors(const Sizes& z) {
  const double tokens_of_keys = z.core.keys / z.core.queries;
  return 2 * z.tokens * (z.width() + z.outputs + tokens_of_keys * (z.keys + z.values));
}

// Latent vectors are normalised, and the turned part of the keys, which all heads share, is copied to
// each.
void add_latent(const Sizes& z, Gradient gradient, Operators& into) {
  if (z.latent.rank == 0) return;
  const double widths = z.latent.rank + z.latent.query_rank;
  Operator norm = other_norm(z, "latent norm", 2 * z.tokens * widths, gradient);
  if (z.latent.query_rank > 0) norm.launches *= 2;
  into.push_back(norm);
  into.push_back(memory_pass("join keys", 2 * 2 * z.tokens * z.keys, 1));
}

// Norms of queries and keys are kernels of their own. PyTorch's products add their biases.
void add_projected(const Sizes& z, Operators& into) {
  add_latent(z, Gradient::none, into);
  if (z.query_biases && z.kernels == Kernels::megatron) {
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
  if (z.query_biases) into.push_back(memory_pass("bias gradient", z.projections()));
  add_latent(z, Gradient::inputs, into);
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
  into.push_back(softmax(z));
  if (z.attention_cap) into.push_back(memory_pass("soft cap", 2 * scores));
  if (z.attention_dropout) into.push_back(memory_pass("attention dropout", 2.5 * scores));
  into.push_back(memory_pass("heads to hidden", 2 * 2 * z.tokens * z.outputs));
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
  if (z.attention_dropout) into.push_back(memory_pass("attention dropout backward", 2.5 * scores));
  if (z.attention_cap) into.push_back(memory_pass("soft cap backward", 3 * scores));
  into.push_back(softmax_backward(z));
  into.push_back(memory_pass("join query, key, value gradients", 2 * z.projections()));
}

Operators repeated(Operators all, double times) {
  for (Operator& one : all) {
    one.count *= times;
    one.bytes *= times;
    one.launches *= times;
  }
  return all;
}

// All rounds of a ring but the last run beside what is sent. Each adds to what was there in FP32: the
// output, scaled anew, and backward the gradients (Transformer Engine's context_parallel.py).
void add_rounds(const Sizes& z, BlockParts& parts) {
  const double more = z.core.rounds - 1;
  if (more < 1) return;
  constexpr double kAdded = 2 + 4 + 4;
  const double outputs = kAdded * z.tokens * z.outputs;
  const double gradients = kAdded * z.tokens * z.projected();
  parts.core.push_back(memory_pass("add round", outputs));
  parts.core_backward.push_back(memory_pass("add round backward", gradients, 3));
  parts.beside_core = repeated(parts.core, more);
  parts.beside_core_backward = repeated(parts.core_backward, more);
}

Linear projections_of(const Sizes& z, double n) {
  return {.forward = "query, key, value",
          .inputs = "query, key, value inputs",
          .weights = "query, key, value weights",
          .cast = "query, key, value casts",
          .m = z.tokens,
          .n = n,
          .k = z.hidden};
}

// Down to the latent vectors of queries, and of keys and values with the turned part of the keys; and
// up to all heads. Queries are projected at once where they have none.
Linears latent_projections(const Sizes& z) {
  const bool has_queries = z.latent.query_rank > 0;
  const double unturned = z.keys - z.heads * z.latent.rope_width;
  Linears all;
  if (has_queries) {
    all.push_back({"query down", "query down inputs", "query down weights", "query down casts",
                   z.tokens, z.latent.query_rank, z.hidden});
  }
  all.push_back({"query up", "query up inputs", "query up weights", "query up casts", z.tokens,
                 z.width(), has_queries ? z.latent.query_rank : z.hidden});
  all.push_back({"key, value down", "key, value down inputs", "key, value down weights",
                 "key, value down casts", z.tokens, z.latent.rank + z.latent.rope_width, z.hidden});
  all.push_back({"key, value up", "key, value up inputs", "key, value up weights",
                 "key, value up casts", z.tokens, unturned + z.values, z.latent.rank});
  return all;
}

}  // namespace

BlockParts attention_parts(const Sizes& z) {
  const bool latent = z.latent.rank > 0;
  BlockParts parts{.block = "attention",
                   .before = "projections",
                   .after = "core",
                   .at_core = Point::inside_attention,
                   .behind_core = Point::after_core,
                   .before_core_backward = Point::before_core_gradients,
                   .behind_core_backward = Point::core_gradients,
                   .adds_bias = z.output_bias,
                   .in = latent ? latent_projections(z) : Linears{projections_of(z, z.projected())},
                   .out = {{.forward = "attention output",
                            .inputs = "attention output inputs",
                            .weights = "attention output weights",
                            .cast = "attention output casts",
                            .m = z.tokens,
                            .n = z.hidden,
                            .k = z.outputs}}};
  add_projected(z, parts.prepare);
  add_projected_backward(z, parts.prepare_backward);
  add_attention_core(z, parts.core);
  add_attention_core_backward(z, parts.core_backward);
  add_rounds(z, parts);
  // Of queries, keys, values and output every second one.
  parts.again_in = latent ? Linears{parts.in.back()} : Linears{projections_of(z, z.keys)};
  parts.again_out = parts.out;
  return parts;
}

}  // namespace sim
