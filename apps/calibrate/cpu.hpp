// SPDX-License-Identifier: Apache-2.0
// Times of the kernels of codecs/cpu on this machine's processor: a table that the simulator takes
// for codecs that hosts run between sites, but not for a GPU.
#pragma once

#include <string>
#include <vector>

#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/table.hpp"

namespace calibrate {

// The kernel's name for it; "unknown processor" if it gives none.
[[nodiscard]] std::string processor_name();

struct CpuTable {
  Json table;
  std::vector<std::string> disagreed;  // codecs that gave other bytes than their reference
};

// Encodes, with and without feedback, decodes and sums of every codec that has kernels, over sizes
// that quadruple, in settings.threads threads; and copies, whose rate they can be compared with.
[[nodiscard]] CpuTable measure_cpu(const Settings& settings);

}  // namespace calibrate
