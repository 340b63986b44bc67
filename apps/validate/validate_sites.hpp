// SPDX-License-Identifier: Apache-2.0
// Published tables of training over several sites.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json; simulates `jobs` rows at once.
void validate_streaming_diloco(const std::string& format, int jobs);
void validate_sparseloco(const std::string& format, int jobs);
void validate_intellect_1(const std::string& format, int jobs);

}  // namespace apps
