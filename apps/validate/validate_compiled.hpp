// SPDX-License-Identifier: Apache-2.0
// validate compiled: published rates of kernels of others beside what their machine code says.
#pragma once

#include <string>

namespace apps {

void validate_compiled(const std::string& format);

}  // namespace apps
