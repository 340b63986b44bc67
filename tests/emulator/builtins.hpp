// SPDX-License-Identifier: Apache-2.0
// CUDA C++ as C++: included before all else in files of kernels that run on the CPU. What the GPU
// computes otherwise than the standard library, and what rounds otherwise here, is left out: a
// kernel that uses it does not compile.
#pragma once

// The launch below takes the place of the toolkit's, which forgets the kernel's type.
#define cudaLaunchKernelEx cudaLaunchKernelExOfTheToolkit
#include <cuda_runtime.h>
#undef cudaLaunchKernelEx

// NOLINTBEGIN(bugprone-reserved-identifier)
// Blocks run one after another. Each declaration has a section of its own, by whose name
// shared_memory.cpp finds it: a compiler refuses variables of templates beside others in one.
#undef __shared__
#define EMULATED_SHARED_TEXT(number) "emulated_shared_" #number
#define EMULATED_SHARED_SECTION(number) EMULATED_SHARED_TEXT(number)
#define __shared__ static __attribute__((section(EMULATED_SHARED_SECTION(__COUNTER__))))
#undef __launch_bounds__
#define __launch_bounds__(...)

// What codecs/cuda/instructions.cuh asks for: that of the environment variable of this name times ten, else 90.
namespace emulator {
int compute_capability();
}
#define EMULATED_COMPUTE_CAPABILITY emulator::compute_capability()

extern uint3 threadIdx;
extern uint3 blockIdx;
extern dim3 blockDim;
extern dim3 gridDim;
inline constexpr int warpSize = 32;
// NOLINTEND(bugprone-reserved-identifier)

#include "tests/emulator/arithmetic.hpp"
#include "tests/emulator/bits.hpp"
#include "tests/emulator/conversions.hpp"
#include "tests/emulator/launch.hpp"
#include "tests/emulator/memory.hpp"
#include "tests/emulator/together.hpp"
