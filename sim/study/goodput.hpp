// SPDX-License-Identifier: Apache-2.0
// The goodput of jobs whose reliability is known.
#pragma once

#include "sim/reliability/month.hpp"
#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// Of a step that was simulated, with its likely range where it has one; nothing of a job without
// Job::reliability. Throws an InputError if it cannot save or recover as that says.
[[nodiscard]] std::optional<GoodputFigures> goodput_of(const Job& job, const Setup& setup,
                                                       const Report& report);

// A month of it, as it went; nothing of a job without a reliability.
[[nodiscard]] Month month_of_failures(const Job& job, const GoodputFigures& figures);

}  // namespace sim::study
