// SPDX-License-Identifier: Apache-2.0
// The text that `nvidia-smi topo -m` prints, read and checked as a table.
//
//           GPU0  GPU1  NIC0  NIC1  CPU Affinity ...
//   GPU0     X    NV18  PIX   SYS
//   GPU1    NV18   X    SYS   PIX
//   NIC0    PIX   SYS    X    SYS
//   NIC1    SYS   PIX   SYS    X
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sim::fit {

// Other ways than NVLink, from near to far: one PCIe switch, several, a host bridge, a NUMA node,
// another socket.
inline constexpr std::string_view kWays[] = {"PIX", "PXB", "PHB", "NODE", "SYS"};

struct TopoTable {
  std::string file;                             // as errors name it
  std::size_t gpus = 0;                         // the first of names
  std::vector<std::string> names;               // GPU0, GPU1, ..., then those of NICs
  std::vector<std::vector<std::string>> cells;  // by name and name: "X", "NV18" or one of kWays
  std::vector<int> lines;                       // of the text, by name
  std::map<std::string, std::string> legend;    // NIC0 is mlx5_0
};

// Links of "NV18"; nothing for another way.
[[nodiscard]] std::optional<int> nvlinks_of(std::string_view cell);

// Throws an InputError located at the line that is cut, out of order or contradicts another one.
[[nodiscard]] TopoTable read_topo_table(std::string_view text, const std::filesystem::path& file);

}  // namespace sim::fit
