// SPDX-License-Identifier: Apache-2.0
#include "apps/collective/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/pair_times.hpp"

namespace apps {
namespace {

using PairsJson = nlohmann::ordered_json;
using sim::study::PairClass;
using sim::study::PairTimes;

constexpr int kWidestMatrix = 16;  // of a table; CSV and JSON have all
// What runs at once is simulated whole, for each shift: a minute on a small machine.
constexpr int kMostAtOnce = 256;

std::string rates_text(const PairClass& one, double bytes) {
  const double low = bytes / one.slowest_s / 1e9, high = bytes / one.fastest_s / 1e9;
  const std::string text = fmt::format("{:.3f}", low);
  return high > 1.001 * low ? fmt::format("{} to {:.3f}", text, high) : text;
}

sim::TextTable classes_table(const PairTimes& times, double bytes) {
  sim::TextTable table{.align = "<>>>>"};
  table.rows.push_back(
      sim::heading_row({"way", "switches", "pairs", "GB/s", "slowest (us)", "e.g."}));
  for (const PairClass& one : times.classes) {
    table.rows.push_back({one.way, fmt::format("{}", one.switches), fmt::format("{}", one.pairs),
                          rates_text(one, bytes), fmt::format("{:.2f}", one.slowest_s * 1e6),
                          fmt::format("{} to {}", one.from, one.to)});
  }
  return table;
}

std::string matrix_text(const PairTimes& times, double bytes) {
  std::string text = "GB/s from (row) to (column)\n     ";
  for (int to = 0; to < times.ranks; ++to) text += fmt::format("{:>9}", to);
  for (int from = 0; from < times.ranks; ++from) {
    text += fmt::format("\n{:>5}", from);
    for (int to = 0; to < times.ranks; ++to) {
      text += from == to ? fmt::format("{:>9}", "-")
                         : fmt::format("{:>9.2f}", bytes / times.at(from, to) / 1e9);
    }
  }
  return text + "\n";
}

std::string csv_text(const PairTimes& times, double bytes) {
  std::string text = "from,to,time_s,bandwidth_Bps\n";
  for (int from = 0; from < times.ranks; ++from) {
    for (int to = 0; to < times.ranks; ++to) {
      if (from == to) continue;
      const double time_s = times.at(from, to);
      text += fmt::format("{},{},{},{}\n", from, to, time_s, bytes / time_s);
    }
  }
  return text;
}

PairsJson pairs_json(const CollectiveOptions& options, const sim::Cluster& cluster,
                     const PairTimes& times) {
  PairsJson json{{"topology", cluster.name},
                 {"gpus", times.ranks},
                 {"message_bytes", options.pairs_message.count},
                 {"at_once", options.at_once}};
  add_placement(cluster, json);
  for (const PairClass& one : times.classes) {
    json["classes"].push_back({{"way", one.way},
                               {"switches", one.switches},
                               {"pairs", one.pairs},
                               {"from", one.from},
                               {"to", one.to},
                               {"fastest_s", one.fastest_s},
                               {"slowest_s", one.slowest_s}});
  }
  for (int from = 0; from < times.ranks; ++from) {
    PairsJson& row = json["time_s"].emplace_back();
    for (int to = 0; to < times.ranks; ++to) {
      row.push_back(from == to ? PairsJson() : PairsJson(times.at(from, to)));
    }
  }
  return json;
}

void print_pairs(const CollectiveOptions& options, const sim::Cluster& cluster,
                 const PairTimes& times) {
  const auto bytes = static_cast<double>(options.pairs_message.count);
  if (options.format == "json") {
    print_json(pairs_json(options, cluster, times).dump(1) + "\n");
  } else if (options.format == "csv") {
    print_text("{}", csv_text(times, bytes));
  } else {
    print_text("# messages of {} B on {}: {} GPUs{}, {}\n", options.pairs_message.count,
               cluster.name, times.ranks, placement_text(cluster),
               options.at_once ? "all sending at once" : "one pair at a time");
    print_styled(to_text(classes_table(times, bytes), output_width()));
    if (times.ranks <= kWidestMatrix) print_text("\n{}", matrix_text(times, bytes));
  }
}

}  // namespace

void time_pairs(const CollectiveOptions& options, const sim::Cluster& cluster) {
  const int ranks = rank_count(cluster);
  if (ranks < 2) throw sim::InputError("--pairs: needs two GPUs or more");
  if (options.at_once && ranks > kMostAtOnce) {
    throw sim::InputError(
        fmt::format("--at-once: takes too long with {} GPUs; use --nodes or --gpus-per-node for {} "
                    "or fewer",
                    ranks, kMostAtOnce));
  }
  Progress progress("simulating messages", 0);
  const sim::study::PairTimes times = sim::study::pair_times(
      cluster, static_cast<double>(options.pairs_message.count),
      options.at_once ? sim::study::PairsAtOnce::shift : sim::study::PairsAtOnce::one,
      progress.watch());
  print_pairs(options, cluster, times);
}

}  // namespace apps
