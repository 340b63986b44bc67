// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/stack_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

using stacks::composer;
using stacks::deepspeed;
using stacks::maxtext;
using stacks::megatron;
using stacks::nemo;
using stacks::torch_compile;
using stacks::torch_eager;
using stacks::transformers;

// NeMo's overlaps came one after another.
constexpr Overlap kWithoutTensor{
    .gradients = true, .weights = true, .pipeline = true, .experts = true};
constexpr Overlap kWithoutWeights{.gradients = true, .pipeline = true, .experts = true};
constexpr Overlap kWithoutGradients{.pipeline = true, .experts = true};

// A change counts from the release that brought it to users; from its merge where users take the
// main branch. Flags that a user had to know count from the recipe that sets them. Attention of
// PyTorch and Transformer Engine is dated for Hopper: on Ampere, cuDNN's is nobody's default.
constexpr StackChange kChanges[]{
    {.stacks = {&torch_eager, &torch_compile, &transformers},
     .since = {2026, 3},
     .before = {.attention = Attention::flash2},
     .source = "PyTorch 2.11 is the first with cuDNN above 9.15, for which sdp_utils.cpp prefers "
               "cuDNN's attention (huggingface/transformers pull 48163); 2.5.0 did for 12 days "
               "(pytorch pull 138522)"},
    {.stacks = {&transformers},
     .since = {2025, 8},
     .before = {.optimizer = Optimizer::adamw_foreach},
     .source = "fused AdamW is the default from PyTorch 2.8 on (huggingface/transformers pull "
               "37358)"},
    {.stacks = {&torch_eager, &torch_compile},
     .since = {2025, 2, 24},
     .before = {.optimizer = Optimizer::adamw_foreach},
     .source = "torchtitan pull 881 makes fused AdamW the default"},
    {.stacks = {&nemo},
     .since = {2024, 11, 14},
     .before = {.loss = Loss::unfused},
     .source = "NeMo 2.0.0 sets cross_entropy_loss_fusion in its recipes (pull 10209)"},
    {.stacks = {&maxtext},
     .since = {2024, 4, 8},
     .before = {.overlap = Overlap{}},
     .source = "MaxText's first GPU recipes set xla_gpu_enable_latency_hiding_scheduler "
               "(pull 576)"},
    {.stacks = {&maxtext},
     .since = {2024, 2, 23},
     .before = {.attention = Attention::unfused},
     .source = "MaxText pull 430 adds cudnn_flash_te; before, dot_product on GPUs"},
    {.stacks = {&torch_eager, &torch_compile, &transformers},
     .since = {2024, 1, 30},
     .before = {.attention = Attention::flash1},
     .source = "PyTorch 2.2 takes FlashAttention 2 into scaled_dot_product_attention (its release "
               "notes)"},
    {.stacks = {&nemo},
     .since = {2023, 12, 15},
     .before = {.attention = Attention::flash2},
     .source = "Transformer Engine 1.2 prefers cuDNN's attention on Hopper (pull 497)"},
    {.stacks = {&transformers},
     .since = {2023, 12, 11},
     .before = {.attention = Attention::unfused},
     .source = "Transformers 4.36 takes scaled_dot_product_attention by default (issue 28005)"},
    {.stacks = {&composer},
     .since = {2023, 11, 21},
     .before = {.attention = Attention::flash1},
     .source = "llm-foundry 0.4.0 supports FlashAttention 2 (its release notes); its recipes named "
               "the Triton version of FlashAttention 1 until pull 1041 of March 2024"},
    {.stacks = {&torch_eager, &torch_compile},
     .since = {2023, 10, 4},
     .before = {.recomputes_what_is_read = false},
     .source = "PyTorch 2.1: checkpoints stop early (pull 96866)"},
    {.stacks = {&nemo},
     .since = {2023, 8, 26},
     .before = {.attention = Attention::flash1},
     .source = "Transformer Engine 0.12 takes FlashAttention 2 (pull 329)"},
    {.stacks = {&nemo},
     .since = {2023, 8, 2},
     .before = {.overlap = kWithoutTensor},
     .source = "NeMo 1.20.0 adds ub_tp_comm_overlap (pull 6792)"},
    {.stacks = {&nemo},
     .since = {2023, 4, 4},
     .before = {.overlap = kWithoutWeights},
     .source = "NeMo 1.17.0 adds overlap_param_sync (pull 5684)"},
    {.stacks = {&composer},
     .since = {2023, 3, 24},
     .before = {.loss = Loss::unfused},
     .source = "fused cross entropy (mosaicml/examples pull 251, in llm-foundry's history)"},
    // AdamW of PyTorch 1 loops over tensors, with as many bytes as term by term.
    {.stacks = {&torch_eager},
     .since = {2023, 3, 15},
     .before = {.attention = Attention::unfused},
     .source = "PyTorch 2.0 adds scaled_dot_product_attention (its release notes)"},
    {.stacks = {&nemo},
     .since = {2023, 3, 7},
     .before = {.attention = Attention::unfused},
     .source = "Transformer Engine 0.6 takes flash-attn (pull 62)"},
    {.stacks = {&nemo},
     .since = {2022, 10, 7},
     .before = {.zero = 0, .overlap = kWithoutGradients},
     .source = "NeMo 1.12.0 takes Apex' distributed Adam with overlap_grad_sync (pull 4487)"},
    {.stacks = {&megatron},
     .since = {2022, 6, 8},
     .before = {.zero = 0},
     .source = "Megatron-LM takes its distributed optimizer (commit d07d29df)"},
    {.stacks = {&deepspeed},
     .since = {2021, 3, 16},
     .before = {.zero = 2},
     .source = "DeepSpeed 0.3.13 adds ZeRO-3 (its release notes)"},
    // Norms were Apex' before, which have no kernels of their own here.
    {.stacks = {&megatron},
     .since = {2020, 9, 11},
     .before = {.kernels = Kernels::eager},
     .source = "Megatron-LM fuses biases, GELU, dropout and residuals (commit 51a2e6b0)"},
};

template <class T>
void put_back(const std::optional<T>& before, T& now) {
  if (before) now = *before;
}

}  // namespace

std::span<const StackChange> stack_changes() { return kChanges; }

bool has_changed(const StackChange& change, const Stack& stack) {
  return std::ranges::any_of(
      change.stacks, [&](const Stack* one) { return one != nullptr && one->name == stack.name; });
}

bool is_later(const StackChange& change, const StackDate& date) {
  return is_given(date) && is_before(date, change.since);
}

std::string to_text(const OldChoices& one) {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view value) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
  };
  if (one.attention) add("attention", name_of(*one.attention, kAttentions));
  if (one.kernels) add("kernels", name_of(*one.kernels, kKernels));
  if (one.loss) add("loss", name_of(*one.loss, kLosses));
  if (one.optimizer) add("optimizer", name_of(*one.optimizer, kOptimizers));
  if (one.overlap) add("overlap", to_text(*one.overlap));
  if (one.zero) add("zero", std::to_string(*one.zero));
  if (one.recomputes_what_is_read) {
    add("recomputes", *one.recomputes_what_is_read ? "what is read" : "whole layers");
  }
  return text;
}

Stack at_date(const Stack& today, const StackDate& date) {
  Stack then = today;
  if (!is_given(date)) return then;
  for (const StackChange& change : kChanges) {
    if (!has_changed(change, today) || !is_later(change, date)) continue;
    put_back(change.before.zero, then.zero);
    put_back(change.before.attention, then.attention);
    put_back(change.before.kernels, then.kernels);
    put_back(change.before.loss, then.loss);
    put_back(change.before.optimizer, then.optimizer);
    put_back(change.before.overlap, then.overlap);
    put_back(change.before.recomputes_what_is_read, then.recomputes_what_is_read);
  }
  return then;
}

std::string stack_name(const Stack& stack, const StackDate& date) {
  return is_given(date) ? fmt::format("{}@{}", stack.name, to_text(date)) : std::string(stack.name);
}

std::string stack_source(const Stack& stack, const StackDate& date) {
  std::string text(stack.source);
  for (const StackChange& change : kChanges) {
    if (!has_changed(change, stack) || !is_later(change, date)) continue;
    text += fmt::format("; not yet, of {}: {}", to_text(change.since), change.source);
  }
  return text;
}

}  // namespace sim
