// SPDX-License-Identifier: Apache-2.0
#include "apps/job/topology_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/listed.hpp"
#include "sim/collectives/nccl/group.hpp"
#include "sim/study/job.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "sim/topology/nic_rates.hpp"
#include "sim/topology/topology.hpp"

namespace apps {
namespace {

using sim::InputError;

// Of one cluster or of several sites.
std::filesystem::path topology_file(const std::string& name) {
  for (const auto& file : shipped_files(Kind::wide_area)) {
    if (file.stem() == name) return file;
  }
  return data_file(Kind::topology, name);
}

void refuse_site_flags(const JobOptions& options) {
  const JobOptions usual;
  const auto refuse = [&](const char* flag, bool given, const char* instead) {
    if (!given) return;
    throw InputError(fmt::format("{}: applies to several sites, but {} is one cluster; {}", flag,
                                 options.topology, instead));
  };
  refuse("--deadline", !options.deadline.empty(), "leave it out");
  refuse("--inner-scheme", options.inner_scheme != usual.inner_scheme,
         "choose its scheme with --scheme");
  refuse("--balance", options.balance != usual.balance, "leave it out");
}

void refuse_cluster_flags(const JobOptions& options) {
  if (options.nodes != 0 || options.gpus_per_node != 0) {
    throw InputError(fmt::format("{}: the sites of {} differ; write --set sites.NAME.nodes=N",
                                 options.nodes != 0 ? "--nodes" : "--gpus-per-node",
                                 options.topology));
  }
  if (options.node_placement != JobOptions{}.node_placement) {
    throw InputError(
        "--node-placement: applies to one cluster; the nodes of a site are its first ones");
  }
  if (!options.traffic.empty()) {
    throw InputError("--traffic: applies to one cluster; run it on a single site's cluster");
  }
  if (options.step_by_step) {
    throw InputError("--step-by-step: applies to one cluster; run it on a single site's cluster");
  }
  if (!options.nccl.empty()) {
    throw InputError("--nccl: applies to one cluster; write collectives.nccl in the sites' files");
  }
}

// Places the job's nodes, of which a list says how many there are unless --nodes does.
sim::NodePlacement nodes_placed(const std::string& text) {
  constexpr const char* kFlag = "--node-placement";
  std::error_code none;
  if (!std::filesystem::is_regular_file(text, none)) {
    if (text.find_first_of("/.") == std::string::npos) return sim::node_placement_of(text, kFlag);
    throw InputError(fmt::format(
        "{}: there is no file '{}'; name one with a list of nodes, or write the list, e.g. 0-3,8",
        kFlag, sim::printable(text)));
  }
  return sim::listed_nodes(sim::read_input_text(text), text);
}

void check_placement(const sim::Cluster& cluster) {
  try {
    static_cast<void>(sim::places_of(cluster));
  } catch (const InputError& error) {
    throw InputError(fmt::format("--node-placement: {}", error.what()));
  }
}

void add_traffic(const std::string& file, sim::Cluster& cluster) {
  if (file.empty()) return;
  cluster.traffic = sim::read_traffic(file);
  static_cast<void>(sim::traffic_places(cluster));  // that they are there
}

void use_algorithm(const JobOptions& options, sim::Cluster& cluster) {
  if (!options.algorithm.empty()) {
    sim::ask_algorithm(options.algorithm, "--algorithm", cluster.collectives);
  }
  if (!options.protocol.empty()) {
    sim::ask_protocol(options.protocol, "--protocol", cluster.collectives);
  }
}

}  // namespace

bool is_wide_area(const std::string& name) {
  return sim::has_sites(sim::read_input_text(topology_file(name)));
}

void require_cluster(const std::string& name, const char* because) {
  if (!is_wide_area(name)) return;
  throw InputError(fmt::format("--topology: {} describes several sites; {}", name, because));
}

sim::WideArea read_wide_area(const std::string& name, const std::vector<sim::Setting>& settings) {
  const std::filesystem::path file = topology_file(name);
  const auto cluster_file = [&](const std::string& cluster) {
    return cluster_of_site(file.parent_path(), cluster);
  };
  return sim::parse_wide_area(sim::read_input_text(file), file, cluster_file, settings);
}

sim::Cluster read_cluster_part(const JobOptions& options, const SortedSettings& sorted) {
  sim::Cluster cluster =
      sim::read_cluster(data_file(Kind::topology, options.topology), sorted.topology);
  const auto part = [&](const char* flag, int given, int available, const char* what) {
    if (given == 0) return available;
    if (given > available) {
      throw InputError(fmt::format("{}: {} is more than the {} {} of {}", flag, given, available,
                                   what, cluster.name));
    }
    return given;
  };
  if (cluster.collectives.nccl && !sim::nccl::compute_capability(cluster.gpu.name)) {
    throw InputError(fmt::format("{}: NCCL's tuner is not known for the {} of {}; leave it out",
                                 options.nccl.empty() ? "collectives.nccl" : "--nccl",
                                 cluster.gpu.name, cluster.name));
  }
  cluster.placement = nodes_placed(options.node_placement);
  const auto listed = static_cast<int>(cluster.placement.listed.size());
  const int nodes = options.nodes == 0 && listed > 0
                        ? part("--node-placement", listed, cluster.nodes, "nodes")
                        : part("--nodes", options.nodes, cluster.nodes, "nodes");
  const int gpus =
      part("--gpus-per-node", options.gpus_per_node, cluster.gpus_per_node, "GPUs of a node");
  use_algorithm(options, cluster);
  cluster = sim::part_of(std::move(cluster), nodes, gpus);
  check_placement(cluster);
  add_traffic(options.traffic, cluster);
  return cluster;
}

void warn_of_unused_nics(const JobOptions& options, const sim::Cluster& part) {
  const std::vector<int>& nics = part.network.gpu_nic;
  const auto used = std::set<int>(nics.begin(), nics.end()).size();
  const int all = part.network.nics_per_node;
  const bool counts_nics = sets(options, "network.nics_per_node");
  if (options.gpus_per_node == 0 || !counts_nics || used == static_cast<std::size_t>(all)) return;
  print_note(
      "warning: --gpus-per-node: {0} GPUs of a whole node reach {1} of its {2} NICs; for nodes of "
      "{0} GPUs with {2} NICs, write --set cluster.gpus_per_node={0} instead\n",
      part.gpus_per_node, used, all);
}

void warn_of_unbuilt_nics(const JobOptions& options, const sim::Cluster& cluster) {
  constexpr std::string_view kKey = "network.nic_bandwidth";
  if (!sets(options, kKey)) return;
  std::vector<sim::Setting> others = sort_settings(options).topology;
  std::erase_if(others, [&](const sim::Setting& one) { return one.key == kKey; });
  const sim::Cluster file = sim::read_cluster(data_file(Kind::topology, options.topology), others);
  const std::string why = why_not_built(file, cluster.network.nic_bandwidth);
  if (!why.empty()) print_note("warning: --set {}: {}\n", kKey, why);
}

sim::WideArea read_topology(const JobOptions& options, const SortedSettings& settings) {
  if (is_wide_area(options.topology)) {
    refuse_cluster_flags(options);
    sim::WideArea area = read_wide_area(options.topology, settings.topology);
    for (sim::Site& site : area.sites) use_algorithm(options, site.cluster);
    return area;
  }
  refuse_site_flags(options);
  return sim::study::area_of(read_cluster_part(options, settings));
}

}  // namespace apps
