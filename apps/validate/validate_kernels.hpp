// SPDX-License-Identifier: Apache-2.0
// validate kernels: the tables of gardenhose-calibrate beside what is taken without them.
#pragma once

#include <string>

namespace apps {

void validate_kernels(const std::string& format);

}  // namespace apps
