// SPDX-License-Identifier: Apache-2.0
// Dispatch and combine of tokens between experts, as measured and as simulated.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` rows at once.
void validate_dispatch(const std::string& format, int jobs);

}  // namespace apps
