// SPDX-License-Identifier: Apache-2.0
// Steps and exchanges with and without low-precision communication.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` pairs at once.
void validate_pairs(const std::string& format, int jobs);

}  // namespace apps
