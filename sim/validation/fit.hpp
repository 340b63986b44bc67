// Fits the constants of a cluster that no data sheet gives, on measured rows.
#pragma once

#include <string>
#include <vector>

#include "sim/validation/predict.hpp"

namespace sim::validation {

// The constants that `cluster` of the inputs has in its [fitted] table, chosen so that the squared
// logarithmic errors of `rows` are least (Levenberg-Marquardt, Eigen). There must be at least as
// many rows as constants; all rows are of that cluster.
[[nodiscard]] Fitted fit(Inputs inputs, const std::string& cluster,
                         const std::vector<Measurement>& rows, Predictor predictor = predict);

}  // namespace sim::validation
