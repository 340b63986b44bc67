// SPDX-License-Identifier: Apache-2.0
// Everything of one instruction set, HWY_TARGET: codecs/cpu/targets.cpp includes this file for each.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

// Not sources of their own: all belong to the namespace of the instruction set.
// NOLINTBEGIN(bugprone-suspicious-include)
#include "codecs/cpu/simd/lanes.cpp"
#include "codecs/cpu/simd/random.cpp"
// These use what is above.
#include "codecs/cpu/simd/bf16.cpp"
#include "codecs/cpu/simd/hadamard.cpp"
#include "codecs/cpu/simd/quantise.cpp"
// And these that.
#include "codecs/cpu/simd/decode.cpp"
#include "codecs/cpu/simd/groups.cpp"
#include "codecs/cpu/simd/select.cpp"
#include "codecs/cpu/simd/signs.cpp"
#include "codecs/cpu/simd/sparse.cpp"
// NOLINTEND(bugprone-suspicious-include)

HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {

const Kernels& kernels() {
  static constexpr Kernels kKernels{.to_bf16 = encode_bf16,
                                    .from_bf16 = decode_bf16,
                                    .add_bf16 = add_bf16,
                                    .to_bf16_feedback = encode_bf16_feedback,
                                    .encode_groups = encode_groups,
                                    .bounds = bounds,
                                    .quantise = quantise,
                                    .sum_groups = sum_groups,
                                    .requantise = requantise,
                                    .encode_signs = encode_signs,
                                    .sum_strip = sum_strip,
                                    .sign_strip = sign_strip,
                                    .sum_signs = sum_signs};
  return kKernels;
}

const SparseKernels& sparse_kernels() {
  static constexpr SparseKernels kKernels{.select = select_chunks,
                                          .code = code_chunks,
                                          .keep = keep_chunks,
                                          .sum = sum_chunks,
                                          .squares = square_chunks,
                                          .aggregate = aggregate_chunks};
  return kKernels;
}

}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
