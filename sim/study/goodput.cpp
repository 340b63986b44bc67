// SPDX-License-Identifier: Apache-2.0
#include "sim/study/goodput.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/reliability/simulate_job.hpp"

namespace sim::study {
namespace {

// Share of the step in which the busiest NIC sends or receives.
double nic_busy(const Report& report) {
  double most = 0;
  for (const LinkUse& use : report.busiest_links) {
    if (use.role != LinkRole::other) most = std::max(most, use.busy);
  }
  return most;
}

// Each failure is detected before the next one comes.
void check_failures_of_a_month(const Renewal& renewal, double month_s) {
  constexpr double kMost = 1e6;
  const double failures = month_s / (1 / renewal.failure_rate + renewal.detection_s);
  if (failures <= kMost) return;
  throw InputError(fmt::format(
      "`month`: the job would fail {:.3g} times in a month, and at most {:.0f} failures "
      "are played; leave it out, or write longer times between failures",
      failures, kMost));
}

}  // namespace

std::optional<GoodputFigures> goodput_of(const Job& job, const Setup& setup, const Report& report) {
  if (!job.reliability) return std::nullopt;
  SteadyJob steady{.cluster = job.cluster(),
                   .model = job.model,
                   .parallelism = setup.parallelism,
                   .step_s = report.time_s,
                   .tokens_per_s = report.tokens_per_s,
                   .nic_busy = nic_busy(report)};
  if (report.range) {
    steady.tokens_per_s_low = report.range->tokens_per_s_low;
    steady.tokens_per_s_high = report.range->tokens_per_s_high;
  }
  return sim::goodput_of(*job.reliability, steady, job.target_tokens);
}

Month month_of_failures(const Job& job, const GoodputFigures& figures) {
  Month month;
  if (!job.reliability) return month;
  constexpr double kMonth_s = 30 * kDay_s;
  constexpr std::uint64_t kSeed = 20;
  const Renewal renewal = renewal_of(*job.reliability, figures.failures, figures.checkpoint);
  check_failures_of_a_month(renewal, kMonth_s);
  const double interval_s =
      std::min(figures.interval_s, kMonth_s);  // without failures it has no end
  static_cast<void>(simulate_job(renewal, interval_s, kMonth_s, kSeed, &month));
  return month;
}

}  // namespace sim::study
