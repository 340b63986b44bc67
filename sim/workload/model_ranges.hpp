// SPDX-License-Identifier: Apache-2.0
// Allowed numbers of a model, whichever file they come from: far above any real model. Whether all
// parameters can be counted in 64 bits is a rule of its own.
#pragma once

#include "sim/base/toml_reader.hpp"

namespace sim {

inline constexpr IntegerRange kLayers{.lowest = 1, .highest = 10'000};
inline constexpr IntegerRange kPredictions{.lowest = 0, .highest = kLayers.highest};
inline constexpr IntegerRange kHidden{.lowest = 1, .highest = 1'000'000};
inline constexpr IntegerRange kHeads{.lowest = 1, .highest = 10'000};
inline constexpr IntegerRange kHeadWidth{.lowest = 1, .highest = 10'000};
inline constexpr IntegerRange kFeedForwardWidth{.lowest = 1, .highest = 10'000'000};
inline constexpr IntegerRange kExpertCount{.lowest = 1, .highest = 100'000};
inline constexpr IntegerRange kWidth{.lowest = 1, .highest = 1'000'000};  // of other vectors
inline constexpr IntegerRange kTokens{.lowest = 1, .highest = 100'000'000};

}  // namespace sim
