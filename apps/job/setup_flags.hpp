// SPDX-License-Identifier: Apache-2.0
// Setups as flags.
#pragma once

#include <string>

#include "apps/job/read_job.hpp"

namespace apps {

// Compressed schemes whose papers train language models to the same loss as uncompressed training.
inline constexpr const char* kTrainedSchemes =
    "sdp4bit,qwd,tlq_hs,zeropp,loco,qsdp,fp8_gather,fp8_gradients";

// The flags that run the setup, besides the job's flags and in place of those with the same names:
// "--zero 3 --overlap all". Empty if the job's suffice.
[[nodiscard]] std::string flags_of(const Job& job, const Setup& setup);

}  // namespace apps
