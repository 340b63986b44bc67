// SPDX-License-Identifier: Apache-2.0
// Experts on ranks of their own: what each rank sends, by arithmetic, and how a step's time and memory
// move with the experts' axes, dispatchers, routing and codecs.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "sim/schedule/least_time.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/parameters.hpp"
#include "sim/workload/sizes.hpp"
#include "tests/broad/apart_steps.hpp"

namespace sim {
namespace {

constexpr double kRow = 2.0 * 512;  // bytes of a token in BF16
constexpr int kLayers = 4, kSequence = 128;
constexpr int kPasses = 4;  // dispatch and combine, forward and backward

void expect_each_rank_sends(const Schedule& schedule, Phase phase, double bytes,
                            double tolerance = 1e-9) {
  for (const double sent : sent_by_rank(schedule, phase)) {
    EXPECT_NEAR(sent, bytes, tolerance * bytes + 1e-6);
  }
}

Parallelism with_ranks(int ranks, Dispatcher dispatcher = Dispatcher::all_to_all) {
  return {.expert = ranks,
          .expert_tensor = 1,
          .dispatcher = dispatcher,
          .micro_batch = 2,
          .accumulation = 3};
}
constexpr double kTokensOfRank = 3.0 * 2 * kSequence;  // of all micro-batches

TEST(ExpertParallelBytes, OfNcclAreARowForEachExpertOfAToken) {
  for (const int ranks : {2, 4, 8}) {
    const Schedule schedule =
        plan(small_cluster(), apart_model(), with_ranks(ranks), plain_scheme());
    const double away = (ranks - 1.0) / ranks;
    expect_each_rank_sends(schedule, Phase::expert_comm,
                           kLayers * kPasses * kTokensOfRank * kChosen * away * kRow);
  }
}

// Tokens that tensor-parallel ranks divide, and parts of sequences, are of one rank each.
TEST(ExpertParallelBytes, AreThoseOfARanksOwnTokens) {
  Parallelism p = with_ranks(4);
  p.tensor = 2;
  p.sequence_parallel = true;
  p.context = 2;
  p.attention = Attention::fused;
  const Schedule schedule = plan(small_cluster(), apart_model(), p, plain_scheme());
  expect_each_rank_sends(schedule, Phase::expert_comm,
                         kLayers * kPasses * kTokensOfRank / 4 * kChosen * 3 / 4.0 * kRow);
}

// Balanced: a token has experts on as many ranks as it can.
TEST(ExpertParallelBytes, OfDeepepAreOneRowForEachRankOfAToken) {
  const Cluster cluster = small_cluster(1, 8);
  for (const Dispatcher library : {Dispatcher::deepep, Dispatcher::hybridep}) {
    for (const int chosen : {1, 2, 4}) {
      for (const int ranks : {2, 4, 8}) {
        Model model = apart_model();
        model.experts.top_k = chosen;
        const Schedule schedule = plan(cluster, model, with_ranks(ranks, library), plain_scheme());
        const double copies = std::min(chosen, ranks) * (ranks - 1.0) / ranks;
        expect_each_rank_sends(schedule, Phase::expert_comm,
                               kLayers * kPasses * kTokensOfRank * copies * kRow);
      }
    }
  }
}

TEST(ExpertParallelBytes, OfDeepepsLowLatencyKernelsAreThoseOfNccl) {
  const Schedule schedule = plan(small_cluster(1, 8), apart_model(),
                                 with_ranks(4, Dispatcher::deepep_low_latency), plain_scheme());
  expect_each_rank_sends(schedule, Phase::expert_comm,
                         kLayers * kPasses * kTokensOfRank * kChosen * 3 / 4.0 * kRow);
}

double permuted_bytes(Dispatcher dispatcher) {
  const LayerOperators layer =
      layer_operators(apart_model(), with_ranks(4, dispatcher), {.block = Block::experts});
  double bytes = 0;
  for (const Segments* pass : {&layer.forward, &layer.backward}) {
    for (const Segment& segment : *pass) {
      for (const Operator& one : segment.kernels) {
        if (one.work == Work::permute) bytes += one.bytes;
      }
    }
  }
  return bytes;
}

// Rows of 4 ranks, forward and backward: sorted by rank and summed, and sorted by expert and back; DeepEP's
// spread to experts and back alone; none where the library does both.
TEST(ExpertRows, AreMovedAsTheirLibraryNeeds) {
  const double token = 2.0 * kSequence * kRow, row = kChosen * token;
  EXPECT_DOUBLE_EQ(permuted_bytes(Dispatcher::all_to_all), 2 * (3 * row + token) + 2 * 4 * row);
  EXPECT_DOUBLE_EQ(permuted_bytes(Dispatcher::deepep), 2 * 4 * row);
  EXPECT_DOUBLE_EQ(permuted_bytes(Dispatcher::deepep_low_latency), 0);
}

// Of E experts a rank has E / ep: of k distinct ones none is there with the chance
// C(E - E / ep, k) / C(E, k).
double ranks_of_random_token(int ranks) {
  const double elsewhere = kExperts - 1.0 * kExperts / ranks;
  double none = 1;
  for (int i = 0; i < kChosen; ++i) none *= (elsewhere - i) / (kExperts - i);
  return ranks * (1 - none);
}

TEST(ExpertParallelBytes, OfARandomRouterAreTheRanksThatATokenHits) {
  for (const int ranks : {2, 4, 8}) {
    Parallelism p = with_ranks(ranks, Dispatcher::deepep);
    p.routing.kind = ExpertRouting::Kind::random;
    const Schedule schedule = plan(small_cluster(1, 8), apart_model(), p, plain_scheme());
    const double busiest = routed_to(apart_model(), p).busiest;  // whom all wait for
    EXPECT_GT(busiest, 1);
    expect_each_rank_sends(schedule, Phase::expert_comm,
                           busiest * kLayers * kPasses * kTokensOfRank *
                               ranks_of_random_token(ranks) * (ranks - 1.0) / ranks * kRow,
                           1e-5);
  }
}

// Forward and backward, out and back; recomputed, the way out and, in PyTorch's and Megatron's full
// recomputation, the way back.
TEST(ExpertParallelBytes, AreAlikeInBothPasses) {
  for (const bool repeats : {false, true}) {
    Parallelism p = with_ranks(4);
    p.recompute = repeats ? Recompute::full : Recompute::none;
    const Schedule schedule = plan(small_cluster(), apart_model(), p, plain_scheme());
    const int passes = kPasses + (repeats ? 2 : 0);
    expect_each_rank_sends(schedule, Phase::expert_comm,
                           kLayers * passes * kTokensOfRank * kChosen * 3 / 4.0 * kRow);
  }
}

// 8 ranks are ep x edp. In ZeRO-1 gradients are scattered in FP32 and weights gathered in BF16.
TEST(ExpertParallelBytes, OfGradientsAndWeightsAreAmongThoseThatHoldTheSame) {
  const Model model = apart_model();
  const double experts = kLayers * kExperts * kExpertParameters;
  const double dense = static_cast<double>(total_parameters(model)) - experts;
  for (const int ranks : {2, 4, 8}) {
    const double same = 8.0 / ranks;
    const double exchanged = 7.0 / 8 * dense + (same - 1) / same * experts / ranks;
    const Schedule schedule = plan(small_cluster(), model, with_ranks(ranks), plain_scheme());
    expect_each_rank_sends(schedule, Phase::gradient_comm, 4 * exchanged);
    expect_each_rank_sends(schedule, Phase::weight_comm, 2 * exchanged);
  }
}

TEST(ExpertParallelBytes, OfRanksThatSplitEachExpert) {
  const Model model = apart_model();
  const double experts = kLayers * kExperts * kExpertParameters;
  const double dense = static_cast<double>(total_parameters(model)) - experts;
  Parallelism p = with_ranks(2);
  p.expert_tensor = 2;  // 2 x 2 x 2
  const Schedule schedule = plan(small_cluster(), model, p, plain_scheme());
  expect_each_rank_sends(schedule, Phase::gradient_comm,
                         4 * (7.0 / 8 * dense + 1.0 / 2 * experts / 4));
  // Of each of two ranks the rows that came to the other one, out and back.
  const double rows = kTokensOfRank * kChosen;
  expect_each_rank_sends(schedule, Phase::expert_comm,
                         kLayers * kPasses * (rows / 2 + rows) * kRow);
}

// What lies as usual is as usual, whatever is said of experts' axes.
TEST(ExpertParallelLaws, OneRankOfExpertsChangesNothing) {
  const Cluster cluster = small_cluster();
  RandomJobs jobs(cluster, 1);
  for (int i = 0; i < 24; ++i) {
    auto [model, p, scheme] = jobs.next();
    SCOPED_TRACE(scheme->name + " " + changed_fields({}, p));
    p.expert = 1;
    p.expert_tensor = 0;
    p.overlap.experts = p.overlap.batches = false;
    p.dispatcher = Dispatcher::all_to_all;
    Parallelism same = p;
    same.expert_tensor = p.tensor;
    same.overlap.experts = same.overlap.batches = true;
    same.dispatcher = Dispatcher::deepep;
    if (p.context == 1) {
      same.context_exchange = ContextExchange::all_to_all;
    }
    const Schedule usual = plan(cluster, model, p, *scheme);
    const Schedule other = plan(cluster, model, same, *scheme);
    ASSERT_EQ(usual.operations.size(), other.operations.size());
    EXPECT_EQ(sent_bytes(usual).intra_node, sent_bytes(other).intra_node);
    EXPECT_EQ(simulate(usual, cluster).makespan_s, simulate(other, cluster).makespan_s);
  }
}

struct Ran {
  double seconds, least_s;
};
Ran run_of(const StepContext& context, const Scheme& scheme) {
  const PlannedStep step = plan_step(context, scheme);
  const Timeline timeline = simulate(step.schedule, step.wiring);
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  return {timeline.makespan_s, least_time(step.schedule, step.wiring).base()};
}

// One rank for all that do the same, every rank, and every step of a collective.
TEST(ExpertParallelLaws, FoldedIsAsWholeAndStepByStep) {
  const Cluster cluster = small_cluster();
  const Calibration calibration = roofline();
  RandomJobs jobs(cluster, 2);
  for (int i = 0; i < 32; ++i) {
    const auto [model, p, scheme] = jobs.next();
    SCOPED_TRACE(scheme->name + " " + changed_fields({}, p));
    StepContext context{cluster, model, calibration, p, Detail::folded};
    const Ran folded = run_of(context, *scheme);
    context.whole = true;
    const Ran whole = run_of(context, *scheme);
    context.detail = Detail::step_by_step;
    const Ran steps = run_of(context, *scheme);
    EXPECT_NEAR(folded.seconds / whole.seconds, 1, 1e-3);
    EXPECT_NEAR(folded.seconds / steps.seconds, 1, 0.02);
    for (const Ran& one : {folded, whole, steps}) EXPECT_LE(one.least_s, one.seconds * (1 + 1e-9));
  }
}

// Without a pipeline, and with links that take no time, a step is its kernels.
TEST(ExpertParallelLaws, FreeLinksLeaveTheKernels) {
  Cluster cluster = without_fixed_times(small_cluster());
  cluster.nvlink.bandwidth = cluster.nvlink.bandwidth * 1e6;
  cluster.network.nic_bandwidth = cluster.network.nic_bandwidth * 1e6;
  RandomJobs jobs(cluster, 3);
  for (int i = 0; i < 24; ++i) {
    auto [model, p, scheme] = jobs.next();
    p.pipeline = p.virtual_stages = 1;
    p.dispatcher = Dispatcher::all_to_all;  // libraries have rates of their own
    SCOPED_TRACE(scheme->name + " " + changed_fields({}, p));
    const Calibration calibration = roofline();
    if (!problems({cluster, model, calibration, p}, *scheme).empty()) continue;
    const Schedule schedule = plan(cluster, model, p, *scheme);
    const double kernels = work_seconds(schedule, 0, [](const Operation&) { return true; });
    const double step_s = simulate(schedule, cluster).makespan_s;
    EXPECT_NEAR(step_s / kernels, 1, 0.02);
  }
}

// A host that is always ahead waits once in each layer's forward pass, and then issues the dispatch.
TEST(ExpertHosts, WaitForCountsOfRows) {
  constexpr double kIssue = 1e-7;
  const auto seconds = [&](const Parallelism& p, bool waits) {
    Calibration calibration = roofline();
    calibration.hosts.rows = {{.name = "host",
                               .kernels = {p.kernels},
                               .issue_s = kIssue,
                               .spread = 0.5,
                               .waits_for_counts = waits}};
    const auto [schedule, wiring] =
        plan_step({small_cluster(), apart_model(), calibration, p}, plain_scheme());
    return simulate(schedule, wiring).makespan_s;
  };
  for (const auto& [dispatcher, waits] : {std::pair{Dispatcher::all_to_all, 1},
                                          {Dispatcher::deepep, 1},
                                          {Dispatcher::deepep_low_latency, 0}}) {
    const Parallelism p = with_ranks(4, dispatcher);
    EXPECT_NEAR(seconds(p, true) - seconds(p, false), waits * kLayers * p.accumulation * kIssue,
                1e-3 * kIssue);
  }
}

double time_of_job(const Parallelism& p, const Scheme& scheme = plain_scheme(),
                   const Model& model = apart_model()) {
  return step_time(small_cluster(), model, p, scheme);
}

std::vector<Parallelism> several_layouts() {
  std::vector<Parallelism> all;
  for (const Dispatcher dispatcher : {Dispatcher::all_to_all, Dispatcher::deepep}) {
    for (const bool overlaps : {false, true}) {
      Parallelism p = with_ranks(4, dispatcher);
      p.overlap.experts = p.overlap.batches = overlaps;
      all.push_back(p);
      p.tensor = p.pipeline = p.expert = 2;
      p.sequence_parallel = true;
      all.push_back(p);
    }
  }
  return all;
}

// Shares of experts from equal to one that has all it can.
TEST(ExpertParallelLaws, ASkewNeverSpeedsUp) {
  for (Parallelism p : several_layouts()) {
    SCOPED_TRACE(changed_fields({}, p));
    const double balanced = time_of_job(p);
    double last = balanced;
    for (const double skew : {0.0, 1e-6, 0.5, 1.0, 2.0, 3.0}) {
      // The first expert has more than each of the others.
      std::vector<double> shares(kExperts, 1 / (kExperts + skew));
      shares[0] *= 1 + skew;
      p.routing = {.kind = ExpertRouting::Kind::measured, .shares = shares};
      const double now = time_of_job(p);
      // Equal shares at random hit fewer ranks than a balanced router, which a library makes use of.
      if (p.dispatcher == Dispatcher::all_to_all) {
        EXPECT_GE(now, last * (1 - 1e-4)) << skew;
        if (skew <= 1e-6) {
          EXPECT_NEAR(now / balanced, 1, 1e-3) << skew;
        }
      }
      last = now;
    }
    p.routing = {.kind = ExpertRouting::Kind::power_law, .exponent = 3};
    const double power_law = time_of_job(p);
    if (p.dispatcher == Dispatcher::all_to_all) {
      EXPECT_GE(power_law, balanced);
    }
  }
}

TEST(ExpertParallelLaws, MoreCapacityDropsNoMore) {
  for (const auto kind : {ExpertRouting::Kind::random, ExpertRouting::Kind::power_law}) {
    Parallelism p = with_ranks(4);
    double last = 1, slower = 0;
    for (const double capacity : {1.0, 1.1, 1.25, 1.5, 2.0, 4.0, 0.0}) {
      p.routing = {.kind = kind, .exponent = 1.2, .capacity = capacity};
      const double dropped = routed_to(apart_model(), p).dropped;
      EXPECT_LE(dropped, last + 1e-12) << capacity;
      const double now = time_of_job(p);
      EXPECT_GE(now, slower * (1 - 1e-6)) << capacity;
      last = dropped;
      slower = now;
    }
    EXPECT_EQ(last, 0);
  }
}

// Codecs that the kernels of rows have inside them.
Scheme with_rows(const char* codec) {
  Scheme scheme = plain_scheme();
  scheme.name = "rows";
  scheme.activations.dispatch = scheme.activations.combine = {codecs::codec_named(codec).format};
  scheme.activations.fused = true;
  return scheme;
}

TEST(ExpertParallelLaws, FewerBitsOfRowsNeverTakeLonger) {
  for (const Parallelism& p : several_layouts()) {
    SCOPED_TRACE(changed_fields({}, p));
    const double plain = time_of_job(p);
    const double eight = time_of_job(p, with_rows("mxfp8"));
    EXPECT_LE(eight, plain * (1 + 1e-9));
    EXPECT_LE(time_of_job(p, with_rows("int4_g128")), eight * (1 + 1e-9));
  }
}

TEST(ExpertParallelLaws, MoreRanksOfExpertsTakeLessMemory) {
  const Cluster cluster = small_cluster(4);
  for (const int stage : {1, 2, 3}) {
    double last = std::numeric_limits<double>::infinity();
    for (const int ranks : {1, 2, 4, 8}) {
      Parallelism p = with_ranks(ranks);
      p.sharding.stage = stage;
      const MemoryUse use = memory_use(cluster, apart_model(), p);
      const double held = use.expert_weights + use.expert_gradients;
      // In ZeRO-3 all of a stage share the experts either way.
      if (stage < 3) {
        EXPECT_LT(held, last);
      }
      if (stage == 3) {
        EXPECT_LE(held, last * (1 + 1e-9));
      }
      last = held;
    }
    last = std::numeric_limits<double>::infinity();
    for (const int nodes : {1, 2, 4, 8}) {  // 1, 2, 4, 8 ranks hold the same experts
      Parallelism p = with_ranks(4);
      p.sharding.stage = stage;
      const double all = memory_use(small_cluster(nodes), apart_model(), p).total();
      if (nodes > 1) {
        EXPECT_LE(all, last);
      }
      last = all;
    }
  }
}

TEST(ExpertParallelLaws, PlacementKeepsTheSumOfBytes) {
  Parallelism p = with_ranks(2);
  p.tensor = p.pipeline = p.context = 2;
  p.sequence_parallel = true;
  p.attention = Attention::fused;
  const Cluster cluster = small_cluster(4);
  std::map<Phase, double> first;
  for (const Placement placement :
       {Placement{&axes::tensor, &axes::data, &axes::pipeline},
        Placement{&axes::pipeline, &axes::data, &axes::tensor},
        Placement{&axes::data, &axes::tensor, &axes::pipeline},
        Placement{&axes::context, &axes::tensor, &axes::data, &axes::pipeline},
        Placement{&axes::tensor, &axes::data, &axes::context, &axes::pipeline}}) {
    p.placement = placement;
    const Schedule schedule = plan(cluster, apart_model(), p, plain_scheme());
    for (const Phase phase : {Phase::expert_comm, Phase::context_comm, Phase::gradient_comm,
                              Phase::weight_comm, Phase::tensor_comm}) {
      const double all = total_of(sent_by_rank(schedule, phase));
      EXPECT_GT(all, 0);
      EXPECT_NEAR(all / first.try_emplace(phase, all).first->second, 1, 1e-9);
    }
  }
}

// Whole experts over so many ranks, and layers over stages of any number.
void divide(RandomJobs& jobs, int expert, Parallelism& p) {
  p.expert = expert;
  p.expert_tensor = 1;
  p.pipeline = 1 << jobs.below(3);
  p.virtual_stages = p.pipeline == 2 ? 1 + jobs.below(2) : 1;
}

// Pairs of passes: whatever the pipeline, what a stage waits for comes.
TEST(ExpertParallelLaws, PairsOfPassesEnd) {
  const Cluster cluster = small_cluster(4);
  RandomJobs jobs(cluster, 4);
  for (int i = 0; i < 40; ++i) {
    auto [model, p, scheme] = jobs.next();
    divide(jobs, 2, p);
    p.overlap.batches = true;
    p.accumulation = 1 + jobs.below(9);
    SCOPED_TRACE(scheme->name + " " + changed_fields({}, p));
    const Calibration calibration = roofline();
    if (!problems({cluster, model, calibration, p}, *scheme).empty()) continue;
    run_of({cluster, model, calibration, p}, *scheme);
  }
}

// Eight micro-batches or more, and twice as many as pairs that are under way.
TEST(ExpertParallelLaws, PairsOfPassesCostNothingWithEnoughOfThem) {
  const Cluster cluster = small_cluster(4);
  RandomJobs jobs(cluster, 5);
  for (int i = 0; i < 24; ++i) {
    auto [model, p, scheme] = jobs.next();
    divide(jobs, 4, p);
    p.accumulation = std::max(8, 4 * p.pipeline) + jobs.below(5);
    p.overlap.batches = false;
    const Calibration calibration = roofline();
    if (!problems({cluster, model, calibration, p}, *scheme).empty()) continue;
    SCOPED_TRACE(scheme->name + " " + changed_fields({}, p));
    const double apart = run_of({cluster, model, calibration, p}, *scheme).seconds;
    p.overlap.batches = true;
    EXPECT_LE(run_of({cluster, model, calibration, p}, *scheme).seconds, 1.02 * apart);
  }
}

}  // namespace
}  // namespace sim
