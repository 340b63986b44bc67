// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/workspace.hpp"

#include <algorithm>

namespace calibrate {

Workspace::Workspace(std::size_t count, std::size_t wire_bytes, std::size_t copies)
    : elements(count),
      input(count, copies),
      model(count, copies),
      residual(count, copies),
      wires(wire_bytes, copies),
      output(std::max(wire_bytes, count * sizeof(float)), copies),
      decoded(count) {
  input.fill(pattern.input({0, kPattern}));
  reset_model();
  reset_residual();
}

void Workspace::reset_model() const { model.fill(pattern.model({0, kPattern})); }
void Workspace::reset_residual() const { residual.fill(pattern.residual({0, kPattern})); }

}  // namespace calibrate
