// SPDX-License-Identifier: Apache-2.0
// What a month brings to sites that come and go.
#pragma once

#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// Of rounds that were simulated with all sites; nothing if all of them stay, or if that round was
// aborted. Rounds of fewer sites are simulated where a month has them.
[[nodiscard]] std::optional<MembershipFigures> membership_of(const Job& job, const Setup& setup,
                                                             const Report& report);

}  // namespace sim::study
