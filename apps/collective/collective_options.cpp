// SPDX-License-Identifier: Apache-2.0
#include "apps/collective/collective_options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "apps/arguments.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/calibration_files.hpp"
#include "apps/job/settings.hpp"
#include "apps/job/step_by_step.hpp"
#include "apps/print.hpp"
#include "apps/words.hpp"
#include "codecs/codec.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/collectives/algorithm.hpp"
#include "sim/collectives/asked.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kCollectiveUsage =
    "usage: gardenhose collective NAME --topology NAME [FLAGS]\n\n"
    "Times a collective over a range of sizes: all_gather, reduce_scatter, all_reduce,\n"
    "all_to_all, broadcast (from the first rank) or send_receive (each rank to the next one),\n"
    "over all ranks or over several groups of ranks at once. Sizes and bandwidths are defined as\n"
    "in nccl-tests, so outputs compare directly: size is that of the whole buffer (for\n"
    "all_gather, the result; for all_to_all and send_receive, what each rank sends), algorithm\n"
    "bandwidth is size divided by time, and bus bandwidth is the traffic that must cross a\n"
    "rank's links, divided by time, which is constant on a perfect network. 'Bounded by' names\n"
    "what takes more of the time: latency, or the busiest link with the share of the time in\n"
    "which it is busy.\n\n"
    "--compress compares it with the same collective of encoded values, and finds the size from\n"
    "which the codec pays. --pairs times single messages between every two GPUs instead.\n\n"
    "  gardenhose collective all_reduce --topology dgx_h100_x16 --nodes 2\n"
    "  gardenhose collective all_gather --topology dgx_h100_x16 --split 8 --begin \"1 MiB\"\n"
    "  gardenhose collective all_reduce --topology roce_a100_2to1 --compress int8_g128\n"
    "  gardenhose collective --pairs \"64 MiB\" --topology dgx_h100_x16 --nodes 2\n"
    "  gardenhose collective all_to_all --topology gb200_nvl72 --format csv \\\n"
    "    | plots/bus_bandwidth.py > bus.svg\n";

sim::Bytes size_of(const char* flag, const std::string& text) {
  const auto size = quantity_of<sim::Bytes>(flag, text, "1024 B");
  if (size.count < 1) throw InputError(fmt::format("{}: is less than 1 byte", flag));
  return size;
}

std::vector<std::string> codec_names() { return row_names(codecs::all_codecs()); }

void add_codec_flags(po::options_description& flags, CollectiveOptions& o) {
  auto add = flags.add_options();
  flags.add(flag(
      "compress", po::value(&o.codec),
      "codec to encode values with before they are exchanged: a name (see gardenhose list codecs) "
      "or a card's file",
      {.first_day = true, .values = codec_names}));
  add("precision", po::value<std::string>()->default_value("bf16"),
      "bf16|fp32: precision of the uncompressed values, for --compress");
  flags.add(flag("calibration", po::value(&o.job.calibration)->default_value("auto"),
                 kCalibrationHelp, {.values = calibration_names}));
  add("pairs", po::value<std::string>(),
      "instead of a collective, time a message of this size from each GPU to each other one");
  add("at-once", po::bool_switch(&o.at_once),
      "for --pairs: all GPUs send at once, each to the one so many ranks further on");
}

std::vector<std::string> collective_names() { return row_names(sim::all_collectives()); }

po::options_description collective_flags(CollectiveOptions& o) {
  po::options_description flags("Setup");
  auto add = flags.add_options();
  flags.add(flag("collective", po::value(&o.name),
                 "all_gather, reduce_scatter, all_reduce, all_to_all, broadcast or send_receive",
                 {.first_day = true, .values = collective_names}));
  flags.add(flag("topology", po::value(&o.job.topology)->required(),
                 "cluster: a shipped name (see gardenhose list) or a file",
                 {.first_day = true, .values = cluster_names}));
  flags.add(flag("nodes", count("--nodes", o.job.nodes), "use only this many nodes (default: all)",
                 {.first_day = true}));
  add("gpus-per-node", count("--gpus-per-node", o.job.gpus_per_node),
      "use only this many GPUs per node (default: all)");
  add("node-placement", po::value(&o.job.node_placement)->default_value(o.job.node_placement),
      kNodePlacementHelp);
  add("traffic", po::value(&o.job.traffic), kTrafficHelp);
  add("split", count("--split", o.split),
      "number of groups that run at once; ranks are assigned to them in turn: with 8 GPUs per "
      "node, --split 8 gives the data-parallel groups of --tp 8 (NCCL_TESTS_SPLIT=\"%8\")");
  flags.add(flag("begin", po::value<std::string>()->default_value("8 B"), "smallest size",
                 {.first_day = true}));
  flags.add(flag("end", po::value<std::string>()->default_value("8 GiB"), "largest size",
                 {.first_day = true}));
  add("factor", count("--factor", o.factor), "ratio of each size to the previous one (default: 2)");
  flags.add(
      flag("algorithm", po::value(&o.job.algorithm), kAlgorithmHelp, {.values = algorithm_names}));
  flags.add(
      flag("protocol", po::value(&o.job.protocol), kProtocolHelp, {.values = protocol_names}));
  flags.add(flag("nccl", po::value(&o.job.nccl), kNcclHelp, {.values = nccl_names}));
  add_codec_flags(flags, o);
  add("step-by-step", po::bool_switch(&o.job.step_by_step), kStepByStepHelp);
  add("set", po::value(&o.job.settings)->composing(),
      "KEY=VALUE: set any key of the topology's file, e.g. network.nic_bandwidth=\"200 Gbps\"");
  flags.add(format_flag(o.format));
  return flags;
}

// A flag that another mode ignores is refused where it was given.
void check_given(const CollectiveOptions& o, const std::set<std::string>& given) {
  constexpr std::string_view kOfCollectives[] = {"split",  "begin",        "end",
                                                 "factor", "algorithm",    "protocol",
                                                 "nccl",   "step-by-step", "precision"};
  for (const std::string_view flag : kOfCollectives) {
    if (o.pairs_message.count == 0 || !given.contains(std::string(flag))) continue;
    throw InputError(fmt::format("--{}: applies to a collective, not --pairs", flag));
  }
  if (o.codec.empty() && given.contains("precision")) {
    throw InputError("--precision: needs --compress");
  }
}

void check_mode(const CollectiveOptions& o) {
  const bool pairs = o.pairs_message.count > 0;
  if (pairs && !o.name.empty()) {
    throw InputError("--pairs: times messages instead of a collective; leave one of both out");
  }
  if (pairs && !o.codec.empty())
    throw InputError("--compress: applies to a collective, not --pairs");
  if (!pairs && o.at_once) throw InputError("--at-once: needs --pairs");
  if (pairs || !o.name.empty()) return;
  throw InputError(
      "gardenhose collective: NAME is missing; write e.g. gardenhose collective all_reduce "
      "--topology dgx_h100_x16 --nodes 2");
}

}  // namespace

std::optional<CollectiveOptions> parse_collective(const Arguments& arguments) {
  CollectiveOptions o;
  po::options_description flags = collective_flags(o);
  const auto parsed = parse_arguments(arguments, kCollectiveUsage, flags, {{"collective"}});
  if (!parsed) return std::nullopt;
  const po::variables_map& values = *parsed;
  check_format(o.format);
  o.begin = size_of("--begin", values["begin"].as<std::string>());
  o.end = size_of("--end", values["end"].as<std::string>());
  if (o.end < o.begin) throw InputError("--end: is less than --begin");
  if (values.contains("pairs")) {
    o.pairs_message = size_of("--pairs", values["pairs"].as<std::string>());
  }
  o.value_bytes =
      bytes_of(sim::chosen("--precision", values["precision"].as<std::string>(), sim::kPrecisions));
  check_mode(o);
  check_given(o, names_given(flags, values));
  check_topology_settings(o.job);
  if (o.factor < 2) throw InputError("--factor: is less than 2");
  return o;
}

std::vector<double> sizes_of(const CollectiveOptions& options) {
  std::vector<double> sizes;
  for (std::int64_t size = options.begin.count;; size *= options.factor) {
    sizes.push_back(static_cast<double>(size));
    if (size > options.end.count / options.factor) return sizes;
  }
}

RankGroups groups_of(const sim::Cluster& cluster, int split) {
  const int ranks = rank_count(cluster);
  if (ranks < 2) {
    throw InputError(fmt::format(
        "--topology: {} has one GPU here, but a collective needs two or more; give more of them "
        "with --nodes or --gpus-per-node",
        cluster.name));
  }
  if (ranks % split != 0 || ranks / split < 2) {
    throw InputError(fmt::format(
        "--split: {} GPUs do not divide into {} equal groups of two or more", ranks, split));
  }
  RankGroups groups(static_cast<std::size_t>(split));
  for (int rank = 0; rank < ranks; ++rank) {
    groups[static_cast<std::size_t>(rank % split)].push_back(rank);
  }
  return groups;
}

void check_algorithm(const CollectiveOptions& options, const sim::CollectiveRow& row) {
  const std::string& text = options.job.algorithm;
  if (text.empty() || text == sim::kFastest || sim::is_nccl_list(text)) return;
  static_cast<void>(sim::algorithm_named(text, "--algorithm", row.collective));
}

std::map<std::string, std::string> check_asked(const sim::Topology& topology,
                                               const RankGroups& groups,
                                               const sim::Uses& collectives) {
  std::vector<sim::GroupUse> uses;
  for (const std::vector<int>& ranks : groups) {
    add_uses(topology.cluster(), ranks, collectives, uses);
  }
  sim::AskedOutcome outcome = asked_outcome(topology, uses);
  if (!outcome.refusals.empty()) {
    throw InputError(with_flags(sim::joined(outcome.refusals, "\n")));
  }
  for (const std::string& line : outcome.exceptions) {
    print_note("warning: {}\n", with_flags(line));
  }
  return std::move(outcome.takers);
}

std::string placement_text(const sim::Cluster& cluster) {
  const std::string placement = placement_name(cluster);
  return placement.empty() ? "" : fmt::format("; nodes: {}", sim::printable(placement));
}

void add_placement(const sim::Cluster& cluster, nlohmann::ordered_json& record) {
  const std::string placement = placement_name(cluster);
  if (!placement.empty()) record["node_placement"] = placement;
}

std::string groups_text(const sim::Cluster& cluster, const RankGroups& groups) {
  const std::string times = groups.size() == 1 ? "" : fmt::format("{} times ", groups.size());
  return fmt::format("{}: {}{} GPUs{}", cluster.name, times, groups.front().size(),
                     placement_text(cluster));
}

std::optional<sim::Detail> detail_of(const CollectiveOptions& options,
                                     const sim::CollectiveRow& row, const sim::Cluster& cluster,
                                     const RankGroups& groups) {
  if (!options.job.step_by_step) return std::nullopt;
  const std::vector<double> sizes = sizes_of(options);
  check_step_by_step(
      schedule_of(row, cluster, groups, sizes.back(), sim::Detail::folded).unfolded_flows,
      static_cast<double>(sizes.size()));
  return sim::Detail::step_by_step;
}

}  // namespace apps
