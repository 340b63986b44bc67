// SPDX-License-Identifier: Apache-2.0
// The progress of a search, for whoever shows it.
#pragma once

#include <functional>

namespace sim::study {

struct Watch {
  std::function<void(int steps)> expect = [](int) {};  // more than previously known
  std::function<void()> step = [] {};                  // one more has begun
};

}  // namespace sim::study
