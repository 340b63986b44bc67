// SPDX-License-Identifier: Apache-2.0
// Feed-forward blocks: dense, or of experts that a router chooses.
#include "sim/workload/operator_parts.hpp"

namespace sim {
namespace {

Linear up_of(const Sizes& z, double n) {
  return {.forward = "feed-forward up",
          .inputs = "feed-forward up inputs",
          .weights = "feed-forward up weights",
          .cast = "feed-forward up casts",
          .m = z.tokens,
          .n = n,
          .k = z.hidden};
}

Linear down_of(const Sizes& z) {
  return {.forward = "feed-forward down",
          .inputs = "feed-forward down inputs",
          .weights = "feed-forward down weights",
          .cast = "feed-forward down casts",
          .m = z.tokens,
          .n = z.hidden,
          .k = z.feed_forward};
}

// Of what every token passes: a dense block, or a shared expert.
void add_dense(const Sizes& z, BlockParts& parts) {
  parts.in.push_back(up_of(z, z.rising * z.feed_forward));
  parts.out.push_back(down_of(z));
  // Of gate, up and down every second one; without a gate the sixth of a layer's is down.
  if (z.rising > 1) {
    parts.again_in.push_back(up_of(z, z.feed_forward));
  } else {
    parts.again_out.push_back(down_of(z));
  }
  add_activation(z, z.wide(), parts.core);
  add_activation_backward(z, z.wide(), parts.core_backward);
}

Linear expert_up(const Sizes& z, double n) {
  return {.forward = "expert up",
          .inputs = "expert up inputs",
          .weights = "expert up weights",
          .cast = "expert up casts",
          .m = z.experts.rows(),
          .n = n,
          .k = z.experts.row_width,
          .count = z.experts.count};
}

Linear expert_down(const Sizes& z) {
  return {.forward = "expert down",
          .inputs = "expert down inputs",
          .weights = "expert down weights",
          .cast = "expert down casts",
          .m = z.experts.rows(),
          .n = z.experts.row_width,
          .k = z.experts.width,
          .count = z.experts.count};
}

Linear to_latent(const Sizes& z, double tokens) {
  return {"expert latent",
          "expert latent inputs",
          "expert latent weights",
          "expert latent casts",
          tokens,
          z.experts.latent_width,
          z.hidden};
}

Linear from_latent(const Sizes& z, double tokens) {
  return {"expert latent back",
          "expert latent back inputs",
          "expert latent back weights",
          "expert latent back casts",
          tokens,
          z.hidden,
          z.experts.latent_width};
}

// Kernels as Megatron-LM's core launches them (@d98e8a6, transformer/moe: router.py, moe_utils.py,
// token_dispatcher.py), with the permutation fused and the router not: to choose by a softmax, and the loss
// that balances experts; that backward; to count rows by rank and expert, and copy the counts to the host;
// and, before rows are moved, to find where each goes.
constexpr double kChoice = 24, kChoiceBackward = 14, kCounts = 12, kPlaces = 3;

// Scores of the rank's tokens in FP32: the product, the choice (scores read, weights and places of those
// chosen written), and backward their gradients.
void add_router(const Sizes& z, BlockParts& parts) {
  const double count = z.experts.all, tokens = z.local_tokens;
  const double scores = 4 * tokens * count;
  parts.enter.push_back(gemm("router", tokens, count, z.hidden));
  parts.enter.push_back(memory_pass("choice of experts", 3 * scores, kChoice));
  parts.enter_backward.push_back(
      memory_pass("choice of experts backward", 3 * scores, kChoiceBackward));
  parts.enter_backward.push_back(gemm("router inputs", tokens, z.hidden, count, Gradient::inputs));
  parts.enter_backward.push_back(weight_gradient(z, {.forward = "router",
                                                     .inputs = "router inputs",
                                                     .weights = "router weights",
                                                     .cast = "router casts",
                                                     .m = tokens,
                                                     .n = count,
                                                     .k = z.hidden}));
}

// So many rows of tokens are read and so many written; back, the same of their weighted sums. Backward each
// does what the other does forward.
struct Permutation {
  Operator out, back;
};
Permutation permutation(const Sizes& z, std::string_view out, std::string_view back, double read,
                        double written, double of_sums) {
  const double row = 2 * z.experts.row_width;
  return {memory_pass(out, row * (read + written), kPlaces + 1, Work::permute),
          memory_pass(back, row * (written + of_sums), 1, Work::permute)};
}

void add_experts(const Sizes& z, BlockParts& parts) {
  const double wide = 2 * z.experts.all_rows() * z.experts.width;
  parts.in.push_back(expert_up(z, z.rising * z.experts.width));
  parts.out.push_back(expert_down(z));
  if (z.rising > 1) {
    parts.again_in.push_back(expert_up(z, z.experts.width));
  } else {
    parts.again_out.push_back(expert_down(z));
  }
  add_activation(z, wide, parts.core);
  add_activation_backward(z, wide, parts.core_backward);
}

// The shared expert's output is added to the others'; with a gate its product with it, too.
void add_sum_of_shared(const Sizes& z, double tokens, BlockParts& parts) {
  const double hidden = 2 * tokens * z.hidden;
  const double passes = 3 + (z.experts.shared_gate ? 2 : 0);
  parts.leave.push_back(memory_pass("shared expert", passes * hidden));
  if (z.experts.shared_gate) {
    parts.leave_backward.push_back(memory_pass("shared gate backward", 3 * hidden));
  }
}

// A dense block whose parts run beside what goes out and comes back.
void add_beside(const Sizes& z, BlockParts& parts) {
  BlockParts shared;
  add_dense(z, shared);
  parts.beside_in = std::move(shared.in);
  parts.beside_out = std::move(shared.out);
  parts.beside_activation = std::move(shared.core);
  parts.beside_activation_backward = std::move(shared.core_backward);
}

// A rank's own rows, all of them or sorted by where they go.
void add_own_rows(const Sizes& z, std::string_view out, std::string_view back, double rows,
                  double tokens, BlockParts& parts) {
  const Permutation own = permutation(z, out, back, rows, rows, tokens);
  parts.enter.push_back(own.out);
  parts.leave.push_back(own.back);
  parts.leave_backward.push_back(own.out);
  parts.enter_backward.push_back(own.back);
}

// Those that came from others, to the experts that they are for.
void add_rows_of_others(const Sizes& z, BlockParts& parts) {
  const Permutation all = permutation(z, "rows to experts", "rows from experts", z.experts.arriving,
                                      z.experts.all_rows(), z.experts.arriving);
  parts.arrange.push_back(all.out);
  parts.rearrange.push_back(all.back);
}

// NCCL sends what lies together, so rows are sorted by rank and, where they arrive, by expert. DeepEP and
// HybridEP take tokens as they are, and deliver each once; the low-latency kernels deliver rows by expert.
void add_rows(const Sizes& z, BlockParts& parts) {
  const ExpertSizes& experts = z.experts;
  if (!parts.dispatched) {
    add_own_rows(z, "rows to experts", "rows from experts", experts.all_rows(), z.tokens, parts);
    return;
  }
  if (experts.by == Dispatcher::deepep_low_latency) return;
  parts.enter.push_back(memory_pass("counts of rows", 4 * z.local_tokens * experts.all, kCounts));
  const bool sorts = experts.by == Dispatcher::all_to_all;
  if (sorts) {
    add_own_rows(z, "rows to ranks", "rows from ranks", z.local_tokens * experts.top_k,
                 z.local_tokens, parts);
  }
  if (!sorts || experts.count > 1) add_rows_of_others(z, parts);
}

}  // namespace

BlockParts feed_forward_parts(const Sizes& z) {
  const bool dispatched = z.experts.dispatched;
  BlockParts parts{.block = "feed-forward",
                   .adds_bias = z.feed_forward_biases,
                   .dispatched = dispatched,
                   .gathers = !dispatched || z.experts.shared};
  if (z.experts.count == 0) {
    add_dense(z, parts);
    return parts;
  }
  const double tokens = dispatched ? z.local_tokens : z.tokens;
  add_router(z, parts);
  if (z.experts.latent_width > 0) {
    (dispatched ? parts.first : parts.in).push_back(to_latent(z, tokens));
    (dispatched ? parts.last : parts.out).push_back(from_latent(z, tokens));
  }
  add_rows(z, parts);
  add_experts(z, parts);
  if (z.experts.shared) {
    dispatched ? add_beside(z, parts) : add_dense(z, parts);
    add_sum_of_shared(z, tokens, parts);
  }
  return parts;
}

}  // namespace sim
