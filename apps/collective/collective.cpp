// SPDX-License-Identifier: Apache-2.0
// collective: one collective over sizes, in the columns of nccl-tests.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apps/collective/bound.hpp"
#include "apps/collective/collective_options.hpp"
#include "apps/collective/compress.hpp"
#include "apps/collective/pairs.hpp"
#include "apps/commands.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "sim/engine/simulate.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr sim::Buffers kBuffers = sim::Buffers::out_of_place;  // nccl-tests' first columns

// Measured by nccl-tests' names, a row each.
struct Timing {
  std::int64_t size_bytes = 0;
  std::string_view algorithm, protocol;
  double time_s = 0, algorithm_Bps = 0, bus_Bps = 0;
  CollectiveBound bound;
};

std::vector<Timing> timings_of(const CollectiveOptions& options, const sim::CollectiveRow& row,
                               const sim::Cluster& cluster, const RankGroups& groups) {
  const std::vector<double> sizes = sizes_of(options);
  const sim::Topology topology(cluster);
  const sim::LoneGroups lone(topology, groups, {row.collective},
                             detail_of(options, row, cluster, groups));
  const double share = row.sent_share(lone.ranks());
  Progress progress("simulating sizes", static_cast<int>(sizes.size()));
  std::vector<Timing> timings;
  for (const double bytes : sizes) {
    progress.step();
    const sim::LoneGroups::Alone alone = lone.run(row, bytes, kBuffers);
    const auto& [schedule, algorithm, protocol, latency_s] = alone.collective;
    const sim::Timeline timeline =
        simulate_to_end(schedule, alone.wiring,
                        fmt::format("{}: the {} of {:.0f} B", cluster.name, row.name, bytes));
    const double time_s = timeline.makespan_s;
    timings.push_back({static_cast<std::int64_t>(bytes), algorithm, protocol, time_s,
                       bytes / time_s, share * bytes / time_s, bound_of(alone, timeline)});
  }
  return timings;
}

std::string table_of(const std::vector<Timing>& timings) {
  std::size_t width = std::string_view("algorithm").size();
  for (const Timing& timing : timings) width = std::max(width, timing.algorithm.size());
  std::string text = fmt::format(
      "{0:>14} {1:>12} {2:>12} {3:>12}  {4:<{9}}  protocol  bounded by\n"
      "{5:>14} {6:>12} {7:>12} {7:>12}  {8:<{9}}            (share of time)\n",
      "size", "time", "algbw", "busbw", "algorithm", "(B)", "(us)", "(GB/s)", "", width);
  for (const Timing& timing : timings) {
    text +=
        fmt::format("{:>14} {:>12.2f} {:>12.3f} {:>12.3f}  {:<{}}  {:<8}  {}\n", timing.size_bytes,
                    timing.time_s * 1e6, timing.algorithm_Bps / 1e9, timing.bus_Bps / 1e9,
                    timing.algorithm, width, timing.protocol, timing.bound.text());
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
    add_placement(cluster, record);
  }
  return records;
}

void time_collective(const CollectiveOptions& options, const sim::CollectiveRow& row,
                     const sim::Cluster& cluster) {
  const RankGroups groups = groups_of(cluster, options.split);
  check_asked(cluster, groups, {row.collective});
  const std::vector<Timing> timings = timings_of(options, row, cluster, groups);
  if (options.format == "table") {
    print_text("# {} on {}\n{}", options.name, groups_text(cluster, groups), table_of(timings));
  }
  print_records(options.format, records_of(options, cluster, timings));
}

}  // namespace

int collective_command(const Arguments& arguments) {
  const auto options = parse_collective(arguments);
  if (!options) return 0;
  const bool pairs = options->pairs_message.count > 0;
  const sim::CollectiveRow* row = pairs ? nullptr : &sim::collective_named(options->name);
  if (row != nullptr) check_algorithm(*options, *row);
  require_cluster(options->job.topology, "a collective runs on one cluster");
  const sim::Cluster cluster = read_cluster_part(options->job, sort_settings(options->job));
  warn_of_unused_nics(options->job, cluster);
  if (pairs) {
    time_pairs(*options, cluster);
  } else if (options->codec.empty()) {
    time_collective(*options, *row, cluster);
  } else {
    time_compressed(*options, *row, cluster);
  }
  return 0;
}

}  // namespace apps
