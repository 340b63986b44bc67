// SPDX-License-Identifier: Apache-2.0
// The instruction sets for which the vector code is compiled: all are in one program, and it uses
// the best that the processor has. All give the same bytes.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "codecs/cpu/kernels.hpp"
#include "codecs/cpu/sparse_kernels.hpp"

namespace codecs::cpu {

struct Target {
  std::string_view name;  // "AVX2"; as Highway calls it
  const Kernels* kernels = nullptr;
  const SparseKernels* sparse = nullptr;
};

// Those that this processor has, best first: at least one, which any processor has.
[[nodiscard]] std::span<const Target> targets();

}  // namespace codecs::cpu
