// SPDX-License-Identifier: Apache-2.0
// Ranks that share sequences: what each sends, by arithmetic, and what of a job stays.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/schedule/least_time.hpp"
#include "sim/workload/memory.hpp"
#include "tests/broad/apart_steps.hpp"

namespace sim {
namespace {

// A micro-batch of 2 samples of 128 tokens; keys and values of 512 columns each, 3 micro-batches.
constexpr double kTokensOfAll = 3.0 * 2 * 128, kKeyWidth = 512, kBf16Bytes = 2;
constexpr int kLayersOfAll = 4;

Parallelism of_parts(int ranks, ContextExchange exchange, int heads = 1) {
  return {.context = ranks,
          .context_exchange = exchange,
          .context_heads = heads,
          .micro_batch = 2,
          .accumulation = 3,
          .attention = Attention::fused};
}

double context_bytes(const Parallelism& p, const Model& model = deep_model()) {
  const Schedule schedule = plan(small_cluster(), model, p, plain_scheme());
  const std::vector<double> sent = sent_by_rank(schedule, Phase::context_comm);
  const auto [least, most] = std::ranges::minmax(sent);
  EXPECT_NEAR(least, most, 1e-6 * most);
  return most;
}

// Keys and values of a part pass on to each other rank, backward once more, and their gradients.
TEST(ContextParallelBytes, OfARingAndAGatherAreKeysAndValues) {
  for (const auto exchange : {ContextExchange::ring, ContextExchange::all_gather}) {
    for (const int ranks : {2, 4, 8}) {
      const double part = kTokensOfAll / ranks * 2 * kKeyWidth * kBf16Bytes;
      EXPECT_NEAR(context_bytes(of_parts(ranks, exchange)), kLayersOfAll * 3 * (ranks - 1) * part,
                  1e-6 * part);
    }
  }
}

TEST(ContextParallelBytes, OfARingAreOfFewerKeysWhereHeadsShareThem) {
  Model grouped = deep_model();
  grouped.kv_heads = 2;
  EXPECT_NEAR(context_bytes(of_parts(4, ContextExchange::ring), grouped),
              context_bytes(of_parts(4, ContextExchange::ring)) / 4, 1);
}

// Queries, keys and values go out and the core's output comes back; backward as much.
TEST(ContextParallelBytes, OfAnAllToAllAreAlikeInBothPasses) {
  for (const int ranks : {2, 4, 8}) {
    const double part = kTokensOfAll / ranks * kKeyWidth * kBf16Bytes * (ranks - 1) / ranks;
    const Parallelism p = of_parts(ranks, ContextExchange::all_to_all);
    EXPECT_NEAR(context_bytes(p), kLayersOfAll * 2 * (3 + 1) * part, 1e-6 * part);
    // Full recomputation repeats those of the forward pass.
    Parallelism repeated = p;
    repeated.recompute = Recompute::full;
    EXPECT_NEAR(context_bytes(repeated), 1.5 * context_bytes(p), 1e-6 * part);
  }
}

TEST(ContextParallelBytes, OfHeadsInsideARingAreBoth) {
  const double tokens = kTokensOfAll / 8;
  const double heads = 2 * (3 + 1) * tokens * kKeyWidth * kBf16Bytes / 2;  // of pairs
  const double ring = 3 * 3 * tokens * 2 * kKeyWidth * kBf16Bytes;         // of four
  EXPECT_NEAR(context_bytes(of_parts(8, ContextExchange::ring, 2)), kLayersOfAll * (heads + ring),
              1);
}

TEST(ContextParallelLaws, SamplesAreOfThoseThatShareThem) {
  const Cluster cluster = small_cluster(4);
  for (const int tensor : {1, 2}) {
    for (const int context : {1, 2, 4}) {
      Parallelism p = of_parts(context, ContextExchange::ring);
      p.tensor = tensor;
      EXPECT_EQ(replicas(cluster, p) * context * tensor, rank_count(cluster));
      EXPECT_EQ(global_batch(cluster, p), replicas(cluster, p) * 2 * 3);
      EXPECT_EQ(holders(cluster, p), rank_count(cluster) / tensor);
    }
  }
}

// Twice as many tokens a sequence, of twice as many ranks: as many on each.
TEST(ContextParallelLaws, KeepARanksTokensAndItsMemory) {
  Model longer = deep_model();
  longer.sequence *= 2;
  for (const auto exchange : {ContextExchange::ring, ContextExchange::all_to_all}) {
    const MemoryUse once = memory_use(small_cluster(), deep_model(), of_parts(2, exchange));
    const MemoryUse twice = memory_use(small_cluster(), longer, of_parts(4, exchange));
    EXPECT_NEAR(once.feed_forward_activations, twice.feed_forward_activations, 1);
    EXPECT_NEAR(once.attention_activations, twice.attention_activations,
                0.01 * once.attention_activations);
  }
}

// All attend to as many tokens: of a sequence's work each rank has its part, but for masked blocks, sums
// of rounds and kernels' fixed times.
TEST(ContextParallelLaws, DividesTheWork) {
  Model model = deep_model();
  model.sequence = 8192;
  Parallelism p = of_parts(1, ContextExchange::ring);
  const double whole =
      work_seconds(plan(small_cluster(), model, p, plain_scheme()), 0, Phase::forward);
  for (const auto exchange :
       {ContextExchange::ring, ContextExchange::all_gather, ContextExchange::all_to_all}) {
    for (const int ranks : {2, 4}) {
      p = of_parts(ranks, exchange);
      const double part =
          work_seconds(plan(small_cluster(), model, p, plain_scheme()), 0, Phase::forward);
      EXPECT_GE(part * ranks, whole * (1 - 1e-9));
      EXPECT_LE(part * ranks, whole * 1.5);
    }
  }
}

// A ring's rounds: the slower of all kernels, and of all but the last round's sending and its kernels.
TEST(ContextParallelLaws, ARingTakesNoLongerThanAGather) {
  Model model = deep_model();
  model.sequence = 8192;
  for (const int ranks : {2, 4, 8}) {
    const Cluster cluster = without_fixed_times(small_cluster());
    const double ring =
        step_time(cluster, model, of_parts(ranks, ContextExchange::ring), plain_scheme());
    const double gather =
        step_time(cluster, model, of_parts(ranks, ContextExchange::all_gather), plain_scheme());
    EXPECT_LE(ring, gather * 1.05) << ranks;
  }
}

TEST(ContextParallelLaws, OneRankChangesNothing) {
  Parallelism p = of_parts(1, ContextExchange::ring);
  const double usual = step_time(small_cluster(), deep_model(), p, plain_scheme());
  for (const auto exchange : {ContextExchange::all_gather, ContextExchange::all_to_all}) {
    p.context_exchange = exchange;
    EXPECT_EQ(step_time(small_cluster(), deep_model(), p, plain_scheme()), usual);
  }
}

}  // namespace
}  // namespace sim
