// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu_table.hpp"
#include "apps/streams.hpp"
#include "sim/base/printable.hpp"

namespace calibrate {

void tell(const std::string& line) { apps::write_error(sim::printable_lines(line) + "\n"); }

// The table is written even if kernels were wrong: what is in it was right.
int tell_disagreed(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    tell(name + ": kernel and reference disagree; left out of the table");
  }
  return names.empty() ? 0 : kDeviceTrouble;
}

}  // namespace calibrate
