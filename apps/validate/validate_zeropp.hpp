// SPDX-License-Identifier: Apache-2.0
// The study of ZeRO++ that `validate` reruns.
#pragma once

#include <string>

namespace apps {

// Prints it as "table", "csv" or "json".
void validate_zeropp(const std::string& format, int jobs);

}  // namespace apps
