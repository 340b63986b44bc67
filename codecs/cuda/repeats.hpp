// SPDX-License-Identifier: Apache-2.0
// The number of launches for timing a kernel: enough for a median, within a budget.
#pragma once

#include <algorithm>
#include <cmath>

namespace codecs::cuda {

// A sample is the time of `launches` consecutive kernels, divided by their number.
struct Repeats {
  int samples = 1;
  int launches = 1;
  [[nodiscard]] int total() const { return samples * launches; }
};

// Time aimed at for a sample: events resolve half a microsecond, and starting the first kernel
// takes longer than going from one to the next.
inline constexpr double kSampleSeconds = 200e-6;
inline constexpr int kMostLaunches = 64;  // per sample: a stream queues about a thousand
inline constexpr int kFewestSamples = 5;  // whatever the budget

// For a kernel of `launch_s`. `samples` is the wanted number; the budget covers all samples.
[[nodiscard]] inline Repeats repeats(double launch_s, double budget_s, int samples) {
  Repeats result;
  const double wanted = std::ceil(kSampleSeconds / std::max(launch_s, 1e-9));
  result.launches = static_cast<int>(std::clamp(wanted, 1.0, double{kMostLaunches}));
  const double affordable = budget_s / std::max(result.launches * launch_s, 1e-9);
  const double fewest = std::min(samples, kFewestSamples);
  result.samples = static_cast<int>(std::clamp(affordable, fewest, static_cast<double>(samples)));
  return result;
}

}  // namespace codecs::cuda
