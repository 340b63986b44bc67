// SPDX-License-Identifier: Apache-2.0
// gardenhose-kernel-launches: which kernels each row of a calibration table launches, with which grids
// and parameters, as one JSON record a line. It runs none of them and needs no GPU. For
// traces/compiled/count.py, which gives it on standard input the sizes of each kernel's parameters:
// lines "NAME SIZE SIZE ...".
#include <iostream>
#include <sstream>

#include "apps/calibrate/gpu/operations.hpp"
#include "apps/calibrate/launches/runtime.hpp"
#include "apps/streams.hpp"

namespace {

using calibrate::Json;
using calibrate::Measured;

// So many that no cap on a grid is missed, and few enough for 32 bits.
constexpr std::size_t kElements = std::size_t{1} << 28;

launches::ParameterSizes read_sizes(std::istream& text) {
  launches::ParameterSizes sizes;
  for (std::string line; std::getline(text, line);) {
    std::istringstream words(line);
    std::string kernel;
    words >> kernel;
    std::vector<std::size_t>& of_kernel = sizes[kernel];
    for (std::size_t size = 0; words >> size;) of_kernel.push_back(size);
  }
  return sizes;
}

Json json_of(const launches::Launch& launch) {
  if (launch.blocks == 0) return {{"kernel", launch.kernel}, {"bytes", launch.bytes}};
  return {{"kernel", launch.kernel},
          {"blocks", launch.blocks},
          {"threads", launch.threads},
          {"parameters", launch.parameters}};
}

Json json_of(const Measured& measured) {
  (void)launches::taken();
  measured.launch(0, nullptr);
  Json row = calibrate::json_of(measured.row, {});
  Json record{{"codec", row["codec"]},
              {"operation", row["operation"]},
              {"inputs", row["inputs"]},
              {"to", row["to"]},
              {"value_bytes", measured.row.shape.value_bytes},
              {"variant", measured.row.variant},
              {"elements", measured.row.elements},
              {"moved_bytes", calibrate::moved_bytes(measured.row)}};
  record["launches"] = Json::array();
  for (const launches::Launch& launch : launches::taken()) {
    record["launches"].push_back(json_of(launch));
  }
  return record;
}

}  // namespace

int main() {
  try {
    launches::expect_parameters(read_sizes(std::cin));
    const calibrate::Workspace workspace(kElements, calibrate::wire_bytes(kElements), 1);
    for (const Measured& measured : calibrate::all_operations(workspace)) {
      // What a kernel does with few of the values, and how it finds them, depends on them.
      const codecs::Format& format = measured.row.shape.wire;
      if (format.keep > 0 && format.keep < format.group) continue;
      apps::write_output(json_of(measured).dump() + "\n");
    }
    apps::finish_output();
    return 0;
  } catch (const std::exception& error) {
    apps::write_error(std::string("gardenhose-kernel-launches: ") + error.what() + "\n");
    return 2;
  }
}
