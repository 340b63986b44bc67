// SPDX-License-Identifier: Apache-2.0
// How long it takes to predict one step on 64 to 65 536 GPUs, planning and simulation together, the
// simulator's child process included: GPT-18B with each scheme, Llama 2 7B under FSDP with every
// kernel of its layers an operation, and GPT-18B in a pipeline; and on up to 1024 GPUs with every
// rank simulated. Folded collectives, how long a topology takes to build, and unlike sites that all
// send to each other.
//
//   gardenhose-benchmarks --benchmark_filter=/1024/
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <chrono>
#include <filesystem>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/program/lone_groups.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/schedule/builder.hpp"

namespace {

const std::filesystem::path kRoot = GARDENHOSE_SOURCE_DIR;
constexpr int kGpusPerNode = 8;

sim::Cluster cluster_of(int gpus) {
  const std::vector<sim::Setting> settings{{"cluster.nodes", std::to_string(gpus / kGpusPerNode)}};
  return sim::read_cluster(kRoot / "topologies/dgx_h100_x16.toml", settings);
}

double peak_megabytes(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024 / 1e6;  // ru_maxrss is in KiB
}

double cpu_seconds(int who) {
  rusage usage{};
  getrusage(who, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Job {
  std::string name, model, scheme;
  sim::Parallelism parallelism;
  int sequence = 2048;
  bool each_kernel = false;
};

std::vector<Job> jobs() {
  const sim::Overlap beside{.gradients = true, .weights = true};
  std::vector<Job> all{
      {.name = "fsdp",
       .model = "llama_2_7b",
       .scheme = "sharded",
       .parallelism = {.attention = sim::Attention::fused,
                       .kernels = sim::Kernels::eager,
                       .overlap = beside,
                       .sharding = {.stage = 3}},
       .each_kernel = true},
      {"pipeline", "gpt_18b", "sharded", {.tensor = 8, .pipeline = 4, .accumulation = 16}}};
  // Every scheme, at the first stage of ZeRO or the one that it is defined for.
  for (const sim::Scheme* scheme : sim::all_schemes(sim::SchemeKind::inside)) {
    const int stage = scheme->usual_stage();
    all.push_back(
        {scheme->name, "gpt_18b", scheme->name, {.tensor = 8, .sharding = {.stage = stage}}});
  }
  return all;
}

void predict_step(benchmark::State& state, const Job& job, int gpus, bool whole) {
  const sim::Cluster cluster = cluster_of(gpus);
  const std::vector<sim::Setting> sequence{{"model.sequence", std::to_string(job.sequence)}};
  const sim::Model model =
      sim::read_model(kRoot / "traces/models" / (job.model + ".toml"), sequence);
  const sim::Calibration calibration = sim::roofline();
  const sim::StepContext context{.cluster = cluster,
                                 .model = model,
                                 .calibration = calibration,
                                 .parallelism = job.parallelism,
                                 .each_kernel = job.each_kernel,
                                 .whole = whole};
  double planning_s = 0;
  double operations = 0;
  double step_s = 0;
  const double parent_begin_s = cpu_seconds(RUSAGE_SELF);
  const double child_begin_s = cpu_seconds(RUSAGE_CHILDREN);
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    const auto [schedule, wiring] = plan_step(context, sim::scheme_named(job.scheme));
    planning_s += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    step_s = simulate(schedule, wiring).makespan_s;
    operations = static_cast<double>(schedule.operations.size());
  }
  const auto mean = [](double sum) {
    return benchmark::Counter(sum, benchmark::Counter::kAvgIterations);
  };
  state.counters["plan_s"] = mean(planning_s);
  state.counters["parent_cpu_s"] = mean(cpu_seconds(RUSAGE_SELF) - parent_begin_s);
  state.counters["child_cpu_s"] = mean(cpu_seconds(RUSAGE_CHILDREN) - child_begin_s);
  state.counters["operations"] = operations;
  state.counters["step_time_s"] = step_s;
  // Peaks only grow, so a row's are its own when no larger one ran before it.
  state.counters["parent_MB"] = peak_megabytes(RUSAGE_SELF);
  state.counters["child_MB"] = peak_megabytes(RUSAGE_CHILDREN);
}

// One collective of 1 GiB over all GPUs, of which it names the choice. `of_topology`: how many times
// the CPU time of the graph alone that takes, which depends less on the machine.
void predict_collective(benchmark::State& state, const sim::CollectiveRow& row, int gpus) {
  constexpr double kBytes = 1 << 30;
  const sim::Cluster cluster = cluster_of(gpus);
  std::vector<int> ranks(static_cast<std::size_t>(gpus));
  std::iota(ranks.begin(), ranks.end(), 0);
  double topology_s = 0, collective_s = 0;
  const auto all_cpu_seconds = [] {
    return cpu_seconds(RUSAGE_SELF) + cpu_seconds(RUSAGE_CHILDREN);
  };
  for (auto _ : state) {
    const double begin_s = all_cpu_seconds();
    const sim::Topology topology(cluster);
    topology_s += all_cpu_seconds() - begin_s;
    const sim::LoneGroups lone(topology, {ranks}, {row.collective}, sim::Detail::folded);
    const auto [collective, wiring] = lone.run(row, kBytes, sim::Buffers::in_place);
    benchmark::DoNotOptimize(simulate(collective.schedule, wiring).makespan_s);
    state.SetLabel(std::string(collective.algorithm));
    collective_s += all_cpu_seconds() - begin_s;
  }
  state.counters["cpu_s"] = {collective_s, benchmark::Counter::kAvgIterations};
  state.counters["of_topology"] = collective_s / topology_s;
}

// The graph alone: NVLink, NICs and rails.
void build_topology(benchmark::State& state, int gpus) {
  const sim::Cluster cluster = cluster_of(gpus);
  std::size_t links = 0;
  for (auto _ : state) links = sim::Topology(cluster).links().size();
  state.counters["links"] = static_cast<double>(links);
}

// Every site sends to all others, sums what it has received, and sends that to all. No two lines are
// alike.
void send_to_all(benchmark::State& state, int sites) {
  sim::ScheduleBuilder builder(1);
  sim::Wiring wiring;
  for (int line = 0; line < 2 * sites; ++line) {
    wiring.links.push_back(
        {.name = std::to_string(line), .rate_Bps = 1e8 + 1e6 * (line * 37 % 997)});
  }
  const auto number = [](int place) { return static_cast<std::size_t>(place); };
  std::vector<std::vector<sim::OperationId>> after(number(sites));
  for (int phase = 0; phase < 2; ++phase) {
    std::vector<std::vector<sim::OperationId>> received(number(sites));
    for (int source = 0; source < sites; ++source) {
      for (int receiver = 0; receiver < sites; ++receiver) {
        if (receiver == source) continue;
        const auto up = static_cast<sim::LinkId>(2 * source);
        const auto down = static_cast<sim::LinkId>(2 * receiver + 1);
        wiring.routes.push_back({{up, 1}, {down, 1}});
        received[number(receiver)].push_back(
            builder.flow(builder.add_own_route({}), 0, sim::Phase::outer_comm, "send",
                         source * 1e-3, 1e8, after[number(source)]));
      }
    }
    for (int site = 0; site < sites; ++site) {
      after[number(site)] = {builder.barrier(received[number(site)])};
    }
  }
  const sim::Schedule schedule = std::move(builder).finish();
  for (auto _ : state) benchmark::DoNotOptimize(simulate(schedule, wiring).makespan_s);
  state.counters["flows"] = static_cast<double>(schedule.operations.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (const int gpus : {64, 256, 1024, 16384, 65536, 262144, 1048576}) {
    for (const Job& job : jobs()) {
      const std::string name = "predict_step/" + job.name + "/" + std::to_string(gpus);
      const auto add = [&](const std::string& of, bool whole) {
        benchmark::RegisterBenchmark(of.c_str(), predict_step, job, gpus, whole)
            ->UseRealTime()
            ->Unit(benchmark::kMillisecond);
      };
      add(name, false);
      if (gpus <= 1024) add(name + "/whole", true);
    }
  }
  for (const int gpus : {1024, 16384}) {
    for (const sim::CollectiveRow& row : sim::all_collectives()) {
      const std::string name =
          "predict_collective/" + std::string(row.name) + "/" + std::to_string(gpus);
      benchmark::RegisterBenchmark(name.c_str(), predict_collective, row, gpus)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  for (const int sites : {32, 64, 128, 256}) {
    const std::string name = "send_to_all/" + std::to_string(sites);
    benchmark::RegisterBenchmark(name.c_str(), send_to_all, sites)
        ->UseRealTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("build_topology/1024", build_topology, 1024)
      ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
