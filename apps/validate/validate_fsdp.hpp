// SPDX-License-Identifier: Apache-2.0
// Published tables of training with fully sharded weights.
#pragma once

#include <string>

namespace apps {

// `format` is table, csv or json.
void validate_fsdp(const std::string& format);

}  // namespace apps
