// SPDX-License-Identifier: Apache-2.0
// What x86 computes without complaint and a GPU does not stops the program.
#include <gtest/gtest.h>

#include "tests/emulator/run.hpp"

namespace emulator {
namespace {

__global__ void load_kernel(const std::byte* bytes, unsigned* sum) {
  const uint4 vector = *reinterpret_cast<const uint4*>(bytes + threadIdx.x);
  *sum = vector.x;
}

TEST(EmulatedKernelsDeathTest, LoadAlignedVectors) {
  const DeviceBuffer<std::byte> bytes(64);
  const DeviceBuffer<unsigned> sum(1);
  run(load_kernel, {.threads = {1}}, bytes.get(), sum.get());
  run(load_kernel, {.threads = {1}}, bytes.get() + 16, sum.get());
  EXPECT_DEATH(run(load_kernel, {.threads = {1}}, bytes.get() + 8, sum.get()), "misaligned");
}

__global__ void out_of_bounds_kernel(int index, int* out) {
  __shared__ int shared[8];
  shared[index] = 1;
  *out = shared[index];
}

TEST(EmulatedKernelsDeathTest, StayInsideSharedArrays) {
  const DeviceBuffer<int> out(1);
  run(out_of_bounds_kernel, {}, 7, out.get());
  EXPECT_DEATH(run(out_of_bounds_kernel, {}, 8, out.get()), "out of bounds");
}

__global__ void cast_kernel(float value, int* out) { *out = static_cast<int>(value); }

TEST(EmulatedKernelsDeathTest, CastOnlyWhatFits) {
  const DeviceBuffer<int> out(1);
  run(cast_kernel, {}, -1.5f, out.get());
  EXPECT_EQ(out.to_host().front(), -1);
  EXPECT_DEATH(run(cast_kernel, {}, 0x1p31f, out.get()), "outside the range");
}

}  // namespace
}  // namespace emulator
