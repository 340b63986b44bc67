// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/link_constants.hpp"

#include <cmath>
#include <limits>

#include "sim/fit/times.hpp"
#include "sim/study/search/latencies.hpp"

namespace sim::study {
namespace {

constexpr double kSlowLinks[] = {0.5, 0.2};
constexpr double kLongDelays[] = {3};

// Links inside a node have no adapters, switches or settings of a fabric: they are slow more rarely.
Spread links_prior(const Job&) {
  return {.of_logarithm = 0.07,
          .source =
              "fractions that collectives achieve on the shipped clusters' NVLinks, 0.76 to "
              "0.94; towards slower a judgement",
          .towards_slower = 0.15};
}
Spread delays_prior(const Job&) {
  return {0.27, "two versions of NCCL's tuning table: 9.6 us and 14 us"};
}

constexpr double kNoLimit = std::numeric_limits<double>::max();

constexpr JobConstant kOfNodes[] = {
    {.key = "nvlink.bandwidth",
     .text = "bandwidth of the links inside a node",
     .part = Part::links,
     .most = kNoLimit,
     .starts = kSlowLinks,
     .get = [](const Job& job) -> std::optional<double> {
       return job.cluster().nvlink.bandwidth.base();
     },
     .set = [](Job& job,
               double value) { job.cluster().nvlink.bandwidth = Bandwidth::from_base(value); },
     .prior = links_prior},
    // All of them together, in the seconds of a step between nodes.
    {.key = "network.latency",
     .text = "delays of collectives",
     .part = Part::delays,
     .is_seconds = true,
     .more_is_slower = true,
     .most = kNoLimit,
     .starts = kLongDelays,
     .get = [](const Job& job) -> std::optional<double> {
       return job.cluster().network.latency.base();
     },
     .set =
         [](Job& job, double value) {
           Cluster& cluster = job.cluster();
           const double factor = value / cluster.network.latency.base();
           scale_latencies(cluster.network, factor);
           scale_latencies(cluster.nvlink, factor);
           scale_launches(cluster, factor);
         },
     .prior = delays_prior},
};

}  // namespace

std::span<const JobConstant> link_constants() {
  static const std::vector<JobConstant> all = [] {
    std::vector<JobConstant> rows(std::begin(kOfNodes), std::end(kOfNodes));
    for (const JobConstant& one : job_constants()) {
      if (one.part == Part::network) rows.push_back(one);
    }
    return rows;
  }();
  return all;
}

MeasuredTimes timed(const Job& base, std::span<const fit::Log> logs) {
  // Of a log's times, off independently of each other: small, middle and large ones, and one more.
  constexpr double kIndependent = 4;
  MeasuredTimes times;
  times.seconds = fit::measured_s(logs);
  for (const fit::Log& log : logs) {
    const auto count = static_cast<double>(log.times.size());
    times.scatter.insert(
        times.scatter.end(), log.times.size(),
        kLogDeviation / kStepDeviation * std::sqrt(std::max(1.0, count / kIndependent)));
  }
  times.predicted = [&base, logs](const ConstantValues& values) {
    return fit::predicted_s(with_constants(base, values).cluster(), logs);
  };
  return times;
}

}  // namespace sim::study
