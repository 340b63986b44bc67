// The quantisers' rates of SDP4Bit's table 5 have no unit. The calibration table reads them as bytes
// of float32 values alone, as the authors' timing programs count; this is the other reading.
#pragma once

#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

// The rates as those of all bytes that a kernel reads and writes: each time is longer.
[[nodiscard]] Calibration counted_both_ways(Calibration published);

// The rows that quantise on the GPU of that table, with the fitted prediction of that reading; the
// others as they are.
[[nodiscard]] std::vector<Row> counted_both_ways(const Inputs& inputs, std::vector<Row> rows);

}  // namespace sim::validation
