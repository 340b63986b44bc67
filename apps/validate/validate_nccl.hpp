// SPDX-License-Identifier: Apache-2.0
// Published logs of collectives.
#pragma once

#include <string>

namespace apps {

enum class NcclView {
  errors,      // of each log and of all of them
  each,        // also every row
  predictions  // only the rows, without what was measured
};

// `format` is table, csv or json; simulates `jobs` rows at once. With a file of `earlier` predictions
// it compares those instead.
void validate_nccl(const std::string& format, int jobs, NcclView view, const std::string& earlier);

}  // namespace apps
