// SPDX-License-Identifier: Apache-2.0
// NCCL's algorithms.
#pragma once

#include <cstddef>

namespace sim::nccl {

// In NCCL's order: of two that are expected to take the same, the first is taken.
enum class Algorithm { tree, ring, collnet_direct, collnet_chain, nvls, nvls_tree, pat };
inline constexpr std::size_t kAlgorithms = 7;

}  // namespace sim::nccl
