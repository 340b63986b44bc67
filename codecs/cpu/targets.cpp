// SPDX-License-Identifier: Apache-2.0
// Compiles the vector code for each instruction set. The headers that it needs come first: they are
// compiled once, for any processor.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <type_traits>

#include "codecs/bf16/bf16.hpp"
#include "codecs/cpu/processor.hpp"
#include "codecs/cpu/target.hpp"
#include "codecs/element/element.hpp"
#include "codecs/hadamard/hadamard.hpp"
#include "codecs/random/random.hpp"

#define HWY_TARGET_INCLUDE "codecs/cpu/simd/all.cpp"
#include <hwy/foreach_target.h>
// And for the one that needs no more than the compiler's flags.
#include "codecs/cpu/simd/all.cpp"  // NOLINT(bugprone-suspicious-include)

namespace codecs::cpu {
namespace {

// Null: not compiled.
struct Row {
  std::int64_t target = 0;
  const Kernels& (*kernels)() = nullptr;
  const SparseKernels& (*sparse)() = nullptr;
};

std::vector<Target> find_targets() {
  static constexpr std::array kRows{
      Row{HWY_AVX3, HWY_CHOOSE_AVX3(kernels), HWY_CHOOSE_AVX3(sparse_kernels)},
      Row{HWY_AVX2, HWY_CHOOSE_AVX2(kernels), HWY_CHOOSE_AVX2(sparse_kernels)},
      Row{HWY_SSE4, HWY_CHOOSE_SSE4(kernels), HWY_CHOOSE_SSE4(sparse_kernels)},
      Row{HWY_STATIC_TARGET, &HWY_STATIC_DISPATCH(kernels), &HWY_STATIC_DISPATCH(sparse_kernels)}};
  std::vector<Target> found;
  for (const Row& row : kRows) {
    const std::string_view name = hwy::TargetName(row.target);
    const bool known = std::ranges::find(found, name, &Target::name) != found.end();
    if (row.kernels == nullptr || known) continue;
    if (row.target == HWY_STATIC_TARGET || has_instructions(name)) {
      found.push_back({.name = name, .kernels = &row.kernels(), .sparse = &row.sparse()});
    }
  }
  return found;
}

}  // namespace

std::span<const Target> targets() {
  static const std::vector<Target> kTargets = find_targets();
  return kTargets;
}

}  // namespace codecs::cpu
