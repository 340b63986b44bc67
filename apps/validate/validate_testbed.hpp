// SPDX-License-Identifier: Apache-2.0
// Steps and rounds of the testbed's processes, predicted before they were measured.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` cells at once; a table lists `each` cell too.
void validate_testbed(const std::string& format, int jobs, bool each);

}  // namespace apps
