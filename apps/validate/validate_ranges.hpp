// SPDX-License-Identifier: Apache-2.0
// The study of likely ranges that `validate` reruns: published speed-ups of compression, predicted as if
// nobody had fitted a constant of their clusters.
#pragma once

#include <string>

namespace apps {

// Prints it as "table", "csv" or "json".
void validate_ranges(const std::string& format, int jobs);

}  // namespace apps
