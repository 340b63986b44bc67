// SPDX-License-Identifier: Apache-2.0
// Tables of kernel times by name, shipped or from files.
#pragma once

#include <span>
#include <string>

#include "sim/base/setting.hpp"
#include "sim/times/calibration.hpp"

namespace apps {

inline constexpr const char* kCalibrationHelp =
    "kernel times: auto, roofline, a shipped name or a file";

// The table for a GPU: one of that GPU (measured before published), else a measured one of another
// GPU, else none; and, unless `name` is "roofline", the times of kernels published for such GPUs.
// `name` is "auto", "roofline", a shipped name or a file. Files are read once: sites and sides with the
// same GPU share their tables, so that what rests on the same is known to.
[[nodiscard]] sim::Calibration calibration_for(const sim::Gpu& gpu, const std::string& name);
// What the settings say of the GPU stays as in its data `sheet`, whatever a table measured.
void keep_given(const sim::Gpu& sheet, std::span<const sim::Setting> settings, sim::Gpu& gpu);

}  // namespace apps
