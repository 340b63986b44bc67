// SPDX-License-Identifier: Apache-2.0
// What fit prints of a trace alone: where the time of its steps goes.
#pragma once

#include <string>
#include <vector>

#include "sim/trace/summary.hpp"

namespace apps {

void print(const std::string& format, const sim::trace::Summary& summary);

}  // namespace apps
