// SPDX-License-Identifier: Apache-2.0
// Published training steps of models with experts and of long sequences.
#pragma once

#include <string>

namespace apps {

// `table` is a name of traces/published; `each` also prints every row.
void validate_steps(const std::string& study, const std::string& table, const std::string& format,
                    int jobs, bool each);

}  // namespace apps
