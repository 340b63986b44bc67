// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/topo_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/fit/edited_text.hpp"
#include "sim/fit/topo_table.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim::fit {
namespace {

// NVLinks of a GPU: 6 of V100, 12 of A100, 18 of Hopper and Blackwell.
constexpr int kMostNvlinks = 18;

// Of a row of the matrix.
[[noreturn]] void refuse_row(const TopoTable& table, std::size_t row, const std::string& what) {
  throw InputError(fmt::format("{}:{}:1: {}", table.file, table.lines[row], what));
}

// Between each two GPUs.
int nvlinks_in(const TopoTable& table) {
  int all = 0;
  for (std::size_t i = 0; i < table.gpus; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto links = nvlinks_of(table.cells[i][j]);
      if (!links) {
        refuse_row(table, i,
                   fmt::format("GPU{} and GPU{} have no NVLink but {}; `topo` reads nodes whose "
                               "GPUs all have NVLink to each other; for a node without NVLink, "
                               "write nvlink.kind = \"pcie\" by hand (docs/files/cluster.md)",
                               i, j, table.cells[i][j]));
      }
      if (all == 0) all = *links;
      if (*links == all) continue;
      refuse_row(table, i,
                 fmt::format("GPU{} and GPU{} have {} NVLinks, but other pairs {}; a cluster "
                             "file cannot describe such a node",
                             i, j, *links, all));
    }
  }
  return all;
}

// How far a GPU's way to a NIC is.
std::size_t distance(const TopoTable& table, std::size_t gpu, std::size_t nic) {
  const std::string& cell = table.cells[gpu][nic];
  const auto way = std::ranges::find(kWays, cell);
  if (way == std::end(kWays)) {
    refuse_row(table, gpu,
               fmt::format("{} to {}: {} is not a way to a NIC", table.names[gpu],
                           printable(table.names[nic]), cell));
  }
  return static_cast<std::size_t>(way - std::begin(kWays));
}

std::string name_of_nic(const TopoTable& table, std::size_t nic) {
  const std::string& name = table.names[nic];
  const auto known = table.legend.find(name);
  return known == table.legend.end() ? name : fmt::format("{} ({})", name, known->second);
}

void assign_nics(const TopoTable& table, TopoMatrix& topo) {
  std::map<std::size_t, int> users;
  std::vector<std::size_t> chosen;
  for (std::size_t gpu = 0; gpu < table.gpus && table.gpus < table.names.size(); ++gpu) {
    std::size_t best = table.gpus;
    for (std::size_t nic = table.gpus; nic < table.names.size(); ++nic) {
      const auto rank = [&](std::size_t one) {
        return std::pair(distance(table, gpu, one), users.contains(one) ? users.at(one) : 0);
      };
      if (rank(nic) < rank(best)) best = nic;
    }
    ++users[best];
    chosen.push_back(best);
    topo.gpu_way.push_back(table.cells[gpu][best]);
  }
  for (const std::size_t nic : chosen) {
    topo.gpu_nic.push_back(static_cast<int>(std::distance(users.begin(), users.find(nic))));
  }
  for (std::size_t nic = table.gpus; nic < table.names.size(); ++nic) {
    (users.contains(nic) ? topo.nics : topo.unused).push_back(name_of_nic(table, nic));
  }
}

}  // namespace

TopoMatrix parse_topo(std::string_view text, const std::filesystem::path& file) {
  const TopoTable table = read_topo_table(text, file);
  TopoMatrix topo{.gpus = static_cast<int>(table.gpus), .nvlinks = nvlinks_in(table)};
  const bool own_links = topo.nvlinks * (topo.gpus - 1) <= kMostNvlinks;
  topo.kind = own_links ? &fabrics::full_mesh : &fabrics::switched;
  assign_nics(table, topo);
  if (topo.gpus >= 2) return topo;
  throw InputError(
      fmt::format("{}: has fewer than two GPUs; give the matrix of a whole node", table.file));
}

std::string with_topo(const TopoMatrix& topo, std::string_view base_text,
                      const std::filesystem::path& base_file) {
  if (parse_cluster(base_text, base_file).nvlink.kind->bridges) {
    throw InputError(fmt::format(
        "{}: describes nodes without NVLink, which the matrix of `topo` has; start from "
        "a cluster with NVLink",
        printable_path(base_file)));
  }
  const std::string comment = "From nvidia-smi topo -m.";
  std::vector<KeyEdit> edits{{"cluster.gpus_per_node", std::to_string(topo.gpus), comment},
                             {"nvlink.kind", fmt::format("\"{}\"", topo.kind->name), comment}};
  if (!topo.nics.empty()) {
    edits.push_back({"network.nics_per_node", std::to_string(topo.nics.size()), comment});
    edits.push_back({"network.gpu_nic", fmt::format("[{}]", joined(topo.gpu_nic)), comment});
  }
  std::string text = edited_text(base_text, base_file, edits);
  const Cluster read = parse_cluster(text, base_file);
  const bool nics =
      topo.nics.empty() || (read.network.gpu_nic == topo.gpu_nic &&
                            read.network.nics_per_node == static_cast<int>(topo.nics.size()));
  if (read.gpus_per_node == topo.gpus && read.nvlink.kind == topo.kind && nics) return text;
  throw InputError(
      fmt::format("{}: gives [cluster], [nvlink] or [network] without a header; write each key on "
                  "a line of its "
                  "own below the header of its table",
                  printable_path(base_file)));
}

std::vector<std::string> topo_lines(const TopoMatrix& topo, const Cluster& cluster) {
  std::vector<std::string> lines{
      fmt::format("{} GPUs with {} NVLinks between each two: nvlink.kind is {}", topo.gpus,
                  topo.nvlinks, topo.kind->name)};
  if (topo.nics.empty()) {
    lines.emplace_back("no NICs: those of the topology stay");
  } else {
    lines.push_back(fmt::format("{} NICs: {}", topo.nics.size(), joined(topo.nics)));
    lines.push_back(
        fmt::format("NIC of each GPU: {} ({})", joined(topo.gpu_nic), joined(topo.gpu_way)));
  }
  if (!topo.unused.empty()) {
    lines.push_back(fmt::format("left out, as no GPU is nearest to them: {}", joined(topo.unused)));
  }
  // A link's bandwidth per direction: 25 GB/s of NVLink 2 to 4, 50 GB/s of NVLink 5.
  const double per_link = cluster.nvlink.bandwidth.base() / topo.nvlinks / 1e9;
  if (std::abs(per_link - 25) > 1 && std::abs(per_link - 50) > 1) {
    lines.push_back(fmt::format(
        "warning: nvlink.bandwidth is {:.3g} GB/s for each of {} NVLinks, which have 25 or 50; "
        "check the topology",
        per_link, topo.nvlinks));
  }
  return lines;
}

}  // namespace sim::fit
