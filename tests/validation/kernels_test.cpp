// SPDX-License-Identifier: Apache-2.0
// Measured kernels by each way to predict them.
#include "sim/validation/kernels.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/shipped_files.hpp"

namespace sim::validation {
namespace {

// On the GPU whose table has them alone.
TEST(Kernels, ToWhichConstantsWereFittedStandApart) {
  const std::filesystem::path folder = source_directory();
  std::set<std::string> of_fitted;
  for (const KernelGroup& group : compare_kernels(read_measured_tables(folder), folder)) {
    if (group.from == "compiled, fitted") of_fitted.insert(group.gpu);
  }
  EXPECT_EQ(of_fitted, (std::set<std::string>{"NVIDIA H100 80GB HBM3"}));
}

}  // namespace
}  // namespace sim::validation
