// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sim/base/toml_reader.hpp"
#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabric_reader.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "sim/topology/pace_reader.hpp"
#include "sim/topology/transport_fields.hpp"

namespace sim {
namespace {

constexpr IntegerRange kNics{.lowest = 1, .highest = 1'024};

int read_count(TomlReader& reader, std::string_view key, const IntegerRange& range) {
  return static_cast<int>(reader.integer(key, range));
}

constexpr IntegerRange kAnyInteger{.lowest = std::numeric_limits<std::int64_t>::min(),
                                   .highest = std::numeric_limits<std::int64_t>::max()};
constexpr const char* kWithoutGpuNic = "remove the key: consecutive GPUs then share a NIC";

// NICs are dealt out in order when the file does not say who uses which: GPU g takes NIC
// g * nics / gpus.
std::vector<int> read_gpu_nic(TomlReader& reader, int gpus, int nics) {
  std::vector<int> result;
  const bool known = reader.is_good("network.nics_per_node");
  if (!reader.has("network.gpu_nic")) {
    for (int g = 0; g < gpus; ++g) result.push_back(g * nics / gpus);
    return result;
  }
  const std::int64_t last = (known ? nics : kNics.highest) - 1;
  for (const std::int64_t nic : reader.integers("network.gpu_nic", kAnyInteger)) {
    if (reader.is_good("network.gpu_nic") && (nic < 0 || nic > last)) {
      reader.wrong("network.gpu_nic",
                   fmt::format("{} is out of range; write a whole number from 0 to {} for each "
                               "GPU, or {}",
                               nic, last, kWithoutGpuNic));
    }
    result.push_back(static_cast<int>(nic));
  }
  if (reader.is_good("network.gpu_nic") && reader.is_good("cluster.gpus_per_node") &&
      result.size() != static_cast<std::size_t>(gpus)) {
    reader.wrong("network.gpu_nic", fmt::format("has {} entries; write one for each of the {} GPUs "
                                                "of a node, or {}",
                                                result.size(), gpus, kWithoutGpuNic));
  }
  return result;
}

template <class Price>
std::optional<Price> read_optional_price(TomlReader& reader, std::string_view key) {
  if (!reader.has(key)) return std::nullopt;
  return reader.quantity<Price>(key, Zero::allowed);
}

Network read_network(TomlReader& reader, int nodes, int gpus_per_node) {
  Network network;
  network.fabric = reader.one_of("network.fabric", all_network_fabrics(),
                                 "a leaf-spine or Clos network is fat_tree_2level");
  network.nics_per_node = read_count(reader, "network.nics_per_node", kNics);
  network.nic_bandwidth = reader.quantity<Bandwidth>("network.nic_bandwidth");
  const auto* transport = read_transport(reader, "network.transport", network_transports());
  const LinkPace simple = *read_pace(reader, "network.", simple_pace(transport), true);
  network.efficiency = simple.efficiency;
  network.latency = simple.latency;
  network.ll = read_pace(reader, "network.ll_", of(transport, &NcclTransport::ll), false);
  network.ll128 = read_pace(reader, "network.ll128_", of(transport, &NcclTransport::ll128), false);
  network.sharp = read_pace(reader, "network.sharp_", std::nullopt, false);
  network.node_price = read_optional_price<DollarRate>(reader, "network.node_price");
  network.port_price = read_optional_price<DollarRate>(reader, "network.port_price");
  network.bandwidth_price = read_optional_price<BandwidthPrice>(reader, "network.bandwidth_price");
  network.gpu_nic = read_gpu_nic(reader, gpus_per_node, network.nics_per_node);
  read_far_gpus(reader, gpus_per_node, network);
  read_fabric(reader, nodes, network);
  if (network.sharp && reader.is_good("network.fabric") &&
      network.fabric->append_way != append_switched_way) {
    reader.wrong("network.sharp_efficiency",
                 fmt::format("switches of a {} do not add; remove the keys `sharp_efficiency` and "
                             "`sharp_latency`, or choose a fabric of switches",
                             network.fabric->name));
  }
  return network;
}

// Settings of [fitted] that come without rows of their own were fitted on none.
std::set<std::string, std::less<>> typed_by_hand(std::span<const Setting> settings) {
  constexpr std::string_view kTable = "fitted.";
  std::set<std::string, std::less<>> typed;
  for (const Setting& setting : settings) {
    if (!setting.key.starts_with(kTable)) continue;
    if (setting.key == "fitted.rows") return {};
    typed.insert(setting.key.substr(kTable.size()));
  }
  return typed;
}

}  // namespace

Gpu power_capped(Gpu gpu, double share) {
  const double clock = std::sqrt(std::min(1.0, share));
  gpu.bf16 = gpu.bf16 * clock;
  if (gpu.fp8) gpu.fp8 = *gpu.fp8 * clock;
  if (gpu.fp4) gpu.fp4 = *gpu.fp4 * clock;
  gpu.fp32 = gpu.fp32 * clock;
  gpu.clock *= clock;
  gpu.power = gpu.power * std::min(1.0, share);
  return gpu;
}

Cluster usual_cluster() {
  Cluster cluster;
  cluster.speed_spread = kSpeedSpread;
  cluster.gpu.host_efficiency = kHostEfficiency;
  return cluster;
}

Cluster parse_cluster(std::string_view text, const std::filesystem::path& file,
                      std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings), cluster_keys());
  Cluster cluster = usual_cluster();
  cluster.name = file.stem().string();
  read_fields(reader, "", file_fields(), cluster);
  read_fields(reader, "cluster", cluster_fields(), cluster);
  read_fields(reader, "gpu", gpu_fields(), cluster.gpu);
  read_fields(reader, "nvlink", nvlink_fields(), cluster.nvlink);
  cluster.network = read_network(reader, cluster.nodes, cluster.gpus_per_node);
  constexpr std::string_view kTransport = "nvlink.transport";
  if (reader.is_good(kTransport)) {
    drive(*reader.one_of(kTransport, nvlink_transports()), cluster.collectives);
  }
  read_fields(reader, "collectives", collectives_fields(), cluster.collectives);
  reader.optional_table("fitted");
  read_fields(reader, "fitted", fitted_fields(), cluster.fitted);
  cluster.fitted.typed = typed_by_hand(settings);
  check_rules(reader, cluster_rules(), cluster);
  reader.finish();
  return cluster;
}

Cluster read_cluster(const std::filesystem::path& file, std::span<const Setting> settings) {
  return parse_cluster(read_input_text(file), file, settings);
}

std::optional<Bandwidth> host_copy_rate(const Cluster& cluster) {
  if (!cluster.gpu.host_bandwidth) return std::nullopt;
  Bandwidth rate = *cluster.gpu.host_bandwidth;
  if (cluster.nvlink.kind == &fabrics::pcie) {
    rate = std::min(rate, cluster.nvlink.bridge_bandwidth / cluster.nvlink.gpus_per_bridge);
  }
  return rate * cluster.gpu.host_efficiency;
}

DollarRate gpu_price(const Cluster& cluster) {
  return cluster.gpu.price * (double{1} * cluster.nodes * cluster.gpus_per_node);
}

DollarRate network_price(const Cluster& cluster) {
  const Network& network = cluster.network;
  const DollarRate port =
      network.port_price.value_or(DollarRate()) +
      network.bandwidth_price.value_or(BandwidthPrice()) * network.nic_bandwidth;
  return (network.node_price.value_or(DollarRate()) + port * network.nics_per_node) * cluster.nodes;
}

double compute_efficiency(const Cluster& cluster) {
  if (cluster.fitted.compute_efficiency) return *cluster.fitted.compute_efficiency;
  return cluster.default_efficiency ? cluster.default_efficiency->efficiency : 1;
}

Cluster data_sheet_only(Cluster cluster) {
  cluster.fitted = {};
  cluster.default_efficiency.reset();
  return cluster;
}

}  // namespace sim
