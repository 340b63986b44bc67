// SPDX-License-Identifier: Apache-2.0
// A scheme and its uncompressed twin: the same step but for what travels and how it is encoded.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "sim/base/error.hpp"
#include "sim/schemes/formats.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

bool loses_nothing(const Wire& wire) {
  return !wire.card && codecs::bits_of(wire.format.element) >= 16 && wire.format.group <= 1;
}

class Twin : public EveryScheme {};

TEST_P(Twin, IsARowThatDoesNotCompress) {
  EXPECT_FALSE(twin().compresses());
  EXPECT_FALSE(twin().weights.difference);
  EXPECT_FALSE(twin().weights.secondary_shards);
  EXPECT_EQ(twin().gradients.residual_bytes, 0);
  EXPECT_TRUE(loses_nothing(twin().weights.wire));
  if (twin().gradients.algorithm != &reductions::ring) {
    EXPECT_TRUE(loses_nothing(twin().gradients.inside));
    EXPECT_TRUE(loses_nothing(twin().gradients.between));
  }
}

TEST_P(Twin, OfATwinIsItself) { EXPECT_EQ(twin().twin, twin().name); }

TEST_P(Twin, IsDefinedForTheStagesOfItsScheme) {
  ASSERT_FALSE(scheme().zero.empty());
  for (const int stage : scheme().zero) EXPECT_TRUE(twin().is_defined_for(stage)) << stage;
}

// Compute and update kernels of every rank, in order: sharding and overlaps show in them. Passes over
// what ZeRO-3 gathers stand where its decodes do.
std::vector<std::tuple<int, Phase, double>> kernels_of(const Schedule& schedule) {
  std::vector<std::tuple<int, Phase, double>> kernels;
  for (const Operation& one : schedule.operations) {
    if (one.kind != OperationKind::work || one.stream != Stream::compute) continue;
    if (one.phase == Phase::decode || schedule.labels[one.label] == "keep secondary shard" ||
        schedule.labels[one.label] == "unpack weights") {
      continue;
    }
    kernels.emplace_back(one.rank, one.phase, one.seconds);
  }
  return kernels;
}

TEST_P(Twin, HasTheSameKernelsOnTheComputeStream) {
  for (const Overlap& overlap : {Overlap{}, kOverlapAll}) {
    const Parallelism parallelism =
        defined(scheme(), {.accumulation = 2, .overlap = overlap, .bucket = 16_MiB});
    const auto mine = plan(small_cluster(), sample_model(), parallelism, scheme());
    Scheme same_overlap = twin();
    same_overlap.overlap = scheme().overlap;
    const auto twins = plan(small_cluster(), sample_model(), parallelism, same_overlap);
    EXPECT_EQ(kernels_of(mine), kernels_of(twins));
  }
}

// Everything of an operation that decides when it runs.
auto facts_of(const Schedule& schedule, const Operation& one) {
  const auto before = schedule.dependencies_of(one);
  return std::tuple(one.kind, one.phase, one.stream, schedule.parts[one.parts], one.rank, one.route,
                    one.occupancy, one.seconds, one.bytes, schedule.labels[one.label],
                    std::vector<std::uint32_t>(before.begin(), before.end()));
}

TEST_P(Twin, IsTheSchemeItselfWithoutItsCodecsAndCollectives) {
  Scheme plain = scheme();
  plain.weights = {};
  plain.gradients = {};
  plain.overlap = {};
  const Scheme& uncompressed =
      scheme_named(scheme().is_defined_for(0) ? "data_parallel" : "sharded");
  for (const Overlap& overlap : {Overlap{}, kOverlapAll}) {
    const Parallelism parallelism = defined(scheme(), {.overlap = overlap, .bucket = 16_MiB});
    const auto mine = plan(small_cluster(), sample_model(), parallelism, plain);
    const auto baseline = plan(small_cluster(), sample_model(), parallelism, uncompressed);
    ASSERT_EQ(mine.operations.size(), baseline.operations.size());
    for (std::size_t i = 0; i < mine.operations.size(); ++i) {
      ASSERT_EQ(facts_of(mine, mine.operations[i]), facts_of(baseline, baseline.operations[i]));
    }
    EXPECT_EQ(simulate(mine, small_cluster()).end_s, simulate(baseline, small_cluster()).end_s);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Twin, testing::ValuesIn(scheme_rows()), scheme_label);

TEST(SchemeRegistry, FindsEveryRowByItsOwnName) {
  std::set<std::string_view> names;
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    EXPECT_EQ(&scheme_named(scheme->name), scheme);
    EXPECT_FALSE(scheme->summary.empty()) << scheme->name;
    EXPECT_TRUE(names.insert(scheme->name).second) << scheme->name << " is twice in the table";
  }
}

TEST(SchemeRegistry, NamesWhatItKnowsToWhoAsksForAnother) {
  try {
    static_cast<void>(scheme_named("sdp4"));
    FAIL() << "a scheme that is none";
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_TRUE(text.starts_with("`scheme`: unknown scheme 'sdp4'; ")) << text;
    for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
      EXPECT_NE(text.find(scheme->name), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace sim
