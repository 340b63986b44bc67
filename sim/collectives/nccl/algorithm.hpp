// SPDX-License-Identifier: Apache-2.0
// NCCL's algorithms, without those in the network's switches (CollNet).
#pragma once

#include <cstddef>

namespace sim::nccl {

// In NCCL's order: of two that are expected to take the same, the first is taken.
enum class Algorithm { tree, ring, nvls, nvls_tree, pat };
inline constexpr std::size_t kAlgorithms = 5;

}  // namespace sim::nccl
