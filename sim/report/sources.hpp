// Where the constants of a prediction come from, and the measured errors of a scheme's codecs.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "sim/schemes/plan_step.hpp"

namespace sim {

// By constant: "data sheet in topologies/x.toml", "fitted on ...", "roofline: ...".
[[nodiscard]] std::map<std::string, std::string> sources_of(const StepContext& context,
                                                            const Scheme& scheme);

// Relative L2 errors of the scheme's gradients by distribution, and of its weights by learning rate
// ("weights_lr_6e-4"), from the table that gardenhose-codec-error wrote. Empty where the table has
// no row for the scheme's formats. Throws InputError where the file cannot be read.
[[nodiscard]] std::map<std::string, double> codec_errors(const std::filesystem::path& table,
                                                         const Scheme& scheme);

}  // namespace sim
