#include "apps/break_even.hpp"

#include <cmath>
#include <limits>

#include "apps/progress.hpp"
#include "sim/engine/simulate.hpp"

namespace apps {
namespace {

constexpr double kFarthest = 8;     // in powers of two, both ways
constexpr double kBracket = 0.014;  // 2^0.014: 1 %

bool pays(const Job& job, const sim::Scheme& scheme, const sim::Scheme& baseline, double power) {
  Job scaled = job;
  const double factor = std::exp2(power);
  scaled.cluster.network.nic_bandwidth = job.cluster.network.nic_bandwidth * factor;
  auto& cap = scaled.cluster.fitted.communicator_bandwidth;
  if (cap) cap = *cap * factor;
  const auto time = [&](const sim::Scheme& one) {
    return sim::simulate(sim::plan_step(scaled.context(), one), scaled.cluster).makespan_s;
  };
  return time(scheme) < time(baseline);
}

}  // namespace

std::optional<sim::BreakEven> find_break_even(const Job& job, const sim::Scheme& scheme,
                                              const sim::Scheme& baseline) {
  if (job.cluster.nodes < 2 || !scheme.compresses()) return std::nullopt;
  const double now = job.cluster.network.nic_bandwidth.base();
  const auto result = [&](double pays_at, double loses_at) {
    return sim::BreakEven{pays_at, loses_at, now};
  };
  const int searches = 2 + static_cast<int>(std::ceil(std::log2(2 * kFarthest / kBracket)));
  Progress progress("searching the break-even bandwidth", searches);
  double low = -kFarthest;
  double high = kFarthest;
  progress.step();
  if (!pays(job, scheme, baseline, low)) return result(0, now * std::exp2(low));
  progress.step();
  if (pays(job, scheme, baseline, high)) {
    return result(now * std::exp2(high), std::numeric_limits<double>::infinity());
  }
  while (high - low > kBracket) {
    progress.step();
    const double middle = (low + high) / 2;
    (pays(job, scheme, baseline, middle) ? low : high) = middle;
  }
  return result(now * std::exp2(low), now * std::exp2(high));
}

}  // namespace apps
