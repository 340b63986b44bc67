// SPDX-License-Identifier: Apache-2.0
// Shared by reading and querying a calibration table: the keys of its rows.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/times/calibration.hpp"

namespace sim {

// Bytes per value if a row does not say: weights are bfloat16, everything else is float32.
[[nodiscard]] int usual_value_bytes(codecs::Operation operation);

// Per element, read and written.
[[nodiscard]] double moved_bytes(const codecs::KernelShape& shape);

// Key in Calibration::kernels.
[[nodiscard]] std::string kernel_key(const codecs::KernelShape& shape, std::string_view codec,
                                     std::string_view to);

// The step of this method; null if there is none.
[[nodiscard]] const codecs::MethodStep* step_named(std::string_view method, std::string_view step);
// Key in Calibration::methods.
[[nodiscard]] std::string step_key(const codecs::MethodStep& step, const codecs::StepShape& shape);

// The bandwidth by which the table's times are scaled.
[[nodiscard]] Bandwidth scale(const Calibration& calibration);
// The same of a GPU: what its copies reach, or the data sheet's.
[[nodiscard]] Bandwidth scale(const Calibration& calibration, const Gpu& gpu);
// Calibration::memory_share of the table's kernels, whose sizes must ascend.
[[nodiscard]] double memory_share(const Calibration& calibration);

}  // namespace sim
