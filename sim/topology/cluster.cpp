// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/cluster.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/toml_reader.hpp"
#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/nccl_transports.hpp"
#include "sim/topology/transport_fields.hpp"

namespace sim {
namespace {

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

// NICs are dealt out in order when the file does not say who uses which: GPU g takes NIC
// g * nics / gpus.
void fill_gpu_nic(Cluster& cluster) {
  Network& network = cluster.network;
  if (!network.gpu_nic.empty()) return;
  for (int g = 0; g < cluster.gpus_per_node; ++g) {
    network.gpu_nic.push_back(g * network.nics_per_node / cluster.gpus_per_node);
  }
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

std::span<const TomlKey> cluster_keys() {
  const Cluster usual = usual_cluster();
  static const KeyTable table = KeyTable()
                                    .add("", file_fields(), usual)
                                    .add("cluster", cluster_fields(), usual)
                                    .add("gpu", gpu_fields(), usual.gpu)
                                    .add("nvlink", nvlink_fields(), usual.nvlink)
                                    .add("network", network_fields(), usual.network)
                                    .add("collectives", collectives_fields(), usual.collectives)
                                    .add("host", host_fields(), usual.host)
                                    .add("fitted", fitted_fields(), usual.fitted);
  return table.keys();
}

namespace {

bool names_nccl(TomlReader& reader) {
  constexpr std::string_view kKey = "collectives.nccl";
  constexpr std::span<const EnumName<std::optional<NcclVersion>>> kNames = kNcclNames;
  return reader.is_good(kKey) && reader.one_of(kKey, kNames).has_value();
}

}  // namespace

Cluster parse_cluster(std::string_view text, const std::filesystem::path& file,
                      std::span<const Setting> settings) {
  TomlReader reader(parse_toml(text, file, settings), cluster_keys());
  Cluster cluster = usual_cluster();
  cluster.name = file.stem().string();
  read_fields(reader, "", file_fields(), cluster);
  read_fields(reader, "cluster", cluster_fields(), cluster);
  read_fields(reader, "gpu", gpu_fields(), cluster.gpu);
  const bool by_channels = names_nccl(reader);
  cluster.nvlink.by_channels = cluster.network.by_channels = by_channels;
  cluster.collectives.by_channels = by_channels;
  read_fields(reader, "nvlink", nvlink_fields(), cluster.nvlink);
  read_fields(reader, "network", network_fields(), cluster.network);
  constexpr std::string_view kTransport = "nvlink.transport";
  if (reader.is_good(kTransport)) {
    drive(*reader.one_of(kTransport, nvlink_transports()), cluster.collectives);
  }
  read_fields(reader, "collectives", collectives_fields(), cluster.collectives);
  reader.optional_table("fitted");
  read_fields(reader, "host", host_fields(), cluster.host);
  read_fields(reader, "fitted", fitted_fields(), cluster.fitted);
  cluster.fitted.typed = typed_by_hand(settings);
  check_rules(reader, "", cluster_rules(), cluster);
  check_rules(reader, "", dragonfly_rules(), cluster);
  reader.finish();
  fill_gpu_nic(cluster);
  fill_dragonfly(cluster);
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
