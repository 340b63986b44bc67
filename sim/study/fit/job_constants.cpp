// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/job_constants.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/study/search/assumptions.hpp"

namespace sim::study {
namespace {

bool is_timed_on(const Job& job) { return job.calibration().gpu == job.cluster().gpu.name; }

// As as_measured() has it, a table of the GPU replaces two values of its file.
std::optional<double> memory_efficiency_of(const Job& job) {
  if (is_timed_on(job) && job.calibration().copy_bandwidth) return std::nullopt;
  return job.cluster().gpu.memory_efficiency;
}
std::optional<double> launch_latency_of(const Job& job) {
  if (is_timed_on(job) && job.calibration().launch_latency) return std::nullopt;
  return job.cluster().gpu.launch_latency.base();
}

// `host-issue` gives the time, or a factor, instead.
std::optional<double> host_slowdown_of(const Job& job) {
  const Hosts& hosts = job.calibration().hosts;
  const double fitted = job.cluster().fitted.host_slowdown.value_or(1);
  const bool given = !hosts.rows.empty() &&
                     (hosts.rows.front().source == kGivenIssueTime || hosts.slowdown != fitted);
  return given ? std::nullopt : std::optional(fitted);
}

// The spread of the likely range, by the assumption's name.
Spread spread_named(const Job& job, std::string_view name) {
  const auto all = assumptions();
  const auto one = std::ranges::find(all, name, &Assumption::name);
  require(one != all.end(), "each constant's prior is an assumption's spread");
  return spread_of(job, *one);
}

constexpr double kMostSeconds = 1e3;
constexpr double kSlowNetworks[] = {0.45, 0.2, 0.08, 0.03};
constexpr double kLongGaps[] = {5};
constexpr double kSlowHosts[] = {4, 12};

constexpr JobConstant kJobConstants[] = {
    {.key = "fitted.compute_efficiency",
     .text = "compute efficiency",
     .get = [](const Job& job) -> std::optional<double> {
       return compute_efficiency(job.cluster());
     },
     .set = [](Job& job, double value) { job.cluster().fitted.compute_efficiency = value; },
     .prior = [](const Job& job) { return efficiency_spread(job.cluster()); }},
    {.key = "gpu.fused_attention",
     .text = "rate of fused attention",
     .get = [](const Job& job) -> std::optional<double> {
       return job.cluster().gpu.fused_attention.value_or(0);
     },
     .set = [](Job& job, double value) { job.cluster().gpu.fused_attention = value; },
     .prior = [](const Job& job) { return spread_named(job, "attention_rate"); }},
    {.key = "gpu.memory_efficiency",
     .text = "share of the memory bandwidth",
     .get = memory_efficiency_of,
     .set = [](Job& job, double value) { job.cluster().gpu.memory_efficiency = value; },
     .prior = [](const Job& job) { return spread_named(job, "memory_bandwidth"); }},
    {.key = "gpu.launch_latency",
     .text = "gap between kernels",
     .is_seconds = true,
     .more_is_slower = true,
     .most = kMostSeconds,
     .starts = kLongGaps,
     .get = launch_latency_of,
     .set = [](Job& job,
               double value) { job.cluster().gpu.launch_latency = Seconds::from_base(value); },
     .prior = [](const Job& job) { return spread_named(job, "kernel_launch"); }},
    {.key = "fitted.host_slowdown",
     .text = "factor on what the host takes to issue kernels",
     .part = Part::host,
     .more_is_slower = true,
     .most = kMostSlowdown,
     .starts = kSlowHosts,
     .get = host_slowdown_of,
     .set =
         [](Job& job, double value) {
           job.cluster().fitted.host_slowdown = value;
           job.calibration().hosts.slowdown = value;
         },
     .prior = [](const Job& job) { return spread_named(job, "host_issue"); }},
    {.key = "fitted.network_efficiency",
     .text = "share of the network's bandwidth",
     .part = Part::network,
     .least = 1e-3,
     .starts = kSlowNetworks,
     .get = [](const Job& job) -> std::optional<double> {
       return job.cluster().fitted.network_efficiency.value_or(1);
     },
     .set = [](Job& job, double value) { job.cluster().fitted.network_efficiency = value; },
     .prior = [](const Job& job) { return spread_named(job, "nic_bandwidth"); }},
    {.key = "rest_s",
     .text = "rest of each step",
     .part = Part::rest,
     .is_seconds = true,
     .more_is_slower = true,
     .most = kMostSeconds,
     .get = [](const Job&) -> std::optional<double> { return 0; }},
};

}  // namespace

std::span<const JobConstant> job_constants() { return kJobConstants; }

}  // namespace sim::study
