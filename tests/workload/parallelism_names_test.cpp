// SPDX-License-Identifier: Apache-2.0
// How two setups are told apart.
#include "sim/workload/parallelism_names.hpp"

#include <gtest/gtest.h>

namespace sim {
namespace {

TEST(ChangedFields, OfEqualSetupsAreNone) {
  EXPECT_EQ(changed_fields({}, {}), "");
  EXPECT_EQ(changed_fields({.tensor = 2, .cuda_graphs = true}, {.tensor = 2, .cuda_graphs = true}),
            "");
}

TEST(ChangedFields, AreThoseOfTheSecondSetup) {
  const Parallelism plain{.sequence_parallel = false, .cuda_graphs = false};
  const Parallelism other{.tensor = 2, .sequence_parallel = true, .cuda_graphs = true};
  EXPECT_EQ(changed_fields(plain, other), "`tp` 2 `sequence-parallel` on `cuda-graphs` on");
  EXPECT_EQ(changed_fields(other, plain), "`tp` 1 `sequence-parallel` off `cuda-graphs` off");
}

TEST(ChangedFields, NameBucketsInTheLargestWholeUnit) {
  EXPECT_EQ(changed_fields({.bucket = 1_MiB}, {.bucket = 25_MiB}), "`bucket-size` 25MiB");
  EXPECT_EQ(changed_fields({.bucket = 1_MiB}, {.bucket = Bytes{1000}}), "`bucket-size` 1000B");
}

TEST(ChangedFields, SayWhatAHybridSetupLoses) {
  const Parallelism hybrid{.sharding = {.stage = 3, .ranks = 8}};
  const Parallelism whole{.sharding = {.stage = 3}};
  EXPECT_EQ(changed_fields(whole, hybrid), "`hybrid-shard` 8");
  EXPECT_EQ(changed_fields(hybrid, whole), " (no `hybrid-shard`)");
}

}  // namespace
}  // namespace sim
