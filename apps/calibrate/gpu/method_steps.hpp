// SPDX-License-Identifier: Apache-2.0
// Kernels of the methods in codecs/method.hpp, ready to be measured and checked.
#pragma once

#include <functional>
#include <vector>

#include "apps/calibrate/gpu/workspace.hpp"
#include "codecs/cuda/cublas.hpp"
#include "codecs/method.hpp"

namespace calibrate {

struct StepCase {
  const Workspace& w;
  codecs::StepShape shape = {};
  codecs::cuda::Multiply multiply = {};  // of PowerSGD alone
};

// States begin at zero, so a step is checked after its second launch, when the state is not zero.
inline constexpr int kCheckedLaunches = 2;

struct StepKernels {
  std::function<void(cudaStream_t)> prepare = {};  // fills what it reads, clears its state
  // Receives the launch's running number.
  std::function<void(std::size_t, cudaStream_t)> launch = {};
  // Whether the output and the state in the first buffers, after this many launches with number 0,
  // equal the reference's; PowerSGD's check runs whole steps itself.
  std::function<bool()> agrees = {};
};

[[nodiscard]] StepKernels loco_encode(const StepCase& one);
[[nodiscard]] StepKernels sparse_aggregate(const StepCase& one);
[[nodiscard]] StepKernels one_bit_encode(const StepCase& one);
[[nodiscard]] StepKernels one_bit_reduce(const StepCase& one);
[[nodiscard]] StepKernels one_bit_decode(const StepCase& one);
[[nodiscard]] StepKernels dgc_encode(const StepCase& one);
[[nodiscard]] StepKernels dgc_decode_mean(const StepCase& one);
[[nodiscard]] StepKernels power_sgd_p(const StepCase& one);
[[nodiscard]] StepKernels power_sgd_q(const StepCase& one);
[[nodiscard]] StepKernels power_sgd_finish(const StepCase& one);

struct MeasuredStep {
  const codecs::MethodStep& step;
  codecs::StepShape shape;
  StepKernels kernels;
};
// The steps of all methods, on all values of the workspace, which must outlive them; without `multiply`
// none of those that take a matrix.
[[nodiscard]] std::vector<MeasuredStep> all_steps(const Workspace& workspace,
                                                  const codecs::cuda::Multiply& multiply);

}  // namespace calibrate
