// The emulator against closed forms, and what it must refuse.
#include <gtest/gtest.h>

#include <vector>

#include "codecs/cuda/launch.cuh"
#include "codecs/cuda/resources.hpp"

namespace codecs::cuda {
namespace {

__global__ void add_kernel(int* sum) { atomicAdd(sum, static_cast<int>(threadIdx.x)); }

TEST(Emulator, RunsEveryThread) {
  const DeviceBuffer<int> sum{std::vector<int>{0}};
  launch(add_kernel, {.blocks = 3, .threads = 256}, sum.get());
  EXPECT_EQ(sum.to_host().front(), 3 * 255 * 128);
}

}  // namespace
}  // namespace codecs::cuda
