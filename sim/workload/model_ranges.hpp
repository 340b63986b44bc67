// SPDX-License-Identifier: Apache-2.0
// Allowed numbers of a model, whichever file they come from: far above any real model, and low
// enough to count its parameters in 64 bits. 10^4 layers with 10^8 wide queries of 4 h q + 3 h f =
// 4 * 10^14 + 3 * 10^13 parameters are 4.3 * 10^18.
#pragma once

#include "sim/base/toml_reader.hpp"

namespace sim {

inline constexpr IntegerRange kLayers{.lowest = 1, .highest = 10'000};
inline constexpr IntegerRange kHidden{.lowest = 1, .highest = 1'000'000};
inline constexpr IntegerRange kHeads{.lowest = 1, .highest = 10'000};
inline constexpr IntegerRange kHeadWidth{.lowest = 1, .highest = 10'000};
inline constexpr IntegerRange kFeedForwardWidth{.lowest = 1, .highest = 10'000'000};
inline constexpr IntegerRange kTokens{.lowest = 1, .highest = 100'000'000};

}  // namespace sim
