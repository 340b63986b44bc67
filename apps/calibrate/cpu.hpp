// Times of the references on this machine's processor. They say how long a test takes and nothing
// about a GPU: their table's kind is "cpu_reference", which the simulator refuses.
#pragma once

#include <string>

#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/table.hpp"

namespace calibrate {

// As the kernel calls it; "unknown processor" where it does not say.
[[nodiscard]] std::string processor_name();

// Encode and decode of every registered codec over sizes that quadruple.
[[nodiscard]] Json cpu_table(const Settings& settings);

}  // namespace calibrate
