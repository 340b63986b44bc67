// SPDX-License-Identifier: Apache-2.0
// The quantiser rates in SDP4Bit's table 5 have no unit. The calibration table reads them as bytes
// of float32 values only, as the authors' timing programs count; this is the other reading.
#pragma once

#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

// The rates read as all bytes that a kernel reads and writes, so that each time is longer.
[[nodiscard]] Calibration counted_both_ways(Calibration published);

// The rows that quantise on that table's GPU get the fitted prediction of this reading; other rows
// are unchanged.
[[nodiscard]] std::vector<Row> counted_both_ways(const Inputs& inputs, std::vector<Row> rows);

}  // namespace sim::validation
