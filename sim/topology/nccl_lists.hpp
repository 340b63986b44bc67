// SPDX-License-Identifier: Apache-2.0
// NCCL_ALGO and NCCL_PROTO: the algorithms and protocols that NCCL may take, as lists (NVIDIA/nccl,
// src/graph/tuning.cc, parseList):
//   ring,tree               these alone
//   ^nvls,nvlstree          all others
//   ring;allreduce:^tree    the same of one collective, after a list for all of them or alone
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sim {

// Collectives that such a list is for, in NCCL's order. It lists no messages of pairs.
enum class NcclFunction { broadcast, reduce, all_gather, reduce_scatter, all_reduce };
inline constexpr std::size_t kNcclFunctions = 5;

// NCCL's names in lower case. Those of protocols are in the order of Protocol; both CollNets are sums
// in the network's switches.
inline constexpr std::string_view kNcclAlgorithms[] = {
    "tree", "ring", "collnetdirect", "collnetchain", "nvls", "nvlstree", "pat"};
inline constexpr std::string_view kNcclProtocols[] = {"ll", "ll128", "simple"};

// Of `collectives.algorithm`, beside the names of algorithms: whatever takes least time.
inline constexpr std::string_view kFastest = "fastest";

struct NcclList {
  std::string text;                                         // as given
  std::array<std::bitset<8>, kNcclFunctions> enabled = {};  // by place in the names
  bool operator==(const NcclList&) const = default;

  [[nodiscard]] bool has(NcclFunction function, std::size_t place) const {
    return enabled[static_cast<std::size_t>(function)][place];
  }
};

// Letters' case does not matter, nor do underscores: "nvls_tree" is NCCL's NVLSTree.
struct NcclListText {
  std::optional<NcclList> list = {};
  std::string problem = {};  // why there is none: "'rign' is not one of: tree, ring"
};
[[nodiscard]] NcclListText parse_nccl_list(std::string_view text,
                                           std::span<const std::string_view> names);
// Whether the text is a list or a name in NCCL's spelling, and not a single name of this program's.
[[nodiscard]] bool is_nccl_list(std::string_view text);

}  // namespace sim
