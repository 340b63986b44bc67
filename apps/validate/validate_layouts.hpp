// SPDX-License-Identifier: Apache-2.0
// Published layouts of one job each: which is predicted to be the fastest, and which to fit.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` rows at once.
void validate_layouts(const std::string& format, int jobs);

}  // namespace apps
