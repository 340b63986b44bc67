// SPDX-License-Identifier: Apache-2.0
// bom: the bill of materials of a cluster's network.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/data_files.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/topology/bill.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/ranks.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using BomJson = nlohmann::ordered_json;

constexpr const char* kBomUsage =
    "usage: gardenhose bom --topology NAME [--parts FILE] [FLAGS]\n\n"
    "Counts the switches, transceivers and cables that a cluster's network needs, tier by tier,\n"
    "and adds up their prices and watts. Counts follow from the topology's [network]; switch\n"
    "ports, prices and watts from a file of parts. No vendor quoted the shipped ones, which\n"
    "are round numbers of the right size: copy traces/network_parts.toml and put in your "
    "quotes.\n\n"
    "  gardenhose bom --topology dgx_h100_x128\n"
    "  gardenhose bom --topology meta_llama3_h100 --parts mine.toml --format csv\n"
    "  gardenhose bom --topology dgx_h100_x128 --set network.oversubscription=2\n";

struct BomOptions {
  JobOptions job;
  std::string parts, format;
};

std::optional<BomOptions> parse_bom(const Arguments& arguments) {
  BomOptions o;
  po::options_description flags("Setup");
  auto add = flags.add_options();
  flags.add(flag("topology", po::value(&o.job.topology)->required(),
                 "cluster: a shipped name (see gardenhose list) or a file",
                 {.values = cluster_names}));
  add("nodes", count("--nodes", o.job.nodes), "use only this many nodes (default: all)");
  add("parts", po::value(&o.parts),
      "file of switch ports, prices and watts (default: traces/network_parts.toml)");
  add("set", po::value(&o.job.settings)->composing(),
      "KEY=VALUE: set any key of the topology's file, e.g. network.oversubscription=2");
  flags.add(format_flag(o.format));
  if (!parse_arguments(arguments, kBomUsage, flags)) return std::nullopt;
  check_format(o.format);
  check_topology_settings(o.job);
  return o;
}

std::string dollars_text(sim::Dollars value) { return fmt::format("{:.0f}", value.base()); }
std::string watts_text(sim::Watts value) { return fmt::format("{:.0f}", value.base()); }

// That the network joins.
std::int64_t fabric_gpus(const sim::Cluster& cluster, const sim::Bill& bill) {
  return bill.nodes * cluster.gpus_per_node;
}

sim::TextTable bill_table(const sim::Bill& bill, std::int64_t gpus) {
  sim::TextTable table{.labels = 2, .align = "<<"};
  table.rows.push_back(
      sim::heading_row({"part", "where", "count", "USD each", "USD", "W each", "W"}));
  for (const sim::BillLine& line : bill.lines) {
    table.rows.push_back({line.part, line.place, fmt::format("{}", line.count),
                          dollars_text(line.each.price), dollars_text(line.price()),
                          watts_text(line.each.power), watts_text(line.power())});
  }
  const auto total = [&](const char* what, double share) {
    table.rows.push_back({what, "", "", "", dollars_text(bill.price() * share), "",
                          watts_text(bill.power() * share)});
  };
  table.rows.emplace_back();
  total("total", 1);
  total("per GPU", 1.0 / static_cast<double>(gpus));
  return table;
}

std::vector<BomJson> bill_records(const sim::Bill& bill) {
  std::vector<BomJson> records;
  for (const sim::BillLine& line : bill.lines) {
    records.push_back({{"part", line.part},
                       {"where", line.place},
                       {"count", line.count},
                       {"price_each_USD", line.each.price.base()},
                       {"price_USD", line.price().base()},
                       {"power_each_W", line.each.power.base()},
                       {"power_W", line.power().base()}});
  }
  return records;
}

BomJson bill_json(const sim::Cluster& cluster, const sim::NetworkParts& parts,
                  const sim::Bill& bill) {
  const std::int64_t all_gpus = fabric_gpus(cluster, bill);
  const auto gpus = static_cast<double>(all_gpus);
  return {{"topology", cluster.name},
          {"nodes", cluster.nodes},
          {"gpus", rank_count(cluster)},
          {"fabric", cluster.network.fabric->name},
          {"fabric_nodes", bill.nodes},
          {"fabric_gpus", all_gpus},
          {"parts", parts.name},
          {"cables_per_switch", bill.radix},
          {"switch_ports", bill.ports},
          {"switch_ports_used", bill.ports_used},
          {"price_USD", bill.price().base()},
          {"price_per_gpu_USD", bill.price().base() / gpus},
          {"power_W", bill.power().base()},
          {"power_per_gpu_W", bill.power().base() / gpus},
          {"lines", bill_records(bill)}};
}

void print_bill(const sim::Cluster& cluster, const sim::NetworkParts& parts,
                const sim::Bill& bill) {
  print_text("# network of {}: {} nodes of {} NICs of {}, {}, parts of {}\n", cluster.name,
             cluster.nodes, cluster.network.nics_per_node,
             sim::to_text(cluster.network.nic_bandwidth), cluster.network.fabric->name, parts.name);
  if (bill.lines.empty()) {
    print_text("one node needs no network\n");
    return;
  }
  const std::int64_t gpus = fabric_gpus(cluster, bill);
  if (bill.nodes != cluster.nodes) {
    print_text(
        "# the fabric is that of all {} nodes; prices and watts per GPU are over their {} GPUs\n",
        bill.nodes, gpus);
  }
  print_styled(to_text(bill_table(bill, gpus), output_width()));
  print_text("\nports in use: {} of {}\n", bill.ports_used, bill.ports);
}

}  // namespace

int bom_command(const Arguments& arguments) {
  const auto options = parse_bom(arguments);
  if (!options) return 0;
  require_cluster(options->job.topology, "a bill of materials is of one cluster's network");
  const sim::Cluster cluster = read_cluster_part(options->job, sort_settings(options->job));
  const sim::NetworkParts parts = sim::read_network_parts(
      options->parts.empty() ? network_parts_file() : std::filesystem::path(options->parts));
  const sim::Bill bill = bill_of(cluster, parts);
  if (options->format == "table") print_bill(cluster, parts, bill);
  print_records(options->format, bill_json(cluster, parts, bill), bill_records(bill));
  return 0;
}

}  // namespace apps
