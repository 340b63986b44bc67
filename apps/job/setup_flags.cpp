// SPDX-License-Identifier: Apache-2.0
#include "apps/job/setup_flags.hpp"

#include <fmt/format.h>

#include "apps/words.hpp"
#include "sim/workload/parallelism_fields.hpp"

namespace apps {

std::string flags_of(const Job& job, const Setup& setup) {
  const sim::Parallelism& p = setup.parallelism;
  sim::Parallelism usual = job.setup_of(setup.scheme).parallelism;
  const bool same_software = p.attention == usual.attention && p.kernels == usual.kernels;
  if (p.sharding.stage == usual.sharding.stage && same_software)
    return with_flags(sim::changed_fields(usual, p));
  // The stage, and with it the software that its flag stands for.
  const std::string zero = fmt::format("--zero {}", p.sharding.stage);
  usual = at_stage(usual, p.sharding.stage, job.open);
  const std::string rest = with_flags(sim::changed_fields(usual, p));
  return rest.empty() ? zero : zero + " " + rest;
}

}  // namespace apps
