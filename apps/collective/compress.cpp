// SPDX-License-Identifier: Apache-2.0
#include "apps/collective/compress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/job/calibration_files.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "sim/study/coded_collective.hpp"

namespace apps {
namespace {

using sim::study::CodecSetup;
using sim::study::CodedTimes;
using sim::study::CollectiveSetup;
using CompressJson = nlohmann::ordered_json;

struct Compressed {
  std::vector<double> sizes = {};
  std::vector<CodedTimes> times = {};
  sim::study::PaysFrom pays = {};
  std::vector<std::string> sources = {};
  std::map<std::string, std::string> takers = {};  // check_asked()
};

sim::Wire smaller_wire(const CollectiveOptions& options) {
  sim::Wire wire = sim::wire_named(options.codec, "--compress");
  const double bytes = wire.bytes_per_element();
  if (bytes >= options.value_bytes) {
    throw sim::InputError(fmt::format(
        "--compress: {} sends {:.4g} bytes per element, no fewer than the {} of "
        "uncompressed ones; choose another codec{}",
        wire.name(), bytes, options.value_bytes, bytes < 4 ? " or --precision fp32" : ""));
  }
  return wire;
}

int ranks_of(const RankGroups& groups) { return static_cast<int>(groups.front().size()); }

CodecSetup codec_of(const CollectiveOptions& options, const sim::Cluster& cluster) {
  CodecSetup codec{.wire = smaller_wire(options),
                   .value_bytes = options.value_bytes,
                   .calibration = calibration_for(cluster.gpu, options.job.calibration),
                   .gpu = cluster.gpu};
  codec.gpu = sim::as_measured(codec.gpu, codec.calibration);
  keep_given(cluster.gpu, sort_settings(options.job).topology, codec.gpu);
  return codec;
}

Compressed compressed(const CollectiveOptions& options, const CollectiveSetup& collective,
                      const CodecSetup& codec) {
  Compressed all{.sizes = sizes_of(options)};
  Progress progress("simulating sizes", static_cast<int>(all.sizes.size()));
  for (const double bytes : all.sizes) {
    progress.step();
    all.times.push_back(coded_times(collective, codec, bytes));
  }
  all.pays = pays_from(collective, codec, all.sizes, all.times, progress.watch());
  all.sources = kernel_sources(collective, codec);
  return all;
}

std::string pays_text(const Compressed& all) {
  const auto bytes = [](double size) { return fmt::format("{:.0f} B", size); };
  const std::string last = bytes(all.sizes.back());
  if (all.pays.never) {
    const auto gains = std::find_if(all.times.rbegin(), all.times.rend(),
                                    [](const CodedTimes& times) { return times.pays(); });
    if (gains == all.times.rend()) return fmt::format("never pays up to {}", last);
    const auto place = static_cast<std::size_t>(all.times.rend() - gains) - 1;
    return fmt::format("pays at some sizes up to {}, but not beyond", bytes(all.sizes[place]));
  }
  if (all.pays.always) return fmt::format("pays at every size from {}", bytes(all.sizes.front()));
  return fmt::format("pays from about {}",
                     sim::to_text(sim::Bytes{static_cast<std::int64_t>(all.pays.bytes)}));
}

std::string compressed_table(const Compressed& all) {
  std::string text = fmt::format(
      "{:>14} {:>13} {:>13} {:>11} {:>11} {:>11} {:>14} {:>9}\n"
      "{:>14} {:>13} {:>13} {:>11} {:>11} {:>11} {:>14} {:>9}\n",
      "size", "uncompressed", "compressed", "encode", "exchange", "decode", "encoded size",
      "speed-up", "(B)", "(us)", "(us)", "(us)", "(us)", "(us)", "(B)", "");
  for (std::size_t i = 0; i < all.sizes.size(); ++i) {
    const CodedTimes& times = all.times[i];
    text += fmt::format(
        "{:>14.0f} {:>13.2f} {:>13.2f} {:>11.2f} {:>11.2f} {:>11.2f} {:>14.0f} {:>9.3f}\n",
        all.sizes[i], times.plain_s * 1e6, times.coded_s() * 1e6, times.encode_s * 1e6,
        times.exchange_s * 1e6, times.decode_s * 1e6, times.encoded_bytes, times.speedup());
  }
  return text;
}

std::vector<CompressJson> compressed_records(const CollectiveOptions& options,
                                             const sim::Cluster& cluster, const Compressed& all,
                                             const std::string& codec) {
  const CompressJson from = all.pays.never    ? CompressJson()
                            : all.pays.always ? CompressJson(all.sizes.front())
                                              : CompressJson(all.pays.bytes);
  std::vector<CompressJson> records;
  for (std::size_t i = 0; i < all.sizes.size(); ++i) {
    const CodedTimes& times = all.times[i];
    CompressJson& record =
        records.emplace_back(CompressJson{{"collective", options.name},
                                          {"topology", cluster.name},
                                          {"gpus", rank_count(cluster)},
                                          {"groups", options.split},
                                          {"codec", codec},
                                          {"uncompressed_value_bytes", options.value_bytes},
                                          {"size_bytes", static_cast<std::int64_t>(all.sizes[i])},
                                          {"uncompressed_time_s", times.plain_s},
                                          {"compressed_time_s", times.coded_s()},
                                          {"encode_s", times.encode_s},
                                          {"exchange_s", times.exchange_s},
                                          {"decode_s", times.decode_s},
                                          {"encoded_bytes", times.encoded_bytes},
                                          {"speedup", times.speedup()},
                                          {"pays", times.pays()},
                                          {"pays_from_bytes", from},
                                          {"kernel_times", sim::joined(all.sources, "; ")}});
    for (const auto& [key, taken] : all.takers) record[key] = taken;
    add_placement(cluster, record);
  }
  return records;
}

}  // namespace

sim::study::CodedTimes coded_times_of(const Arguments& arguments) {
  const auto options = parse_collective(arguments);
  if (!options || options->codec.empty()) {
    throw sim::InputError("--compress: is missing; write e.g. --compress int8_g128");
  }
  const sim::CollectiveRow& row = sim::collective_named(options->name);
  const sim::Cluster cluster = read_cluster_part(options->job, sort_settings(options->job));
  const RankGroups groups = groups_of(cluster, options->split);
  const sim::Topology topology(cluster);
  const CodecSetup codec = codec_of(*options, cluster);
  const sim::LoneGroups lone(topology, groups, collectives_of(row, ranks_of(groups), codec),
                             detail_of(*options, row, cluster, groups));
  return coded_times({&row, &lone}, codec, sizes_of(*options).front());
}

void time_compressed(const CollectiveOptions& options, const sim::CollectiveRow& row,
                     const sim::Cluster& cluster) {
  const RankGroups groups = groups_of(cluster, options.split);
  const sim::Topology topology(cluster);
  const CodecSetup codec = codec_of(options, cluster);
  const sim::Uses uses = collectives_of(row, ranks_of(groups), codec);
  const auto takers = check_asked(topology, groups, uses);
  const sim::LoneGroups lone(topology, groups, uses, detail_of(options, row, cluster, groups));
  Compressed all = compressed(options, {&row, &lone}, codec);
  all.takers = takers;
  const std::string name = codec.wire.name();
  if (options.format == "table") {
    print_text("# {} on {}, {} against {}\n{}\n{} {}\nkernel times: {}\n", options.name,
               groups_text(cluster, groups), name, options.value_bytes == 2 ? "bf16" : "fp32",
               compressed_table(all), name, pays_text(all), sim::joined(all.sources, "\n  "));
    for (const auto& [key, taken] : takers) print_text("{}: {}\n", key, taken);
  }
  print_records(options.format, compressed_records(options, cluster, all, name));
}

}  // namespace apps
