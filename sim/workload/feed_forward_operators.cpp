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

// Scores of the rank's tokens in FP32: the product, the choice (scores read, weights and places of those
// chosen written), and backward their gradients.
void add_router(const Sizes& z, BlockParts& parts) {
  const double count = z.experts.all, tokens = z.local_tokens;
  const double scores = 4 * tokens * count;
  parts.enter.push_back(gemm("router", tokens, count, z.hidden));
  parts.enter.push_back(memory_pass("choice of experts", 3 * scores, 3));
  parts.enter_backward.push_back(memory_pass("choice of experts backward", 3 * scores, 2));
  parts.enter_backward.push_back(gemm("router inputs", tokens, z.hidden, count, Gradient::inputs));
  parts.enter_backward.push_back(weight_gradient(z, {.forward = "router",
                                                     .inputs = "router inputs",
                                                     .weights = "router weights",
                                                     .cast = "router casts",
                                                     .m = tokens,
                                                     .n = count,
                                                     .k = z.hidden}));
}

// Each token's row is read and written once for each of its experts; back, all its rows are read and
// their weighted sum is written. Backward each does what the other does forward.
void add_permutation(const Sizes& z, BlockParts& parts) {
  const double row = 2 * z.experts.row_width;
  const double rows = z.experts.all_rows();
  const Operator apart = memory_pass("rows to experts", 2 * row * rows, 1, Work::permute);
  const Operator back = memory_pass("rows from experts", row * (rows + z.tokens), 1, Work::permute);
  parts.enter.push_back(apart);
  parts.leave.push_back(back);
  parts.leave_backward.push_back(apart);
  parts.enter_backward.push_back(back);
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

void add_shared_beside(const Sizes& z, BlockParts& parts) {
  parts.beside_in.push_back(up_of(z, z.rising * z.feed_forward));
  parts.beside_out.push_back(down_of(z));
  add_activation(z, z.wide(), parts.beside_activation);
  add_activation_backward(z, z.wide(), parts.beside_activation_backward);
  add_sum_of_shared(z, z.local_tokens, parts);
}

// A rank sorts its tokens' rows by where they go, and those that come by expert; back likewise, and at
// last it sums each token's rows.
void add_rows_of_others(const Sizes& z, BlockParts& parts) {
  const double row = 2 * z.experts.row_width;
  const double sent = z.local_tokens * z.experts.top_k;
  const Operator out = memory_pass("rows to ranks", 2 * row * sent, 1, Work::permute);
  const Operator back =
      memory_pass("rows from ranks", row * (sent + z.local_tokens), 1, Work::permute);
  parts.enter.push_back(out);
  parts.leave.push_back(back);
  parts.leave_backward.push_back(out);
  parts.enter_backward.push_back(back);
  if (z.experts.count <= 1) return;
  const double moved = 2 * row * z.experts.all_rows();
  parts.arrange.push_back(memory_pass("rows to experts", moved, 1, Work::permute));
  parts.rearrange.push_back(memory_pass("rows from experts", moved, 1, Work::permute));
}

BlockParts dispatched_parts(const Sizes& z) {
  BlockParts parts{.block = "feed-forward",
                   .adds_bias = z.feed_forward_biases,
                   .dispatched = true,
                   .gathers = z.experts.shared};
  add_router(z, parts);
  if (z.experts.latent_width > 0) {
    parts.first.push_back(to_latent(z, z.local_tokens));
    parts.last.push_back(from_latent(z, z.local_tokens));
  }
  add_rows_of_others(z, parts);
  add_experts(z, parts);
  if (z.experts.shared) add_shared_beside(z, parts);
  return parts;
}

}  // namespace

BlockParts feed_forward_parts(const Sizes& z) {
  if (z.experts.dispatched) return dispatched_parts(z);
  BlockParts parts{.block = "feed-forward", .adds_bias = z.feed_forward_biases};
  if (z.experts.count == 0) {
    add_dense(z, parts);
    return parts;
  }
  add_router(z, parts);
  if (z.experts.latent_width > 0) {
    parts.in.push_back(to_latent(z, z.tokens));
    parts.out.push_back(from_latent(z, z.tokens));
  }
  add_permutation(z, parts);
  add_experts(z, parts);
  if (z.experts.shared) {
    add_dense(z, parts);
    add_sum_of_shared(z, z.tokens, parts);
  }
  return parts;
}

}  // namespace sim
