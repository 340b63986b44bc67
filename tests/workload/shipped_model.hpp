// SPDX-License-Identifier: Apache-2.0
// A model of traces/models by its name.
#pragma once

#include <string>

#include "sim/workload/model.hpp"
#include "tests/shipped_files.hpp"

namespace sim {

inline Model shipped_model(const std::string& name) {
  return read_model(source_directory() / "traces/models" / (name + ".toml"));
}

}  // namespace sim
