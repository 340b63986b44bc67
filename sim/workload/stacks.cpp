// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/stacks.hpp"

#include <array>

#include "sim/workload/stack_history.hpp"

namespace sim {
namespace {

constexpr Overlap kSharded{.gradients = true, .weights = true};
// Transformer Engine's: the scale comes from earlier steps or from the kernel before, and the cast
// writes the transposed copy too.
constexpr Casts kFusedCasts{.own_amax = false, .own_transpose = false};

}  // namespace

namespace stacks {

constinit const Stack megatron{
    .name = "megatron",
    .summary = "Megatron-LM: fused norms and activations, unfused attention, no overlap",
    .source = "Megatron-LM's defaults; FP8 and NVFP4 by Transformer Engine",
    .first = {2019, 3, 27},  // Megatron-LM's first commit
    .casts = kFusedCasts};

constinit const Stack nemo{
    .name = "nemo",
    .summary = "NeMo on Megatron Core: cuDNN's attention, fused loss, everything overlaps",
    .source =
        "NVIDIA's DGX Cloud recipes: Transformer Engine, cross_entropy_loss_fusion, "
        "overlap_grad_reduce, overlap_param_gather, tp_comm_overlap",
    .first = {2021, 11, 19},  // NeMo 1.5.0, the first with Megatron's GPT (pull 2975)
    .attention = Attention::fused,
    .loss = Loss::fused,
    .casts = kFusedCasts,
    .overlap = kAllOverlaps};

constinit const Stack torch_eager{
    .name = "torch-eager",
    .summary = "PyTorch's FSDP, kernel by kernel, with its scaled_dot_product_attention",
    .source =
        "torchtitan without compilation: fused AdamW, one unit a layer; torch.utils.checkpoint "
        "without use_reentrant stops early since PyTorch 2.1",
    .first = {2022, 3, 10},  // PyTorch 1.11, the first with FSDP
    .zero = 3,
    .attention = Attention::sdpa,
    .kernels = Kernels::eager,
    .overlap = kSharded,
    .recomputes_what_is_read = true,
    .dtensor = true};

constinit const Stack torch_compile{
    .name = "torch-compile",
    .summary = "PyTorch's FSDP with torch.compile: elementwise kernels, amax and casts fused",
    .source =
        "torchtitan with compilation; float8 by torchao, whose amax and casts the compiler "
        "fuses with their neighbours; checkpoints stop early",
    .first = {2023, 3, 15},  // PyTorch 2.0
    .zero = 3,
    .attention = Attention::sdpa,
    .kernels = Kernels::compiled,
    .casts = kFusedCasts,
    .overlap = kSharded,
    .recomputes_what_is_read = true,
    .dtensor = true};

constinit const Stack composer{
    .name = "composer",
    .summary = "MosaicML's Composer and llm-foundry on FSDP, with two metrics of the loss",
    .source =
        "llm-foundry: flash-attn's attention and cross entropy, DecoupledAdamW term by term, "
        "BACKWARD_POST, LanguageCrossEntropy and LanguagePerplexity of each batch",
    .first = {2022, 9, 29},  // mosaicml/examples pull 6, its first LLM
    .zero = 3,
    .attention = Attention::flash2,
    .kernels = Kernels::eager,
    .loss = Loss::fused,
    .optimizer = Optimizer::adamw_foreach,
    .overlap = kSharded,
    .prefetch_after_backward = true,
    .loss_metrics = 2};

constinit const Stack deepspeed{
    .name = "deepspeed",
    .summary = "Megatron-DeepSpeed: Megatron's kernels under ZeRO-3, without overlap",
    .source = "Megatron-DeepSpeed as ZeRO++'s tutorial runs it",
    .first = {2020, 5, 18},  // DeepSpeed 0.1.0
    .zero = 3};

constinit const Stack maxtext{
    .name = "maxtext",
    .summary = "MaxText on JAX: XLA's fused kernels, cuDNN's attention, FSDP",
    .source =
        "MaxText's GPU configurations: attention cudnn_flash_te, XLA's latency-hiding scheduler; "
        "XLA eliminates dead code",
    .first = {2023, 10, 17},  // on GPUs: commit 18ebf867
    .zero = 3,
    .attention = Attention::fused,
    .kernels = Kernels::compiled,
    .casts = kFusedCasts,
    .overlap = kSharded,
    .recomputes_what_is_read = true};

// Its RMSNorm and its rotation are PyTorch's own kernels, which move as many bytes as torchtitan's;
// the rotation is ten launches in place of six, which is not modelled.
constinit const Stack transformers{
    .name = "transformers",
    .summary = "Hugging Face's Trainer and Accelerate on PyTorch's FSDP, kernel by kernel",
    .source =
        "Transformers 4.57 to 5.15: optim is adamw_torch_fused with PyTorch 2.8 or later "
        "(training_args.py), attention sdpa, logits cast to FP32 (loss/loss_utils.py); "
        "checkpoints run the layer again (use_reentrant, as usual up to version 4); Accelerate's "
        "FSDP 2, whose units are gathered ahead",
    .first = {2022, 5, 9},  // pull 17136: FSDP in the Trainer
    .zero = 3,
    .attention = Attention::sdpa,
    .kernels = Kernels::eager,
    .overlap = kSharded};

}  // namespace stacks

std::span<const Stack* const> all_stacks() {
  static constexpr std::array all{
      &stacks::megatron, &stacks::nemo,      &stacks::torch_eager, &stacks::torch_compile,
      &stacks::composer, &stacks::deepspeed, &stacks::maxtext,     &stacks::transformers};
  return all;
}

namespace {

const Stack& row_of(int stage, const OpenSoftware& open) {
  if (open.stack != nullptr) return *open.stack;
  return stage == 3 ? stacks::torch_eager : stacks::megatron;
}

}  // namespace

Stack stack_of(int stage, const OpenSoftware& open) {
  return at_date(row_of(stage, open), open.date);
}

Parallelism at_stage(Parallelism p, int stage, const OpenSoftware& open) {
  const Stack stack = stack_of(stage, open);
  p.sharding.stage = stage;
  p.stack = &row_of(stage, open);
  p.stack_date = open.date;
  if (open.attention) p.attention = stack.attention;
  if (open.kernels) p.kernels = stack.kernels;
  if (open.overlap) p.overlap = stack.overlap;
  p.casts = stack.casts;
  p.loss_metrics = stack.loss_metrics;
  return p;
}

}  // namespace sim
