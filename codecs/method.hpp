// SPDX-License-Identifier: Apache-2.0
// Methods beyond a codec: with state from step to step, the wires of several ranks, or a matrix.
// Like codec.hpp for codecs, this gives the sizes and memory traffic of their kernels:
// gardenhose-calibrate measures these kernels, and the simulator checks measured tables against
// them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "codecs/dgc/dgc.hpp"
#include "codecs/loco/loco.hpp"
#include "codecs/one_bit/one_bit.hpp"
#include "codecs/power_sgd/power_sgd.hpp"

namespace codecs {

// The input of a step. Parameters that its row does not take keep these values.
struct StepShape {
  std::size_t elements = 0;     // of the whole tensor, float32
  std::size_t ranks = 1;        // whose wires are read or written
  std::size_t columns = 0;      // of the matrix
  std::size_t factor_rank = 0;  // columns of PowerSGD's P and Q
};

struct MethodStep {
  std::string_view method;  // "one_bit_adam"
  std::string_view step;    // "reduce"
  bool takes_ranks = false;
  bool takes_matrix = false;  // columns and factor_rank
  // Bytes of one rank's wire or factor; of both factors if a step reads both. Both functions throw
  // std::invalid_argument for a shape that the method does not take.
  std::size_t (*encoded_bytes)(const StepShape& shape) = nullptr;
  // Bytes read and written in GPU memory, at least, by a kernel that does the whole step. Results
  // that depend on a sum over all of the input read that input twice.
  double (*moved_bytes)(const StepShape& shape) = nullptr;
};

// In the order of a method's steps on a rank.
[[nodiscard]] std::span<const MethodStep> all_method_steps();

// As measured: DeepSpeed's LoCo, 4 bits in groups of 2048; the paper's PowerSGD and DGC.
[[nodiscard]] Loco measured_loco();
[[nodiscard]] OneBit one_bit_of(const StepShape& shape);
[[nodiscard]] PowerSgd power_sgd_of(const StepShape& shape);

}  // namespace codecs
