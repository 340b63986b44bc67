// SPDX-License-Identifier: Apache-2.0
// Reads a job from the command line.
#pragma once

#include "apps/job/job_options.hpp"
#include "sim/study/job.hpp"

namespace apps {

using sim::study::Job;
using sim::study::Setup;

// Where tensor-parallel groups span nodes.
void warn_of_tensor_nodes(const sim::Cluster& cluster, const sim::Parallelism& parallelism);
// Reads the files and checks the flags. Throws InputError.
[[nodiscard]] Job read_job(const JobOptions& options);

}  // namespace apps
