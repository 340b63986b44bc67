// SPDX-License-Identifier: Apache-2.0
// Power throttling: the rate that a GPU's power limit leaves its matrix products and attention.
//
// The limit holds for the mean over a step, since steps repeat within the time over which a GPU keeps it. A
// kernel's time goes with the square root of the power that it lacks. So at a rate r, over that of the tables
// in traces/kernels, products draw r^2 of the power P that they draw there. With c seconds of them at r = 1,
// and o seconds of all else, in which the energy E is drawn, the mean is the limit L where
//
//   P r^2 (c / r) + E = L (c / r + o)
//
// Copies, messages and waits draw less than the limit, and so let products run faster.
#pragma once

#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// [power.NAME] of kernels.toml: what a GPU draws, by what it does.
struct PublishedPower {
  std::vector<std::string> gpus;  // words from the names of those that it describes
  Watts limit = {};               // of their data sheet
  Watts products = {};            // and attention, at the rates of the tables
  Watts copies = {};              // kernels that memory bandwidth bounds
  Watts waiting = {};             // also for messages, while no kernel runs
  std::string source;
};

// Seconds of one GPU in a step.
struct StepActivity {
  double step = 0;
  double products = 0;  // and attention: kernels that SMs bound
  double copies = 0;    // kernels that memory bandwidth bounds
  double rate = 1;      // of products, over that of the tables, at which the step took so long
};

// What the GPU draws on average.
[[nodiscard]] Watts mean_power(const PublishedPower& power, const Gpu& gpu,
                               const StepActivity& activity);

// The rate of products at the full clock over that of the tables, which were timed at it. Under a limit below
// the data sheet's, the peaks of the GPU, and with them the tables' rates, have fallen (power_capped()).
[[nodiscard]] double fastest_rate(const PublishedPower& power, const Gpu& gpu);

// The rate of products, over that of the tables, at which the mean is the GPU's limit (Gpu::power); at most
// fastest_rate(). The step is as much longer or shorter as its products then are.
[[nodiscard]] double sustained_rate(const PublishedPower& power, const Gpu& gpu,
                                    const StepActivity& activity);

}  // namespace sim
