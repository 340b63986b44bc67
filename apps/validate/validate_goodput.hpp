// SPDX-License-Identifier: Apache-2.0
// validate goodput: published interruptions and goodputs of training runs.
#pragma once

#include <string>

namespace apps {

// Without what was published where only predictions are asked for.
void validate_goodput(const std::string& format, bool predictions);

}  // namespace apps
