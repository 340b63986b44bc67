// SPDX-License-Identifier: Apache-2.0
#include "apps/usable_cores.hpp"

#include <sched.h>

#include <cstdlib>
#include <optional>

#include "sim/base/number_text.hpp"

namespace apps {
namespace {

std::optional<int> slurm_cores() {
  const char* text = std::getenv("SLURM_CPUS_PER_TASK");
  return text == nullptr ? std::nullopt : sim::number_in<int>(text);
}

}  // namespace

int usable_cores() {
  if (const auto cores = slurm_cores(); cores && *cores > 0) return *cores;
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

}  // namespace apps
