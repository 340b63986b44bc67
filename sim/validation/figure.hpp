// SPDX-License-Identifier: Apache-2.0
// One published figure and what it follows from here.
#pragma once

#include <string>

namespace sim::validation {

// `published` is 0 if there is nothing to compare with.
struct Figure {
  std::string what;
  std::string unit;
  double published = 0;
  double computed = 0;
  std::string how;  // "codec", "by definition", "simulated: ..."
};

}  // namespace sim::validation
