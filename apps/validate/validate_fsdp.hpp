// SPDX-License-Identifier: Apache-2.0
// Published tables of training with fully sharded weights.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` rows at once.
void validate_fsdp(const std::string& format, int jobs);

}  // namespace apps
