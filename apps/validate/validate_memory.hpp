// SPDX-License-Identifier: Apache-2.0
// Published peaks of a GPU's memory, beside the predicted ones.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; predicts `jobs` rows at once.
void validate_memory(const std::string& format, int jobs);

}  // namespace apps
