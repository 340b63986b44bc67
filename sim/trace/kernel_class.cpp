// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/kernel_class.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/letters.hpp"

namespace sim::trace {
namespace {

using enum KernelClass;

constexpr KernelClassRow kClasses[] = {
    {product, "matrix_product", "matrix products"},
    {attention, "attention", "attention"},
    {convolution, "convolution", "convolutions"},
    {norm, "norm", "norms"},
    {softmax, "softmax", "softmax"},
    {loss, "loss", "loss"},
    {optimizer, "optimizer", "optimizer"},
    {embedding, "embedding", "embedding"},
    {dropout, "dropout", "dropout"},
    {reduction, "reduction", "reductions"},
    {elementwise, "elementwise", "elementwise and layout"},
    {index, "index", "sorts, scans, indices"},
    {codec, "codec", "casts and codecs"},
    {compiled, "compiled", "compiled (Triton)"},
    {copy, "copy", "copies and fills"},
    {all_reduce, "all_reduce", "all_reduce", true},
    {all_gather, "all_gather", "all_gather", true},
    {reduce_scatter, "reduce_scatter", "reduce_scatter", true},
    {send_receive, "send_receive", "send_receive, all_to_all", true},
    {broadcast, "broadcast", "broadcast", true},
    {unexplained, "unexplained", "unexplained"},
};
static_assert(std::size(kClasses) == kKernelClasses);

constexpr std::string_view kSimulated = "gardenhose::";

// What is narrow comes before what is wide: a fused norm's name also says "elementwise", a
// transposed copy inside cuDNN says "cudnn". Names as PyTorch, NCCL, cuBLAS, cuDNN, CUTLASS, Apex,
// Megatron, Transformer Engine, xFormers, FBGEMM, Liger and TorchInductor have them.
constexpr NamePattern kPatterns[] = {
    // NCCL 2: ncclKernel_AllReduce_RING_LL_Sum_float, later ncclDevKernel_AllReduce_Sum_bf16_RING_LL.
    {"nccl*allreduce", all_reduce},
    {"nccl*allgather", all_gather},
    {"nccl*reducescatter", reduce_scatter},
    {"nccl*sendrecv", send_receive},
    {"nccl*alltoall", send_receive},
    {"nccl*broadcast", broadcast},
    {"nccl*reduce", all_reduce},
    {"cross_device_reduce", all_reduce},
    {"all_reduce_kernel", all_reduce},
    {"memcpy", copy},
    {"memset", copy},
    // Before matrix products, of which attention is made, and before softmax.
    {"flash", attention},
    {"fmha", attention},
    {"cudnn_generated*sdpa", attention},
    {"_sdpa_", attention},
    {"cutlassf", attention},
    {"attention", attention},
    {"_attn_", attention},
    {"hadamard", codec},
    // Optimizers go over lists of tensors.
    {"adam", optimizer},
    {"lambstage", optimizer},
    {"lamb_", optimizer},
    {"adagrad", optimizer},
    {"l2norm", optimizer},
    {"lpnorm", optimizer},
    {"multi_tensor_apply", optimizer},
    {"rotary", elementwise},
    {"embedding", embedding},
    {"bounds_check_indices", embedding},
    {"pooled_embs", embedding},
    // Losses have a softmax inside.
    {"cross_entropy", loss},
    {"crossentropy", loss},
    {"nll_loss", loss},
    {"softmax", softmax},
    {"layer_norm", norm},
    {"layernorm", norm},
    {"rms_norm", norm},
    {"rmsnorm", norm},
    {"group_norm", norm},
    {"groupnorm", norm},
    {"batch_norm", norm},
    {"batchnorm", norm},
    {"ln_fwd", norm},
    {"ln_bwd", norm},
    {"ln_parallel_residual", norm},
    {"bn_fw", norm},
    {"bn_bw", norm},
    {"gammabeta", norm},
    {"rowwisemoments", norm},
    {"dropout", dropout},
    // Before products: what they quantise for, and what cuDNN transposes, is none.
    {"quantize", codec},
    {"cast_transpose", codec},
    {"mxfp8", codec},
    {"nvfp4_cast", codec},
    {"amax", codec},
    {"tonhwc", elementwise},
    {"tonchw", elementwise},
    {"transpose_kernel", elementwise},
    {"batchtranspose", elementwise},
    // Convolutions run as implicit products.
    {"implicit_gemm", convolution},
    {"implicitgemm", convolution},
    {"cutlass_cudnn", convolution},
    {"wgrad", convolution},
    {"dgrad", convolution},
    {"fprop", convolution},
    {"scudnn", convolution},
    {"winograd", convolution},
    {"conv2d", convolution},
    {"convolve", convolution},
    {"cudnn::cnn", convolution},
    {"cask_cudnn", convolution},
    {"conv_depthwise", convolution},
    {"splitkreduce", product},
    {"gemm", product},
    {"gemv", product},
    {"cublas", product},
    {"nvjet", product},
    {"xmma", product},
    {"cutlass", product},
    {"triton_tem", product},
    {"_mm_kernel", product},
    {"matmul", product},
    // TorchInductor: pointwise, reduction; names of Triton 2.0 say nothing.
    {"triton_poi", elementwise},
    {"triton_red", reduction},
    {"triton_per", reduction},
    {"triton_", compiled},
    {"max_pool", reduction},
    {"avg_pool", reduction},
    {"reduce_kernel", reduction},
    {"devicereduce", reduction},
    {"column_sum", reduction},
    {"radixsort", index},
    {"devicescan", index},
    {"deviceselect", index},
    {"devicecompact", index},
    {"index", index},
    {"gather_kernel", index},
    {"scatter", index},
    {"permute", index},
    {"bucketize", index},
    {"topk", index},
    {"cub::", index},
    {"thrust::", index},
    {"elementwise", elementwise},
    {"catarray", elementwise},
    {"direct_copy", elementwise},
    {"fillfunctor", elementwise},
    {"rope", elementwise},
    {"swiglu", elementwise},
    {"geglu", elementwise},
    {"gelu", elementwise},
    {"silu", elementwise},
    {"bias_act", elementwise},
    {"tril", elementwise},
    {"triu", elementwise},
    {"distribution", elementwise},
    {"chunk_cat", elementwise},
    {"split_with_sizes", elementwise},
    {"reduce", reduction},
};

// Whether `name` contains the parts between the stars, in order.
bool matches(std::string_view name, std::string_view pattern) {
  for (;;) {
    const std::size_t star = std::min(pattern.find('*'), pattern.size());
    const std::size_t found = name.find(pattern.substr(0, star));
    if (found == std::string_view::npos) return false;
    if (star == pattern.size()) return true;
    name.remove_prefix(found + star);
    pattern.remove_prefix(star + 1);
  }
}

}  // namespace

std::span<const KernelClassRow> kernel_classes() { return kClasses; }

const KernelClassRow& row_of(KernelClass value) {
  return kClasses[static_cast<std::size_t>(value)];
}

std::span<const NamePattern> name_patterns() { return kPatterns; }

KernelClass class_of(std::string_view kernel_name) {
  if (kernel_name.starts_with(kSimulated)) {
    const std::string_view rest = kernel_name.substr(kSimulated.size());
    const auto row =
        std::ranges::find(kClasses, rest.substr(0, rest.find('(')), &KernelClassRow::name);
    return row == std::end(kClasses) ? unexplained : row->value;
  }
  const std::string name = in_lower_case(kernel_name);
  const auto row = std::ranges::find_if(
      kPatterns, [&](const NamePattern& pattern) { return matches(name, pattern.part); });
  return row == std::end(kPatterns) ? unexplained : row->value;
}

std::string simulated_name(KernelClass value, std::string_view label) {
  return fmt::format("{}{}({})", kSimulated, row_of(value).name, label);
}

}  // namespace sim::trace
