// SPDX-License-Identifier: Apache-2.0
// What the matrix of `nvidia-smi topo -m` means for a cluster: the NVLinks between the GPUs of a
// node, and the NIC of each.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim::fit {

struct TopoMatrix {
  int gpus = 0;
  int nvlinks = 0;                     // between each pair of GPUs, as printed: 18 of NV18
  const NvlinkFabric* kind = nullptr;  // switched where a GPU has fewer ports than all pairs need
  // The NIC that each GPU uses, numbered from 0 among the used ones: the nearest one, and of
  // several as near the one that fewest GPUs use.
  std::vector<int> gpu_nic;
  std::vector<std::string> nics;     // names of the used ones
  std::vector<std::string> gpu_way;  // of each GPU to its NIC: "PIX"
  std::vector<std::string> unused;   // names of the others
};

// Throws an InputError located at the line that is cut, contradicts another one, or describes a node
// that no cluster file can.
[[nodiscard]] TopoMatrix parse_topo(std::string_view text, const std::filesystem::path& file);

// The text of a cluster file with the matrix's GPUs, NICs and kind of NVLink in place of its own.
[[nodiscard]] std::string with_topo(const TopoMatrix& topo, std::string_view base_text,
                                    const std::filesystem::path& base_file);

// "8 GPUs with NV18 between each two: nvlink.kind is switched"
[[nodiscard]] std::vector<std::string> topo_lines(const TopoMatrix& topo, const Cluster& cluster);

}  // namespace sim::fit
