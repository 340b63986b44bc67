// SPDX-License-Identifier: Apache-2.0
// GPUs that ship, in each other's place: more of everything is not slower, and GPUs of one die compute
// alike.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/job/calibration_files.hpp"
#include "sim/study/simulation.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "tests/apps/jobs.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

using sim::study::Job;

constexpr const char* kSteps[]{
    "--model gpt_125m --zero 1", "--model gpt_1.3b --zero 1 --accumulation 4",
    "--model llama_3_8b --zero 3 --overlap all --gradient-precision bf16 --recompute full",
    "--model llama_3_70b --zero 3 --overlap all --gradient-precision bf16 --recompute full "
    "--accumulation 4"};

// A cluster that ships and its GPU, by the GPU's name.
std::map<std::string, std::string> clusters_by_gpu() {
  std::map<std::string, std::string> clusters;
  for (const auto& file : shipped_files("topologies", ".toml")) {
    clusters.try_emplace(sim::read_cluster(file).gpu.name, file.stem().string());
  }
  return clusters;
}

// On two nodes, or on the only one.
Job step_on(const std::string& cluster, const std::string& step) {
  const std::string file = cluster + ".toml";
  const int nodes = sim::read_cluster(source_directory() / "topologies" / file).nodes;
  return job_of(fmt::format("--topology {} --nodes {} {}", cluster, std::min(nodes, 2), step));
}

// The job with the GPU of another cluster, whatever its tables measured.
Job with_gpu(Job job, const std::string& cluster) {
  const sim::Gpu gpu =
      sim::read_cluster(source_directory() / "topologies" / (cluster + ".toml")).gpu;
  job.cluster().gpu = gpu;
  job.cluster().fitted = {};
  job.calibrations = {apps::calibration_for(gpu, "auto")};
  sim::study::calibrate(job.cluster(), job.calibrations.front(),
                        sim::read_efficiencies(apps::efficiency_file()), job.parallelism);
  return job;
}

bool dominates(const sim::Gpu& more, const sim::Gpu& less) {
  const auto rate = [](const std::optional<sim::FlopRate>& one) { return one ? one->base() : 0; };
  const auto none = [&](auto value) { return value(more) >= value(less); };
  return none([](const sim::Gpu& gpu) { return gpu.bf16.base(); }) &&
         none([&](const sim::Gpu& gpu) { return rate(gpu.fp8); }) &&
         none([&](const sim::Gpu& gpu) { return rate(gpu.fp4); }) &&
         none([](const sim::Gpu& gpu) { return gpu.fp32.base(); }) &&
         none([](const sim::Gpu& gpu) { return gpu.memory.count; }) &&
         none([](const sim::Gpu& gpu) { return gpu.memory_bandwidth.base(); });
}

double compute_s(const Job& job) {
  return sim::study::simulate(job, job.setups.front()).report.time.compute_s;
}

// In each other's clusters, which have the same network then.
TEST(ShippedGpus, AreNotSlowerWithMoreOfEverything) {
  const auto clusters = clusters_by_gpu();
  int pairs = 0;
  for (const auto& [less, cluster] : clusters) {
    const Job base = step_on(cluster, kSteps[0]);
    for (const auto& [more, other] : clusters) {
      const sim::Gpu gpu = with_gpu(base, other).cluster().gpu;
      const sim::Gpu& replaced = base.cluster().gpu;
      // H100's products were measured, and H800's, the same on paper, were not.
      if (!dominates(gpu, replaced) || dominates(replaced, gpu)) continue;
      ++pairs;
      for (const char* step : kSteps) {
        const Job job = step_on(cluster, step);
        const double slow = sim::study::seconds_of(with_gpu(job, cluster), job.setups.front());
        const double fast = sim::study::seconds_of(with_gpu(job, other), job.setups.front());
        EXPECT_LE(fast, 1.01 * slow) << more << " for " << less << ": " << step;
      }
    }
  }
  EXPECT_GE(pairs, 20);
}

// H200's table was measured on one GPU and H100's on another: the dies are the same.
TEST(ShippedGpus, OfOneDieComputeNoLongerWithAFasterMemory) {
  int clusters = 0;
  for (const auto& file : shipped_files("topologies", ".toml")) {
    const std::string gpu = sim::read_cluster(file).gpu.name;
    if (gpu != "NVIDIA H100 80GB HBM3" && gpu != "NVIDIA H200") continue;
    ++clusters;
    for (const char* step : kSteps) {
      const Job job = step_on(file.stem().string(), step);
      EXPECT_LE(compute_s(with_gpu(job, "dgx_h200_x16")), compute_s(with_gpu(job, "dgx_h100_x16")))
          << file << ": " << step;
    }
  }
  EXPECT_GE(clusters, 10);
}

}  // namespace
}  // namespace apps_tests
