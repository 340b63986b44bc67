// Methods that are more than a codec: with a state from step to step, with the wires of several
// ranks, with a matrix. Sizes and memory traffic of their kernels, as codec.hpp has those of
// codecs: gardenhose-calibrate measures them, the simulator holds measured tables against them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "codecs/dgc/dgc.hpp"
#include "codecs/loco/loco.hpp"
#include "codecs/one_bit/one_bit.hpp"
#include "codecs/power_sgd/power_sgd.hpp"

namespace codecs {

// What a step works on. What its row does not take is as here.
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
  // Of one rank's wire or factor; of both factors where a step reads both. Both functions throw
  // std::invalid_argument for a shape that the method does not take.
  std::size_t (*encoded_bytes)(const StepShape& shape) = nullptr;
  // Read and written in GPU memory: what a kernel that does the whole step cannot avoid. What
  // depends on a sum over all of its input reads that input twice.
  double (*moved_bytes)(const StepShape& shape) = nullptr;
};

// In the order in which a rank takes the steps of a method.
[[nodiscard]] std::span<const MethodStep> all_method_steps();

// As they are measured: DeepSpeed's LoCo, 4 bits in groups of 2048; the paper's PowerSGD and DGC.
[[nodiscard]] Loco measured_loco();
[[nodiscard]] OneBit one_bit_of(const StepShape& shape);
[[nodiscard]] PowerSgd power_sgd_of(const StepShape& shape);

}  // namespace codecs
