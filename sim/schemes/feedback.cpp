// SPDX-License-Identifier: Apache-2.0
// Gradients of plain data parallelism that lose much and carry on what they lost, in FP32.
#include "sim/schemes/rows.hpp"

namespace sim {
namespace {

constexpr double kResidual = 4;

GradientExchange with_feedback(const Reduction& algorithm, const char* codec) {
  return {.algorithm = &algorithm,
          .inside = wire(codec),
          .between = wire(codec),
          .residual_bytes = kResidual};
}

GradientExchange one_bit_exchange() {
  GradientExchange exchange = with_feedback(reductions::all_to_all, "one_bit");
  exchange.method = &methods::one_bit_adam;
  return exchange;
}

}  // namespace

Scheme ef_sign() {
  return {
      .name = "ef_sign",
      .summary = "signs, one magnitude per 2048 elements, error feedback: all_to_all, all_gather",
      .source = "arXiv 1901.09847",
      .zero = {0},
      .gradients = with_feedback(reductions::all_to_all, "sign_g2048"),
      .twin = "data_parallel"};
}

// What travels is the momentum, once all gradients of a step are there: after the warm-up, whose
// steps are those of data_parallel.
Scheme one_bit_adam() {
  return {
      .name = "one_bit_adam",
      .summary =
          "1-bit Adam after its warm-up: signs of the momentum, error feedback in both directions",
      .source = "arXiv 2102.02888",
      .zero = {0},
      .gradients = one_bit_exchange(),
      .overlap = {.gradients = false},
      .twin = "data_parallel"};
}

Scheme top_k() {
  return {.name = "top_k",
          .summary = "largest 64 of every 4096 with 12-bit indices, error feedback, all_gather",
          .source = "arXiv 1809.07599",
          .zero = {0},
          .gradients = with_feedback(reductions::all_gather, "topk64"),
          .twin = "data_parallel"};
}

Scheme random_k() {
  return {.name = "random_k",
          .summary = "random 64 of every 4096, the same on all ranks, error feedback, all_reduce",
          .source = "arXiv 1809.07599",
          .zero = {0},
          .gradients = with_feedback(reductions::all_reduce, "random_k64_unscaled"),
          .twin = "data_parallel"};
}

Scheme power_sgd() {
  return {.name = "power_sgd",
          .summary = "rank-4 PowerSGD: two factors of each matrix via all_reduce, error feedback",
          .source = "arXiv 1905.13727",
          .zero = {0},
          .gradients = {.algorithm = &reductions::low_rank,
                        .residual_bytes = kResidual,
                        .factor_rank = 4},
          .twin = "data_parallel"};
}

}  // namespace sim
