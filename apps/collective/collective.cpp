// SPDX-License-Identifier: Apache-2.0
// collective: one collective over sizes, in the columns of nccl-tests.
#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/collective/bound.hpp"
#include "apps/commands.hpp"
#include "apps/job/step_by_step.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/collectives/collective_rows.hpp"
#include "sim/engine/simulate.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using Json = nlohmann::ordered_json;
using sim::InputError;

constexpr const char* kUsage =
    "usage: gardenhose collective NAME --topology NAME [FLAGS]\n\n"
    "Times a collective over a range of sizes: all_gather, reduce_scatter, all_reduce, "
    "all_to_all,\n"
    "broadcast (from the first rank) or send_receive (each rank to the next one), over all ranks "
    "or\n"
    "over several groups of ranks at once. Sizes and bandwidths are defined as in nccl-tests, so\n"
    "outputs compare directly: size is that of the whole buffer (for all_gather, the result; for\n"
    "all_to_all and send_receive, what each rank sends), algorithm bandwidth is size divided by "
    "time, and bus bandwidth is\n"
    "the traffic that must cross a rank's links, divided by time, which is constant on a perfect\n"
    "network. 'Bounded by' names what takes more of the time: latency, or the busiest link with\n"
    "the share of the time in which it is busy.\n\n"
    "  gardenhose collective all_reduce --topology dgx_h100_x16 --nodes 2\n"
    "  gardenhose collective all_gather --topology dgx_h100_x16 --split 8 --begin \"1 MiB\"\n"
    "  gardenhose collective all_to_all --topology gb200_nvl72 --format csv \\\n"
    "    | plots/bus_bandwidth.py > bus.svg\n";

constexpr sim::Buffers kBuffers = sim::Buffers::out_of_place;  // nccl-tests' first columns

struct CollectiveOptions {
  JobOptions job;
  std::string name, format;
  sim::Bytes begin, end;
  int factor = 2, split = 1;
};

// Measured by nccl-tests' names, a row each.
struct Timing {
  std::int64_t size_bytes = 0;
  std::string_view algorithm, protocol;
  double time_s = 0, algorithm_Bps = 0, bus_Bps = 0;
  CollectiveBound bound;
};

sim::Bytes size_of(const char* flag, const std::string& text) {
  const auto size = quantity_of<sim::Bytes>(flag, text, "1024 B");
  if (size.count < 1) throw InputError(fmt::format("{}: is less than 1 byte", flag));
  return size;
}

po::options_description collective_flags(CollectiveOptions& o) {
  po::options_description flags("Setup");
  auto add = flags.add_options();
  add("collective", po::value(&o.name)->required(),
      "all_gather, reduce_scatter, all_reduce, all_to_all, broadcast or send_receive");
  add("topology", po::value(&o.job.topology)->required(),
      "cluster: a shipped name (see gardenhose list) or a file");
  add("nodes", count("--nodes", o.job.nodes), "use only this many nodes (default: all)");
  add("gpus-per-node", count("--gpus-per-node", o.job.gpus_per_node),
      "use only this many GPUs per node (default: all)");
  add("node-placement", po::value(&o.job.node_placement)->default_value(o.job.node_placement),
      kNodePlacementHelp);
  add("split", count("--split", o.split),
      "number of groups that run at once; ranks are assigned to them in turn: with 8 GPUs per "
      "node, --split 8 gives the data-parallel groups of --tp 8 (NCCL_TESTS_SPLIT=\"%8\")");
  add("begin", po::value<std::string>()->default_value("8 B"), "smallest size");
  add("end", po::value<std::string>()->default_value("8 GiB"), "largest size");
  add("factor", count("--factor", o.factor), "ratio of each size to the previous one (default: 2)");
  add("algorithm", po::value(&o.job.algorithm), kAlgorithmHelp);
  add("protocol", po::value(&o.job.protocol), kProtocolHelp);
  add("step-by-step", po::bool_switch(&o.job.step_by_step), kStepByStepHelp);
  add("set", po::value(&o.job.settings)->composing(),
      "KEY=VALUE: set any key of the topology's file, e.g. network.nic_bandwidth=\"200 Gbps\"");
  add("format", po::value(&o.format)->default_value("table"), "table|json|csv");
  return flags;
}

std::optional<CollectiveOptions> parse(const Arguments& arguments) {
  CollectiveOptions o;
  po::options_description flags = collective_flags(o);
  const auto values = parse_arguments(arguments, kUsage, flags, {{"collective"}});
  if (!values) return std::nullopt;
  check_format(o.format);
  o.begin = size_of("--begin", (*values)["begin"].as<std::string>());
  o.end = size_of("--end", (*values)["end"].as<std::string>());
  if (o.end < o.begin) throw InputError("--end: is less than --begin");
  const SortedSettings settings = sort_settings(o.job);
  for (const auto* other : {&settings.model, &settings.scheme}) {
    if (!other->empty()) {
      throw InputError(fmt::format("--set: {} is not a key of a topology", other->front().key));
    }
  }
  if (o.factor < 2) throw InputError("--factor: is less than 2");
  return o;
}

// Rank r is of group r mod `split`.
std::vector<std::vector<int>> groups_of(const sim::Cluster& cluster, int split) {
  const int ranks = rank_count(cluster);
  if (ranks % split != 0 || ranks / split < 2) {
    throw InputError(fmt::format(
        "--split: {} GPUs do not divide into {} equal groups of two or more", ranks, split));
  }
  std::vector<std::vector<int>> groups(static_cast<std::size_t>(split));
  for (int rank = 0; rank < ranks; ++rank) {
    groups[static_cast<std::size_t>(rank % split)].push_back(rank);
  }
  return groups;
}

std::vector<Timing> timings_of(const CollectiveOptions& options, const sim::CollectiveRow& row,
                               const sim::Cluster& cluster,
                               const std::vector<std::vector<int>>& groups) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = options.begin.count;; size *= options.factor) {
    sizes.push_back(size);
    if (size > options.end.count / options.factor) break;
  }
  const sim::Topology topology(cluster);
  const sim::CollectiveAlgorithm* asked =
      options.job.algorithm.empty()
          ? nullptr
          : sim::algorithm_named(options.job.algorithm, "--algorithm", row.collective);
  sim::Detail detail = sim::Detail::folded;
  if (options.job.step_by_step) {
    check_step_by_step(
        schedule_of(row, cluster, groups, static_cast<double>(sizes.back()), detail).unfolded_flows,
        static_cast<double>(sizes.size()));
    detail = sim::Detail::step_by_step;
  }
  const double share = row.sent_share(static_cast<int>(groups.front().size()));
  Progress progress("simulating sizes", static_cast<int>(sizes.size()));
  std::vector<Timing> timings;
  for (const std::int64_t size : sizes) {
    progress.step();
    const auto bytes = static_cast<double>(size);
    const sim::LoneCollective alone = run_alone(row, topology, groups, bytes, detail, kBuffers);
    if (asked != nullptr && alone.algorithm != asked->name) {
      throw InputError(
          fmt::format("--algorithm: {} cannot run over these {} GPUs of {}; choose auto",
                      asked->name, groups.front().size(), cluster.name));
    }
    const sim::Wiring wiring = wire(alone.schedule, topology);
    const sim::Timeline timeline = simulate(alone.schedule, wiring);
    const double time_s = timeline.makespan_s;
    timings.push_back({size, alone.algorithm, alone.protocol, time_s, bytes / time_s,
                       share * bytes / time_s, bound_of(alone, wiring, timeline)});
  }
  return timings;
}

std::string table_of(const std::vector<Timing>& timings) {
  std::string text = fmt::format(
      "{0:>14} {1:>12} {2:>12} {3:>12}  {4:<9}  protocol  bounded by\n"
      "{5:>14} {6:>12} {7:>12} {7:>12}  {8:<9}            (share of time)\n",
      "size", "time", "algbw", "busbw", "algorithm", "(B)", "(us)", "(GB/s)", "");
  for (const Timing& timing : timings) {
    text +=
        fmt::format("{:>14} {:>12.2f} {:>12.3f} {:>12.3f}  {:<9}  {:<8}  {}\n", timing.size_bytes,
                    timing.time_s * 1e6, timing.algorithm_Bps / 1e9, timing.bus_Bps / 1e9,
                    timing.algorithm, timing.protocol, timing.bound.text());
  }
  return text;
}

std::vector<Json> records_of(const CollectiveOptions& options, const sim::Cluster& cluster,
                             const std::vector<Timing>& timings) {
  std::vector<Json> records;
  for (const Timing& timing : timings) {
    Json& record = records.emplace_back(Json{{"collective", options.name},
                                             {"topology", cluster.name},
                                             {"gpus", rank_count(cluster)},
                                             {"groups", options.split},
                                             {"size_bytes", timing.size_bytes},
                                             {"time_s", timing.time_s},
                                             {"algorithm_bandwidth_Bps", timing.algorithm_Bps},
                                             {"bus_bandwidth_Bps", timing.bus_Bps},
                                             {"algorithm", timing.algorithm},
                                             {"protocol", timing.protocol},
                                             {"bounded_by", timing.bound.name()},
                                             {"latency_share", timing.bound.latency_share},
                                             {"busiest_link", timing.bound.link.link},
                                             {"busiest_link_set_by", timing.bound.link.set_by},
                                             {"busiest_link_busy_share", timing.bound.link.busy},
                                             {"links_as_busy", timing.bound.link.as_busy}});
    const std::string placement = placement_name(cluster);
    if (!placement.empty()) record["node_placement"] = placement;
  }
  return records;
}

}  // namespace

int collective_command(const Arguments& arguments) {
  const auto options = parse(arguments);
  if (!options) return 0;
  const sim::CollectiveRow& row = sim::collective_named(options->name);
  require_cluster(options->job.topology, "a collective runs on one cluster");
  const sim::Cluster cluster = read_cluster_part(options->job, sort_settings(options->job));
  const auto groups = groups_of(cluster, options->split);
  const std::vector<Timing> timings = timings_of(*options, row, cluster, groups);
  if (options->format == "table") {
    const std::string at_once = groups.size() == 1 ? "" : fmt::format("{} times ", groups.size());
    const std::string placement = placement_name(cluster);
    const std::string placed =
        placement.empty() ? "" : fmt::format("; nodes: {}", sim::printable(placement));
    print_text("# {} on {}: {}{} GPUs{}\n{}", options->name, cluster.name, at_once,
               groups.front().size(), placed, table_of(timings));
  }
  print_records(options->format, records_of(*options, cluster, timings));
  return 0;
}

}  // namespace apps
