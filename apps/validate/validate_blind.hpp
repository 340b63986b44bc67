// SPDX-License-Identifier: Apache-2.0
// Published training runs, predicted from other sources alone.
#pragma once

#include <string>

namespace apps {

struct BlindOptions {
  std::string format;      // table, csv or json
  int jobs = 1;            // simulations at once
  bool each = false;       // also every row
  bool defaults = false;   // print what all rows together teach instead
  std::string by;          // what is left out with a row: fold, generation, or both with a comma
  std::string freeze;      // a file to write the predictions to
  bool throttled = false;  // power throttling where it can be
  std::string frozen;      // a file with predictions to score in place of new ones
};

void validate_blind(const BlindOptions& options);

}  // namespace apps
