// SPDX-License-Identifier: Apache-2.0
// Instructions that not every GPU has from an A100 on, and what stands for them elsewhere. Conditions on
// the GPU are decided when a kernel is compiled; the emulator (tests/emulator) decides when it runs, so that
// its tests meet both. The only file that asks the compiler for whom it compiles.
#pragma once

#include <cuda_fp4.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstring>

namespace codecs::cuda {

// Compute capability times ten: 80, 90, 100.
__device__ inline int compute_capability() {
#if defined(__CUDA_ARCH__)
  return __CUDA_ARCH__ / 10;
#elif defined(EMULATED_COMPUTE_CAPABILITY)
  return EMULATED_COMPUTE_CAPABILITY;
#else
  return 0;  // the host's pass of nvcc
#endif
}

// A lane loads or stores 32 bytes at once, which are a sector of memory (PTX ISA 8.8, ld: .v8.b32).
__device__ inline bool moves_sectors() { return compute_capability() >= 100; }

// The maximum of three integers is one instruction, and that of three floats is not.
__device__ inline bool takes_three_integers() { return compute_capability() == 90; }

// The larger of both; a NaN, the positive quiet one, if either is. It takes magnitudes for nothing, and
// three operands at once from compute capability 10 on.
__device__ inline float larger_or_nan(float a, float b) {
#ifdef __CUDA_ARCH__
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(a), "f"(b));
  return larger;
#else
  return a == a && b == b ? fmaxf(a, b) : __uint_as_float(0x7FFFFFFFu);
#endif
}

// Each of a pair times the same, rounded as alone: one instruction from compute capability 10 on (PTX ISA
// 8.6, mul: .f32x2). Not for what is added at once: ptxas would round both together once.
__device__ inline float2 product(float2 a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
  float2 product;
  asm("{ .reg .b64 x, y;\n"
      "mov.b64 x, {%2, %3};\n"
      "mov.b64 y, {%4, %4};\n"
      "mul.rn.f32x2 x, x, y;\n"
      "mov.b64 {%0, %1}, x; }"
      : "=f"(product.x), "=f"(product.y)
      : "f"(a.x), "f"(a.y), "f"(b));
  return product;
#else
  return make_float2(a.x * b, a.y * b);
#endif
}

// Conversions between float32 and E2M1 (PTX ISA 8.6, cvt: .e2m1x2), which are there only where kernels
// are compiled for one family of GPUs (codecs/cuda/architectures.cmake).
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && \
    (defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_SPECIFIC__))
#define CODECS_CONVERTS_E2M1
#endif
__device__ inline bool converts_e2m1() {
#if defined(__CUDA_ARCH__) && !defined(CODECS_CONVERTS_E2M1)
  return false;
#else
  return compute_capability() >= 100;
#endif
}

// The codes of 8 values, to nearest even; beyond 6 they saturate.
__device__ inline unsigned e2m1_codes(const float* v) {
#ifdef CODECS_CONVERTS_E2M1
  unsigned word;
  asm("{ .reg .b8 a, b, c, d;\n"
      "cvt.rn.satfinite.e2m1x2.f32 a, %2, %1;\n"
      "cvt.rn.satfinite.e2m1x2.f32 b, %4, %3;\n"
      "cvt.rn.satfinite.e2m1x2.f32 c, %6, %5;\n"
      "cvt.rn.satfinite.e2m1x2.f32 d, %8, %7;\n"
      "mov.b32 %0, {a, b, c, d}; }"
      : "=r"(word)
      : "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]), "f"(v[4]), "f"(v[5]), "f"(v[6]), "f"(v[7]));
  return word;
#else
  unsigned word = 0;
  for (int i = 0; i < 4; ++i) {
    const float2 pair = make_float2(v[2 * i], v[2 * i + 1]);
    word |= static_cast<unsigned>(__nv_cvt_float2_to_fp4x2(pair, __NV_E2M1, cudaRoundNearest))
            << (8 * i);
  }
  return word;
#endif
}

// Pairs of the 8 codes of a word as float16.
__device__ inline void e2m1_halves(unsigned word, unsigned (&pairs)[4]) {
#ifdef CODECS_CONVERTS_E2M1
  asm("{ .reg .b8 a, b, c, d;\n"
      "mov.b32 {a, b, c, d}, %4;\n"
      "cvt.rn.f16x2.e2m1x2 %0, a;\n"
      "cvt.rn.f16x2.e2m1x2 %1, b;\n"
      "cvt.rn.f16x2.e2m1x2 %2, c;\n"
      "cvt.rn.f16x2.e2m1x2 %3, d; }"
      : "=r"(pairs[0]), "=r"(pairs[1]), "=r"(pairs[2]), "=r"(pairs[3])
      : "r"(word));
#else
  for (int i = 0; i < 4; ++i) {
    const auto pair = static_cast<__nv_fp4x2_storage_t>(word >> (8 * i));
    const __half2_raw halves = __nv_cvt_fp4x2_to_halfraw2(pair, __NV_E2M1);
    memcpy(&pairs[i], &halves, sizeof halves);
  }
#endif
}

}  // namespace codecs::cuda
