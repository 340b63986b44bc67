// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// Why the setup is no faster, where no value of an unknown meets a goal: "latency (83 % of the round)", if it
// takes more than anything else does, found by a simulation without any; or what Report::bound names.
// `report` is the setup's.
[[nodiscard]] std::string what_binds(const Job& job, const Setup& setup, const Report& report);

}  // namespace sim::study
