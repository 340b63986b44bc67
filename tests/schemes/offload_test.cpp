// SPDX-License-Identifier: Apache-2.0
// Activations that hosts keep: what they free, what their copies take, and what waits for what.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "sim/report/report.hpp"
#include "sim/report/simulated_trace.hpp"
#include "sim/workload/activations.hpp"
#include "sim/workload/memory_remedies.hpp"
#include "sim/workload/offloading.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "sim/workload/pipeline_tasks.hpp"
#include "sim/workload/stages.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

constexpr int kEightLayers = 8;

Model model_of_eight() {
  Model model = deep_model();
  model.layers = kEightLayers;
  return model;
}

Cluster linked_at(double link_Bps) {
  Cluster cluster = small_cluster();
  cluster.gpu.host_bandwidth = Bandwidth::from_base(link_Bps);
  cluster.gpu.host_efficiency = 1;
  return cluster;
}

double layer_bytes(const Parallelism& p) { return kept_activations(model_of_eight(), p).total(); }

Schedule offloaded_step(const Cluster& cluster, const Parallelism& p) {
  return plan(cluster, model_of_eight(), p, scheme_named("sharded"));
}
double offloaded_seconds(const Cluster& cluster, const Parallelism& p) {
  return simulate(offloaded_step(cluster, p), cluster).makespan_s;
}

// Jobs with and without stages, chunks, micro-batches, shards and recomputation.
std::vector<Parallelism> offloadable_jobs() {
  return {{},
          {.accumulation = 3},
          {.accumulation = 2, .recompute = Recompute::full, .sharding = {.stage = 3}},
          {.pipeline = 2, .accumulation = 1},
          {.pipeline = 2, .accumulation = 5, .recompute = Recompute::full},
          {.pipeline = 4, .accumulation = 6},
          {.pipeline = 2, .virtual_stages = 2, .accumulation = 4},
          {.pipeline = 2, .virtual_stages = 4, .accumulation = 3},
          {.tensor = 2, .pipeline = 2, .accumulation = 2, .sharding = {.stage = 3}},
          {.pipeline = 2, .stage_layers = {3, 5}, .accumulation = 4}};
}
// Numbers of layers that the largest virtual stage can do without.
std::vector<int> numbers_of(const Parallelism& p) {
  std::vector<int> numbers{kAllLayers};
  const int most = Stages(model_of_eight(), p).most_layers_of_a_chunk();
  for (int layers = 1; layers <= most; ++layers) numbers.push_back(layers);
  return numbers;
}
Parallelism with(Parallelism p, int layers) {
  p.offloaded_layers = layers;
  return p;
}

double copied_s(const Schedule& schedule, int rank, Stream stream) {
  double seconds = 0;
  for (const Operation& one : schedule.operations) {
    if (one.rank == rank && one.stream == stream) seconds += one.seconds;
  }
  return seconds;
}

TEST(Offload, OfNoLayersCopiesNothing) {
  for (const Parallelism& p : offloadable_jobs()) {
    for (const Operation& one : offloaded_step(linked_at(1e9), p).operations) {
      EXPECT_NE(one.phase, Phase::host_copy);
    }
    EXPECT_EQ(offloaded_seconds(linked_at(1e9), p), offloaded_seconds(small_cluster(), p));
  }
}

TEST(Offload, OverAnInfiniteLinkTakesNoTime) {
  const Cluster cluster = linked_at(std::numeric_limits<double>::infinity());
  for (const Parallelism& p : offloadable_jobs()) {
    const double usual_s = offloaded_seconds(cluster, p);
    for (const int layers : numbers_of(p)) {
      EXPECT_NEAR(offloaded_seconds(cluster, with(p, layers)) / usual_s, 1, 1e-9) << layers;
    }
  }
}

TEST(Offload, IsNeverFasterThanActivationsOnGpus) {
  for (const Parallelism& p : offloadable_jobs()) {
    const double usual_s = offloaded_seconds(linked_at(1e9), p);
    for (const double link : {1e9, 20e9, 200e9}) {
      for (const int layers : numbers_of(p)) {
        EXPECT_GE(offloaded_seconds(linked_at(link), with(p, layers)), usual_s * (1 - 1e-6))
            << layers;
      }
    }
  }
}

// All that leaves comes back, each way over the link once.
TEST(Offload, TakesAtLeastTheTimeOfItsBytes) {
  constexpr double kLink = 1e9;
  for (const Parallelism& p : offloadable_jobs()) {
    for (const int layers : numbers_of(p)) {
      const Schedule schedule = offloaded_step(linked_at(kLink), with(p, layers));
      const double step_s = simulate(schedule, linked_at(kLink)).makespan_s;
      for (int rank = 0; rank < schedule.ranks; ++rank) {
        const double there_s = copied_s(schedule, rank, Stream::to_host);
        EXPECT_DOUBLE_EQ(there_s, copied_s(schedule, rank, Stream::from_host));
        EXPECT_GE(step_s, there_s);
      }
    }
  }
}

// Where two layers stay, so many of each micro-batch leave as are asked for.
TEST(Offload, CopiesTheLayersThatItIsAskedFor) {
  constexpr double kLink = 1e9;
  for (const Recompute recompute : {Recompute::none, Recompute::selective, Recompute::full}) {
    for (int layers = 1; layers <= kEightLayers; ++layers) {
      const Parallelism p{.accumulation = 3, .recompute = recompute, .offloaded_layers = layers};
      const Schedule schedule = offloaded_step(linked_at(kLink), p);
      EXPECT_DOUBLE_EQ(copied_s(schedule, 0, Stream::to_host),
                       3 * std::min(layers, kEightLayers - 2) * layer_bytes(p) / kLink);
    }
  }
}

// A link so slow that all waits for it: the copies of a direction follow each other without a gap,
// from the first layer's forward pass on and from the last layer's backward pass on.
TEST(Offload, OverASlowLinkTakesItsCopiesOneAfterAnother) {
  for (int layers = 1; layers <= kEightLayers - 2; ++layers) {
    const Parallelism p{.offloaded_layers = layers};
    const double slow = 1e6, slower = slow / 2;
    const double added_s = layer_bytes(p) / slower - layer_bytes(p) / slow;
    const double copies = 2.0 * layers;
    EXPECT_NEAR(
        (offloaded_seconds(linked_at(slower), p) - offloaded_seconds(linked_at(slow), p)) / added_s,
        copies, 1e-6 * copies);
  }
}

// Layers' activations on a rank's GPU, from the start of a forward pass to its end or that of the copy
// to the host, and again from the start of a copy until the backward pass is through.
int most_on_gpu(const Schedule& schedule, const Timeline& timeline, int rank) {
  std::vector<std::pair<double, int>> changes;  // those that end come first
  const auto seconds = [](double at_s) { return std::round(at_s * 1e12); };
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& one = schedule.operations[id];
    const std::string& label = schedule.labels[one.label];
    if (one.rank != rank || !label.starts_with("layer ")) continue;
    const bool last = one.phase == Phase::backward && label.ends_with(" attention");
    const bool here = one.phase == Phase::forward || one.stream == Stream::from_host;
    const bool gone = last || one.stream == Stream::to_host;
    if (here) changes.emplace_back(seconds(timeline.start_s[id]), +1);
    if (gone) changes.emplace_back(seconds(timeline.end_s[id]), -1);
  }
  std::ranges::sort(changes);
  int now = 0, most = 0;
  for (const auto& [at_s, change] : changes) most = std::max(most, now += change);
  EXPECT_EQ(now, 0);
  return most;
}

// At most, over a slow link, just what the memory has room for.
TEST(Offload, KeepsWhatTheMemoryHasRoomFor) {
  for (Parallelism p : offloadable_jobs()) {
    if (p.tensor > 1) continue;  // whose layers are several operations
    const int stages = p.pipeline;
    for (const int layers : numbers_of(p)) {
      p.offloaded_layers = layers;
      const Stages held(model_of_eight(), p);
      const Schedule schedule = offloaded_step(linked_at(1e8), p);
      const Timeline timeline = simulate(schedule, linked_at(1e8));
      for (int stage = 0; stage < stages; ++stage) {
        double room = extra_buffers(p, held, stage);
        for (int chunk = 0; chunk < p.virtual_stages; ++chunk) {
          const int all = held.layers_of(chunk * stages + stage);
          room +=
              1.0 * passes_in_flight(p, stage) * (all - leaving_layers(p, all)) / p.virtual_stages;
        }
        const int rank = stage * schedule.ranks / stages;
        EXPECT_EQ(most_on_gpu(schedule, timeline, rank), room)
            << stages << " stages x " << p.virtual_stages << ", stage " << stage << ", " << layers;
      }
    }
  }
}

TEST(Offload, FreesMemoryLayerByLayer) {
  const Cluster cluster = linked_at(1e9);
  for (const Parallelism& p : offloadable_jobs()) {
    double before = memory_use(cluster, model_of_eight(), p).total();
    double hosts_before = 0;
    const int most = Stages(model_of_eight(), p).most_layers_of_a_chunk();
    for (int layers = 1; layers <= most; ++layers) {
      const double needed = memory_use(cluster, model_of_eight(), with(p, layers)).total();
      EXPECT_LE(needed, before * (1 + 1e-12));
      before = needed;
      const double on_hosts = host_activation_bytes(model_of_eight(), with(p, layers));
      EXPECT_GE(on_hosts, hosts_before * (1 - 1e-12));
      hosts_before = on_hosts;
    }
    EXPECT_EQ(memory_use(cluster, model_of_eight(), with(p, kAllLayers)).total(), before);
  }
}

// What leaves the GPU is what the host holds.
TEST(Offload, MovesMemoryToTheHosts) {
  for (int layers = 0; layers <= kEightLayers; ++layers) {
    const Parallelism p{.recompute = Recompute::full};
    const double freed = memory_use(linked_at(1e9), model_of_eight(), p).allocated() -
                         memory_use(linked_at(1e9), model_of_eight(), with(p, layers)).allocated();
    EXPECT_NEAR(freed, std::min(layers, kEightLayers - 2) * layer_bytes(p), 1);
    EXPECT_NEAR(host_activation_bytes(model_of_eight(), with(p, layers)), freed, 1);
  }
}

TEST(Offload, IsTheSameOfOneRankForAllThatDoTheSame) {
  const Cluster cluster = linked_at(20e9);
  const Calibration calibration = roofline();
  for (const Parallelism& p : offloadable_jobs()) {
    for (const int layers : {1, kAllLayers}) {
      const Model model = model_of_eight();
      const StepContext context{cluster, model, calibration, with(p, layers)};
      const PlannedStep folded = plan_step(context, scheme_named("sharded"));
      const double folded_s = simulate(folded.schedule, folded.wiring).makespan_s;
      EXPECT_NEAR(folded_s / offloaded_seconds(cluster, context.parallelism), 1, 1e-3);
    }
  }
}

TEST(Offload, RepeatsWithThePeriodsOfAPipeline) {
  const Cluster cluster = linked_at(20e9);
  const Calibration calibration = roofline();
  const Model model = model_of_eight();
  for (const int chunks : {1, 2}) {
    for (const int layers : {1, 2, kAllLayers}) {
      StepContext context{cluster,
                          model,
                          calibration,
                          {.pipeline = 2,
                           .virtual_stages = chunks,
                           .accumulation = 40,
                           .offloaded_layers = layers}};
      const auto seconds = [&] {
        PlannedStep step = plan_few_periods(context, scheme_named("sharded"));
        return simulate_step(context, scheme_named("sharded"), step).makespan_s;
      };
      const double few_s = seconds();
      context.each_micro_batch = true;
      EXPECT_NEAR(few_s / seconds(), 1, 1e-5) << chunks << " " << layers;
    }
  }
}

// What training waits for is said, and what is hidden is not.
TEST(Offload, IsReportedWhereKernelsWaitForIt) {
  const Parallelism p{.offloaded_layers = kAllLayers};
  const auto exposed_s = [&](double link_Bps) {
    const Schedule schedule = offloaded_step(linked_at(link_Bps), p);
    const TimeParts parts = time_parts(schedule, simulate(schedule, linked_at(link_Bps)));
    const auto found = parts.exposed_by_phase_s.find(Phase::host_copy);
    return found == parts.exposed_by_phase_s.end() ? 0 : found->second;
  };
  EXPECT_EQ(exposed_s(std::numeric_limits<double>::infinity()), 0);
  const double added_s =
      offloaded_seconds(linked_at(1e8), p) - offloaded_seconds(linked_at(1e8), with(p, 0));
  EXPECT_NEAR(exposed_s(1e8) / added_s, 1, 1e-6);
}

// As profilers show them: copies on streams of their own.
TEST(Offload, IsInTracesAsCopies) {
  const Cluster cluster = linked_at(1e9);
  const Schedule schedule = offloaded_step(cluster, {.offloaded_layers = 3});
  const trace::Trace shown = simulated_trace(schedule, simulate(schedule, cluster), "GPU", 1);
  std::map<std::int64_t, int> copies;  // by stream
  for (const trace::Kernel& one : shown.kernels) {
    if (shown.names[one.name].value == trace::KernelClass::copy) ++copies[one.stream];
  }
  EXPECT_EQ(copies[static_cast<std::int64_t>(Stream::to_host)], 3);
  EXPECT_EQ(copies[static_cast<std::int64_t>(Stream::from_host)], 3);
}

TEST(Offload, NeedsALinkAndLayersToLeave) {
  const auto said = [](const Cluster& cluster, const Parallelism& p) {
    return problems(cluster, model_of_eight(), p);
  };
  EXPECT_EQ(said(small_cluster(), with({}, 2)),
            "`offload-activations`: sample lacks gpu.host_bandwidth, over which activations are "
            "copied; add it to that cluster's file");
  EXPECT_EQ(said(linked_at(1e9), with({}, kEightLayers)), "");
  EXPECT_EQ(said(linked_at(1e9), with({}, kEightLayers + 1)),
            "`offload-activations`: 9 are more than the 8 layers of sample; choose fewer, or all");
  EXPECT_EQ(said(linked_at(1e9), with({.pipeline = 2}, 5)),
            "`offload-activations`: 5 are more than the 4 layers of a virtual stage; choose fewer, "
            "or all");
}

TEST(Offload, IsARemedyUntilAllLayersLeave) {
  for (const auto& [layers, expected] : {std::pair{0, 1}, {2, 1}, {kAllLayers, 0}}) {
    const auto all =
        layout_remedies(linked_at(1e9), model_of_eight(), {.offloaded_layers = layers});
    EXPECT_EQ(std::ranges::count(all, "`offload-activations` all", &Remedy<Parallelism>::fields),
              expected);
  }
}

TEST(Offload, IsWrittenAsANumberOrAWord) {
  for (const auto& [text, layers] :
       {std::pair{"none", 0}, {"all", kAllLayers}, {"1", 1}, {"30", 30}}) {
    EXPECT_EQ(parse_offloaded(text), layers);
    EXPECT_EQ(offloaded_text(layers), text);
  }
  EXPECT_EQ(parse_offloaded("0"), 0);
  for (const char* wrong : {"", "-1", "half", "1.5", "2 layers"}) {
    EXPECT_FALSE(parse_offloaded(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace sim
