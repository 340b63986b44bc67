// SPDX-License-Identifier: Apache-2.0
// Kernels by the names that libraries give them. The names are of published profiles and of the
// libraries' sources.
#include "sim/trace/kernel_class.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace sim::trace {
namespace {

using enum KernelClass;

TEST(KernelClass, FollowsTheNameOfTheKernel) {
  const std::pair<const char*, KernelClass> names[] = {
      {"ampere_bf16_s16816gemm_bf16_128x256_ldg8_f2f_stages_64x3_tn", product},
      {"sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1", product},
      {"nvjet_hsh_128x256_64x4_1x2_h_bz_coopA_TNT", product},
      {"void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_tn_align1>(Params)",
       product},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float>(cublasSplitKParams)", product},
      {"void gemv2T_kernel_val<int, int, float>(int)", product},
      {"void flash_fwd_kernel<Flash_fwd_kernel_traits<128, 128, 64, 4>, false>(Flash_fwd_params)",
       attention},
      {"void flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel<...>", attention},
      {"fmha_cutlassB_bf16_aligned_64x64_k64_sm80(PyTorchMemEffAttention)", attention},
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16", attention},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float>", norm},
      {"void transformer_engine::normalization::rmsnorm_fwd_tuned_kernel<...>", norm},
      {"void layer_norm::ln_fwd_kernel<layer_norm::Kernel_traits<...>>", norm},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, int, 128, true, 1, true>", norm},
      {"void scaled_upper_triang_masked_softmax_warp_forward<...>", softmax},
      {"void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float>", softmax},
      {"void at::native::(anonymous namespace)::nll_loss_forward_reduce_cuda_kernel_2d", loss},
      {"liger_cross_entropy_kernel", loss},
      {"void multi_tensor_apply_kernel<TensorListMetadata<4>, AdamFunctor<float>>", optimizer},
      {"void at::native::multi_tensor_apply_kernel<FusedAdamMathFunctor>", optimizer},
      {"void at::native::(anonymous namespace)::indexing_backward_kernel", index},
      {"void at::native::(anonymous namespace)::embedding_backward_feature_kernel", embedding},
      {"void at::native::(anonymous namespace)::fused_dropout_kernel_vec<float>", dropout},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float>>", reduction},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add>",
       elementwise},
      {"void at::native::elementwise_kernel<128, 2, direct_copy_kernel_cuda()::{lambda()#2}>",
       elementwise},
      {"void fused_rotary_embedding_kernel<float>", elementwise},
      {"void cudnn::ops::nchwToNhwcKernel<float, float, float>", elementwise},
      {"sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc", convolution},
      {"cudnn_infer_ampere_scudnn_128x64_relu_xregs_large_nn_v1", convolution},
      {"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)",
       all_reduce},
      {"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", all_gather},
      {"ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevKernelArgsStorage)", reduce_scatter},
      {"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*)", send_receive},
      {"ncclKernel_Broadcast_RING_LL_Sum_int8_t(ncclDevComm*)", broadcast},
      {"Memcpy DtoD (Device -> Device)", copy},
      {"Memset (Device)", copy},
      {"triton_poi_fused_add_mul_silu_3", elementwise},
      {"triton_red_fused_native_layer_norm_0", norm},
      {"triton_per_fused_sum_1", reduction},
      {"triton__0d1d2d3d", compiled},
      {"void transformer_engine::cast_transpose_fused_kernel<...>", codec},
      {"my_own_kernel", unexplained},
  };
  for (const auto& [name, value] : names) {
    EXPECT_EQ(row_of(class_of(name)).name, row_of(value).name) << name;
  }
}

TEST(KernelClass, EachHasARowAndANameOfItsOwn) {
  std::set<std::string_view> names;
  ASSERT_EQ(kernel_classes().size(), static_cast<std::size_t>(kKernelClasses));
  for (const KernelClassRow& row : kernel_classes()) {
    EXPECT_EQ(&row_of(row.value), &row);
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(class_of(simulated_name(row.value, "layer 3 gemm")), row.value);
  }
}

// A row behind one that takes all of its names would never be reached.
TEST(KernelClass, NoPatternIsHiddenByAnEarlierOneOfAnotherClass) {
  const auto patterns = name_patterns();
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::string shortest(patterns[i].part);
    std::erase(shortest, '*');
    EXPECT_EQ(row_of(class_of(shortest)).name, row_of(patterns[i].value).name) << shortest;
  }
}

}  // namespace
}  // namespace sim::trace
