// SPDX-License-Identifier: Apache-2.0
// The kinds of axis, one per row.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "apps/arguments.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/map/axes.hpp"
#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/search/latencies.hpp"
#include "sim/study/solve/unknowns.hpp"
#include "sim/study/sweep/base_units.hpp"

namespace apps {
namespace {

using sim::InputError;

// --- Values.

AxisValue read_bandwidth(const char* flag, const std::string& text) {
  const auto value = more_than_nothing<sim::Bandwidth>(flag, text, "400 Gbps");
  const double megabits = value.base() * 8 / 1e6;
  const std::string shown =
      megabits < 1000 ? fmt::format("{:g} Mbps", megabits) : sim::gbps_text(value);
  return {text, shown, value.base()};
}

AxisValue read_latency(const char* flag, const std::string& text) {
  const double seconds = quantity_of<sim::Seconds>(flag, text, "5 us").base();
  const std::string shown = seconds < 1e-3 ? fmt::format("{:g} us", seconds * 1e6)
                                           : fmt::format("{:g} ms", seconds * 1e3);
  return {text, shown, seconds};
}

enum class Counted { gpus, nodes, tokens, sites };

template <Counted kind>
AxisValue read_count(const char* flag, const std::string& text) {
  constexpr std::array kWords{"GPUs", "nodes", "tokens", "sites"};
  const char* const what = kWords[static_cast<std::size_t>(kind)];
  const int least = kind == Counted::tokens ? 1 : 2;  // that have a network between them
  const auto counting = kind == Counted::tokens ? sim::Counting::large : sim::Counting::small;
  const auto count = sim::parse_count(text, counting).value;
  if (!count || *count < least) {
    throw InputError(fmt::format("{}: '{}' is not a whole number of {}, at least {}", flag,
                                 sim::printable(text), what, least));
  }
  return {text, fmt::format("{} {}", *count, what), static_cast<double>(*count)};
}

AxisValue read_ratio(const char* flag, const std::string& text) {
  const auto ratio = sim::parse_number(text).value;
  if (!ratio || !(*ratio >= 1 && *ratio <= 1000)) {
    throw InputError(fmt::format("{}: '{}' is not a ratio from 1 to 1000; write e.g. 2", flag,
                                 sim::printable(text)));
  }
  return {text, fmt::format("{:g}:1", *ratio), ratio};
}

AxisValue read_name(const char* flag, const std::string& text) {
  if (text.empty()) throw InputError(fmt::format("{}: a value is empty", flag));
  return {text, text, std::nullopt};
}

// Of any key: its reader says what is wrong with it.
AxisValue read_setting(const char* flag, const std::string& text) {
  AxisValue value = read_name(flag, text);
  value.number = sim::number_in<double>(text);
  const auto quantity = sim::sweep::in_base_units(text);
  if (quantity) value.number = quantity->value;
  return value;
}

// --- What they change.

void set_key(const Axis& axis, const AxisValue& value, CellOptions& options) {
  options.job.settings.push_back(axis.sets + "=" + value.given);
}

void set_model(const Axis&, const AxisValue& value, CellOptions& options) {
  options.job.model = value.given;
}

void set_tokens(const Axis&, const AxisValue& value, CellOptions& options) {
  options.tokens = static_cast<std::int64_t>(*value.number);
}

// As a number of nodes, which are far fewer.
int whole(double number) {
  return static_cast<int>(std::min<double>(number, sim::study::kMostGpus));
}

void set_node_count(const Axis&, const AxisValue& value, CellOptions& options) {
  options.job.nodes = whole(*value.number);
}

void set_gpu_count(const Axis& axis, const AxisValue& value, CellOptions& options) {
  const sim::Cluster all = read_cluster_part(options.job, sort_settings(options.job));
  const int gpus = whole(*value.number), each = all.gpus_per_node, nodes = gpus / each;
  if (gpus % each != 0) {
    throw InputError(fmt::format("{}: {} are no whole nodes of {}; write e.g. {} or {}", axis.flag,
                                 value.text, each, std::max(2, nodes) * each,
                                 std::max(2, nodes + 1) * each));
  }
  options.job.nodes = nodes;
}

// NICs of one cluster are varied by the search itself.
void change_rates(const AxisValue& value, Job& job) {
  const sim::study::Unknown& rates = sim::study::unknown_named("bandwidth");
  rates.set(job, *value.number * 8 / 1e9 / rates.figure(job, 1));
}

// In one cluster the latencies of all protocols and of switches keep their ratio.
void change_latency(const AxisValue& value, Job& job) {
  const auto latency = sim::Seconds::from_base(*value.number);
  if (job.inner) return sim::study::unknown_named("latency").set(job, *value.number);
  sim::Network& network = job.cluster().network;
  if (network.latency.base() > 0) sim::study::scale_latencies(network, latency / network.latency);
  network.latency = latency;
}

}  // namespace

std::span<const AxisRow> axis_rows() {
  using enum Topologies;
  static const std::array rows{
      AxisRow{
          .name = "bandwidth",
          .meaning =
              "bandwidth of a NIC; between sites the lowest rate, with the others in proportion",
          .sets = "network.nic_bandwidth",
          .topologies = all,
          .read = read_bandwidth,
          .change = change_rates,
          .inputs = {"network.nic_bandwidth", "backbone.bandwidth"}},
      AxisRow{.name = "gpus",
              .meaning = "GPUs, as whole nodes",
              .sets = "nodes",
              .topologies = clusters,
              .read = read_count<Counted::gpus>,
              .set = set_gpu_count,
              .inputs = {"nodes", "cluster.nodes"}},
      AxisRow{.name = "nodes",
              .meaning = "nodes",
              .sets = "nodes",
              .topologies = clusters,
              .read = read_count<Counted::nodes>,
              .set = set_node_count,
              .inputs = {"nodes", "cluster.nodes"}},
      AxisRow{.name = "batch",
              .meaning = "tokens per step, as --tokens",
              .sets = "tokens",
              .topologies = all,
              .read = read_count<Counted::tokens>,
              .set = set_tokens,
              .inputs = {"global-batch", "accumulation", "micro-batch"}},
      AxisRow{.name = "model",
              .meaning = "models, as --model",
              .sets = "model",
              .topologies = all,
              .read = read_name,
              .set = set_model,
              .inputs = {"model"}},
      AxisRow{.name = "latency",
              .meaning =
                  "network.latency, with its other latencies in proportion; between sites one way",
              .sets = "network.latency",
              .topologies = all,
              .read = read_latency,
              .change = change_latency,
              .inputs = {"network.latency", "backbone.latency"}},
      AxisRow{.name = "oversubscription",
              .meaning = "downlinks of a leaf switch over its uplinks",
              .sets = "network.oversubscription",
              .topologies = clusters,
              .read = read_ratio,
              .set = set_key,
              .inputs = {"network.oversubscription"}},
      AxisRow{.name = "sites",
              .meaning = "number of sites, where the topology has one table of them",
              .sets = "sites.NAME.count",
              .topologies = sites,
              .read = read_count<Counted::sites>,
              .set = set_key,
              .inputs = {}}};
  return rows;
}

const AxisRow& key_row() {
  static const AxisRow row{.name = "KEY",
                           .meaning = "any key of an input file, as in --set: gpu.memory=40GB,80GB",
                           .sets = "",
                           .topologies = Topologies::all,
                           .read = read_setting,
                           .set = set_key,
                           .inputs = {}};
  return row;
}

std::string axes_text() {
  std::string text;
  const auto add = [&](const AxisRow& row) {
    text += fmt::format("  {:<17} {}\n", row.name, row.meaning);
  };
  std::ranges::for_each(axis_rows(), add);
  add(key_row());
  return text;
}

}  // namespace apps
