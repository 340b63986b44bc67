// SPDX-License-Identifier: Apache-2.0
// The timeline of a month, in a file.
#pragma once

#include <string>

#include "apps/job/read_job.hpp"
#include "sim/report/report.hpp"

namespace apps {

// Throws InputError if the round was aborted, so that there is no month.
void write_month(const std::string& file, const Job& job, const Setup& setup,
                 const sim::Report& report);

}  // namespace apps
