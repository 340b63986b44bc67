// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/attention_support.hpp"

#include <gtest/gtest.h>

#include "sim/times/published.hpp"
#include "sim/topology/cluster.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

Gpu gpu_named(const char* name) {
  Gpu gpu;
  gpu.name = name;
  return gpu;
}

TEST(AttentionSupport, RefusesKernelsOfOtherGenerationsAndVendors) {
  const auto runs = [](const char* gpu, Attention kernel) {
    return attention_problem(gpu_named(gpu), kernel).empty();
  };
  EXPECT_FALSE(runs("NVIDIA A100-SXM4-80GB", Attention::flash3));
  EXPECT_FALSE(runs("NVIDIA A100-SXM4-80GB", Attention::flash4));
  EXPECT_FALSE(runs("NVIDIA B200", Attention::flash3));
  EXPECT_FALSE(runs("AMD Instinct MI300X", Attention::cudnn));
  EXPECT_FALSE(runs("Tesla V100-SXM3-32GB", Attention::flash2));
  EXPECT_TRUE(runs("NVIDIA H100 80GB HBM3", Attention::flash4));
  EXPECT_TRUE(runs("AMD Instinct MI300X", Attention::flash2));
  EXPECT_TRUE(runs("a GPU of next year", Attention::flash3));
}

// On a GPU that a published measurement names, its kernel has run.
TEST(AttentionSupport, NeverRefusesWhatWasMeasured) {
  for (const char* name : {"A100", "A800", "H100", "H200", "H800", "GH200", "B200", "B100", "B300",
                           "GB200", "GB300"}) {
    Gpu gpu = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml").gpu;
    gpu.name = name;
    const auto published = read_published_kernels(source_directory() / "traces/kernels", gpu);
    for (const auto& [kernel, row] : published->attention) {
      if (!published->describes(row)) continue;
      EXPECT_EQ(attention_problem(gpu, kernel), "") << name;
    }
  }
}

}  // namespace
}  // namespace sim
