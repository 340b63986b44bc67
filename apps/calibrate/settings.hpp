// SPDX-License-Identifier: Apache-2.0
// The command line of gardenhose-calibrate.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/calibrate/plan.hpp"

namespace calibrate {

enum class Target { gpu, cpu };

struct Settings {
  Target target = Target::gpu;
  std::filesystem::path output;   // empty: named after the GPU; of the CPU: standard output
  std::filesystem::path summary;  // not empty: only summarise this table
  Sizes sizes;
  bool quick = false;
  double minutes = 8;               // what the samples of a GPU are chosen for
  int threads = 1;                  // of the kernels for CPUs
  std::vector<std::string> codecs;  // for CPUs; empty: all with kernels
  std::vector<int> hidden;  // of the layers whose products are measured; empty: the usual ones
  std::string cublas, cublas_lt;
  std::string commit;
  std::string command;  // the command line itself, for the provenance
};

// Nothing after --help, which is printed. Throws sim::InputError naming the flag.
[[nodiscard]] std::optional<Settings> read_settings(int count, const char* const* arguments);

}  // namespace calibrate
