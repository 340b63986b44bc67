// SPDX-License-Identifier: Apache-2.0
// Each field is read and written by its own row, and two setups are told apart by their fields.
#include "sim/workload/parallelism_fields.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

// No field has its usual value.
Parallelism unusual() {
  return {.tensor = 2,
          .pipeline = 3,
          .virtual_stages = 4,
          .counted_ends = CountedEnds::both,
          .stage_layers = {1, 2, 2},
          .context = 6,
          .context_exchange = ContextExchange::all_gather,
          .context_heads = 3,
          .expert = 8,
          .expert_tensor = 5,
          .dispatcher = Dispatcher::hybridep,
          .dispatch_multiprocessors = 20,
          .placement = {&axes::data, &axes::context, &axes::pipeline, &axes::tensor},
          .routing = {.kind = ExpertRouting::Kind::power_law, .exponent = 1.2, .capacity = 1.25},
          .sequence_parallel = true,
          .micro_batch = 7,
          .accumulation = 9,
          .recompute = Recompute::projections,
          .offloaded_layers = 10,
          .attention = Attention::flash2,
          .kernels = Kernels::compiled,
          .loss = Loss::fused,
          .cuda_graphs = true,
          .power_throttling = true,
          .matrices = MatrixPrecision::fp8,
          .optimizer = Optimizer::muon,
          .optimizer_state = OptimizerState::host,
          .optimizer_precision = OptimizerPrecision::bf16_moments,
          .gathers_matrices = true,
          .gradients = Precision::bf16,
          .overlap = {.weights = true, .batches = true},
          .bucket = 25_MiB,
          .sharding = {3, 8, false, 2, 0, true, true, true}};
}

TEST(ParallelismFields, AreWrittenAsTheyAreRead) {
  Parallelism expected = unusual();
  GivenFields given;
  for (const ParallelismField& row : parallelism_fields()) {
    if (row.write != nullptr) given[row.name] = row.write(row, expected);
  }
  const Parallelism read = parallelism_of(given);
  EXPECT_EQ(changed_fields(expected, read), "");
  expected.stack = read.stack;
  expected.casts = read.casts;
  EXPECT_EQ(expected, read);
}

TEST(ParallelismFields, LeaveEachOtherAlone) {
  const Parallelism usual{.matrices = MatrixPrecision::fp8, .sharding = {.stage = 3}};
  for (const ParallelismField& row : parallelism_fields()) {
    if (row.write == nullptr) continue;
    const std::string text = row.name == "zero"        ? "2"
                             : row.name == "precision" ? "nvfp4"
                                                       : row.write(row, unusual());
    Parallelism changed = usual;
    row.read(row, text, changed);
    for (const ParallelismField& other : parallelism_fields()) {
      if (other.write == nullptr) continue;
      EXPECT_EQ(other.write(other, changed) != other.write(other, usual), other.name == row.name)
          << row.name << " changes " << other.name;
    }
  }
}

TEST(ParallelismFields, ReadWhatIsUsualAsUsual) {
  for (const ParallelismField& row : parallelism_fields()) {
    if (!row.usual.is_value) continue;
    Parallelism p;
    row.read(row, usual_text(row), p);
    EXPECT_EQ(p, Parallelism()) << row.name;
  }
}

TEST(ParallelismFields, HaveNamesOfTheirOwnAndStandBeforeKnownOnes) {
  std::set<std::string_view> names;
  for (const ParallelismField& row : parallelism_fields()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
  for (const ParallelismField& row : parallelism_fields()) {
    EXPECT_TRUE(row.before.empty() || names.contains(row.before)) << row.name;
  }
}

TEST(ParallelismFields, ThatAreNotGivenAreTheStacks) {
  const Parallelism p = parallelism_of({{"stack", "composer"}, {"attention", "unfused"}});
  EXPECT_EQ(p.sharding.stage, 3);
  EXPECT_EQ(p.attention, Attention::unfused);
  EXPECT_EQ(p.optimizer, Optimizer::adamw_foreach);
  EXPECT_TRUE(p.sharding.prefetch_after_backward);
  EXPECT_FALSE(
      parallelism_of({{"stack", "composer"}, {"zero", "1"}}).sharding.prefetch_after_backward);
}

std::string error_of_given(const GivenFields& given) {
  return input_error_of([&] { static_cast<void>(parallelism_of(given)); });
}

TEST(ParallelismFields, AreRefusedByName) {
  EXPECT_EQ(error_of_given({{"tp", "0"}}), "`tp`: 0 is less than 1");
  EXPECT_EQ(error_of_given({{"tp", "x"}}), "`tp`: x is not a number");
  EXPECT_EQ(error_of_given({{"prefetch", "-1"}, {"zero", "3"}, {"overlap", "all"}}),
            "`prefetch`: -1 is less than 0");
  EXPECT_EQ(error_of_given({{"zero", "4"}}), "`zero`: 4 is not a ZeRO stage; write 0, 1, 2 or 3");
  EXPECT_EQ(error_of_given({{"reshard", "off"}}), "`reshard`: needs `zero` 3");
  EXPECT_EQ(error_of_given({{"prefetch", "1"}, {"zero", "3"}, {"overlap", "none"}}),
            "`prefetch`: needs `overlap` weights, to gather ahead");
  EXPECT_EQ(error_of_given({{"weight-precision", "fp8"}, {"zero", "3"}}),
            "`weight-precision`: fp8 needs `precision` fp8, whose products read FP8 weights");
  EXPECT_EQ(error_of_given({{"overlap", "none,,all"}}),
            "`overlap`: '' is not one of: none, gradients, weights, tensor, pipeline, experts, "
            "batches, all");
}

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
