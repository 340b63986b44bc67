// SPDX-License-Identifier: Apache-2.0
// Published tables of training over several sites.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json.
void validate_streaming_diloco(const std::string& format);
void validate_sparseloco(const std::string& format);

}  // namespace apps
