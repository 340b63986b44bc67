// SPDX-License-Identifier: Apache-2.0
// Jobs from the flags of the command line.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "apps/arguments.hpp"
#include "apps/job/read_job.hpp"
#include "sim/base/error.hpp"
#include "tests/apps/program.hpp"

namespace apps_tests {

inline sim::study::Job job_of(const std::string& flags) {
  apps::JobOptions options;
  auto known = apps::job_flags(options);
  const auto values = apps::parse_arguments(words(flags), "", known);
  EXPECT_TRUE(values);
  options.schemes = apps::split((*values)["scheme"].as<std::string>());
  return apps::read_job(options);
}

// Nothing if the job cannot run.
inline std::optional<sim::study::Job> job_if_it_runs(const std::string& flags) {
  try {
    const sim::study::Job job = job_of(flags);
    check(job, job.setups);
    return job;
  } catch (const sim::InputError&) {
    return std::nullopt;
  }
}

}  // namespace apps_tests
