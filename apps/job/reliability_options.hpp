// SPDX-License-Identifier: Apache-2.0
// The flags of a job that fails at times.
#pragma once

#include <boost/program_options.hpp>

#include "apps/job/settings.hpp"
#include "sim/study/job.hpp"

namespace apps {

// --reliability and --tokens.
[[nodiscard]] boost::program_options::options_description goodput_flags(JobOptions& options);
// Throws InputError if this value of --tokens is no number of tokens that anybody trains on.
void check_tokens(double tokens);
// The same if --tokens is given.
void check_target(const JobOptions& options, bool given);
// --reliability alone.
void add_reliability_flag(boost::program_options::options_description& flags, JobOptions& options);

// Reads the file and its settings into the job. Throws InputError for settings without a file, and
// for a file where there are several sites.
void read_reliability(const JobOptions& options, const SortedSettings& settings,
                      sim::study::Job& job);
// Throws InputError if there are tokens to train on and nothing that ever fails or leaves.
void check_what_fails(const sim::study::Job& job);
// The same for another flag.
void check_what_fails(const sim::study::Job& job, const char* flag);

}  // namespace apps
