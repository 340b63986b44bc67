// SPDX-License-Identifier: Apache-2.0
// The flag --spread of `compare`.
#pragma once

#include <string>
#include <vector>

#include "sim/study/compare/doubts.hpp"

namespace apps {

// From texts NAME=NUMBER. Throws InputError.
[[nodiscard]] std::vector<sim::study::GivenSpread> spreads_of(
    const std::vector<std::string>& texts);

}  // namespace apps
