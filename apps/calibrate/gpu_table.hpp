// SPDX-License-Identifier: Apache-2.0
// The table of this machine's GPU: gpu/write.cpp, or without_cuda.cpp in builds without CUDA.
#pragma once

#include <string>
#include <vector>

#include "apps/calibrate/settings.hpp"

namespace calibrate {

// Wrong kernels have no row, and the device fails: exit codes of the program.
inline constexpr int kDeviceTrouble = 3;
// Measures and writes; returns the exit code.
int write_gpu_table(const Settings& settings);

// Writes a line to standard error.
void tell(const std::string& line);
// One for each kernel that was wrong; the exit code.
int tell_disagreed(const std::vector<std::string>& names);

}  // namespace calibrate
