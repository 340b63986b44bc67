// SPDX-License-Identifier: Apache-2.0
// The Pareto front of steps: those than which none is both faster and of a smaller codec error.
#pragma once

#include <optional>
#include <span>

#include "sim/report/report.hpp"

namespace sim {

// Where a step of the scheme stands by itself, before others are looked at. Its error is the larger
// of what the weights and the gradients' sum of one step lose (relative L2; of
// Report::codec_error the gradients' "normal" and the weights' "weights_lr_6e-4", else
// "weights_normal"), and nothing where one that is encoded was not measured. Error feedback makes up
// later for what a step loses.
[[nodiscard]] ParetoPlace pareto_place(const Scheme& scheme, const Report& report);

// Sets who is on the front; all have a place. Speed is tokens per second. A scheme that sends values
// as they are has no codec, and so less error than any that has one; one whose error was not
// measured is not on the front, and neither is a step that does not fit in memory.
void mark_pareto_front(std::span<Report> reports);

}  // namespace sim
