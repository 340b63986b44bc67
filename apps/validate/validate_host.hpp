// SPDX-License-Identifier: Apache-2.0
// Published steps that the host bounds.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` rows at once.
void validate_host(const std::string& format, int jobs);

}  // namespace apps
