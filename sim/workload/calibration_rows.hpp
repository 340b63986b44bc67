// What reading and asking a calibration table have in common: how its rows are named.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/workload/calibration.hpp"

namespace sim {

// As rows spell them; nothing for other text.
[[nodiscard]] std::optional<codecs::Operation> operation_named(std::string_view name);
[[nodiscard]] std::string_view name_of(codecs::Operation operation);

// Of one value, where a row does not say: weights are bfloat16, all else is float32.
[[nodiscard]] int usual_value_bytes(codecs::Operation operation);

// Of Calibration::kernels.
[[nodiscard]] std::string kernel_key(const codecs::KernelShape& shape, std::string_view codec,
                                     std::string_view to);

// The step of this method; null where there is none.
[[nodiscard]] const codecs::MethodStep* step_named(std::string_view method, std::string_view step);
// Of Calibration::methods.
[[nodiscard]] std::string step_key(const codecs::MethodStep& step, const codecs::StepShape& shape);

// The bandwidth that times of the table are scaled by.
[[nodiscard]] Bandwidth scale(const Calibration& calibration);
// Calibration::memory_share, of the table's kernels, whose sizes ascend.
[[nodiscard]] double memory_share(const Calibration& calibration);

}  // namespace sim
