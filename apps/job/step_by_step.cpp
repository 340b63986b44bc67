// SPDX-License-Identifier: Apache-2.0
#include "apps/job/step_by_step.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"

namespace apps {
namespace {

// Of a flow among millions, on one core of a small machine: Llama 2 7B under ZeRO-3 on 4 to 16 nodes
// of dgx_h100_x128.
constexpr double kSecondsPerFlow = 4e-6;
constexpr double kBytesPerFlow = 120;

constexpr double kLong_s = 10;

// Of the machine, or what this process may have of it.
double memory_bytes() {
  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  const auto pages = static_cast<double>(sysconf(_SC_PHYS_PAGES));
  return std::min(pages * static_cast<double>(sysconf(_SC_PAGESIZE)),
                  static_cast<double>(limit.rlim_cur));
}

}  // namespace

void check_step_by_step(double flows, double simulations) {
  const double seconds = flows * kSecondsPerFlow;
  const double bytes = flows * kBytesPerFlow;
  const std::string cost =
      fmt::format("{:.3g} flows, about {:.2g} s and {:.2g} GB", flows, seconds, bytes / 1e9);
  if (bytes > memory_bytes() || seconds > sim::Conditions{}.wall_limit.base() ||
      flows >= UINT32_MAX) {
    throw sim::InputError(fmt::format(
        "--step-by-step: is too large here: {}; leave it out, or reduce --nodes or --accumulation",
        cost));
  }
  if (seconds * simulations <= kLong_s) return;
  const std::string times = simulations > 1 ? fmt::format("{} times ", simulations) : "";
  print_note("warning: --step-by-step will take long: {}{}\n", times, cost);
}

}  // namespace apps
