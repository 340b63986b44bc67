// SPDX-License-Identifier: Apache-2.0
// What the GPU that a kernel is compiled for can do beyond an A100. Conditions on these are decided when
// a kernel is compiled; the emulator (tests/emulator) decides when it runs, so that its tests meet both.
#pragma once

#include <cuda_runtime.h>

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

// Conversions between float32 and E2M1 (PTX ISA 8.6, cvt: .e2m1x2), which are only there where kernels
// are compiled for one family of GPUs (codecs/cuda/architectures.cmake).
#if defined(__CUDA_ARCH_FAMILY_SPECIFIC__) || defined(__CUDA_ARCH_SPECIFIC__)
#define CODECS_CONVERTS_E2M1
#endif
__device__ inline bool converts_e2m1() {
#if defined(__CUDA_ARCH__) && !defined(CODECS_CONVERTS_E2M1)
  return false;
#else
  return compute_capability() >= 100;
#endif
}

}  // namespace codecs::cuda
