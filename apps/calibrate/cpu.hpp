// SPDX-License-Identifier: Apache-2.0
// Times of the references on this machine's processor. They tell how long a test takes, but nothing
// about a GPU: their table's kind is "cpu_reference", which the simulator refuses.
#pragma once

#include <string>

#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/table.hpp"

namespace calibrate {

// The kernel's name for it; "unknown processor" if it gives none.
[[nodiscard]] std::string processor_name();

// Encode and decode of every registered codec over sizes that quadruple.
[[nodiscard]] Json cpu_table(const Settings& settings);

}  // namespace calibrate
