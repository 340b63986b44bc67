// SPDX-License-Identifier: Apache-2.0
// Fits those constants of a cluster that no data sheet gives, on measured rows.
#pragma once

#include <string>
#include <vector>

#include "sim/validation/predict.hpp"

namespace sim::validation {

// The constants in the [fitted] table of `cluster`, chosen to minimise the squared logarithmic
// errors of `rows` (Levenberg-Marquardt). All rows must be of that cluster, and there must
// be at least as many rows as constants.
[[nodiscard]] Fitted fit(Inputs inputs, const std::string& cluster,
                         const std::vector<Measurement>& rows, Predictor predictor = predict);

}  // namespace sim::validation
