// SPDX-License-Identifier: Apache-2.0
// One's own measured steps: a CSV file whose columns are flags of a job, and what was measured.
#pragma once

#include <boost/program_options.hpp>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/job/job_options.hpp"
#include "sim/study/fit/measured_steps.hpp"

namespace apps {

inline constexpr const char* kMeasuredStepsHelp =
    "CSV file of measured steps, one a row. Columns: step_s, tokens_per_second or "
    "tokens_per_second_per_gpu; name (optional); flags of run without dashes (model, nodes, "
    "micro-batch, ...) and keys of input files (model.layers); flags: any further ones, as on a "
    "command line. Flags of the command line hold for all rows that do not give them";

// The job's flags among `values` as arguments, to parse again.
[[nodiscard]] Arguments job_arguments(const boost::program_options::options_description& flags,
                                      const boost::program_options::variables_map& values);

// The job of such arguments, of one cluster and one scheme, checked. Throws InputError.
[[nodiscard]] sim::study::MeasuredStep read_step(const Arguments& arguments);

// All rows, each with `common` for flags that it does not have. Throws an InputError that begins with
// the file and the line.
[[nodiscard]] std::vector<sim::study::MeasuredStep> read_measured_steps(const std::string& file,
                                                                        const Arguments& common);

}  // namespace apps
