// SPDX-License-Identifier: Apache-2.0
// map: which scheme is fastest where, over NIC bandwidths and models.
#include "sim/study/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/job/asked_warnings.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/map/map_output.hpp"
#include "apps/map/store_map.hpp"
#include "apps/progress.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kMapUsage =
    "usage: gardenhose map --topology NAME --model NAME[,NAME...] [FLAGS]\n"
    "       gardenhose map STORE --x INPUT --y INPUT [FLAGS]      over any two inputs of a sweep:\n"
    "                                                             gardenhose map STORE --help\n\n"
    "Maps the fastest scheme: for each NIC bandwidth and model, the speed-up of the fastest\n"
    "compressed scheme over the fastest uncompressed setup, with the same tokens per step. Both\n"
    "sides run with their fastest options, as with run --baseline best --tune; flags that you\n"
    "pass stay fixed.\n\n"
    "Unless you pass --tp, each model gets the smallest degree of tensor parallelism with which\n"
    "an uncompressed step fits in memory: with ZeRO-1 if possible, because most schemes need\n"
    "whole weights; otherwise with ZeRO-3; and only if neither fits, with --recompute full. Both\n"
    "sides then choose what to recompute, unless you pass --recompute.\n\n"
    "Each speed-up has a likely range (speedup_low, speedup_high): eight cases of ten, from the\n"
    "spreads of the constants and the model's own error on published speed-ups. Compression wins\n"
    "where it fits in memory and that whole range is above 1, or where nothing else fits.\n\n"
    "  gardenhose map --topology dgx_h100_x16 --model gpt_2.7b,gpt_18b --attention fused\n"
    "  gardenhose map --topology dgx_h100_x128 --model llama_3_8b --scheme sdp4bit,power_sgd \\\n"
    "                 --bandwidths 100Gbps,400Gbps --format csv | plots/scheme_map.py > map.svg\n";

struct MapOptions {
  JobOptions job;
  std::vector<std::string> models;
  std::vector<sim::Bandwidth> bandwidths;
  std::int64_t tokens = 0;
  int tensor = 0;  // 0: chosen
  int jobs = 1;    // simulations at once
  std::string format;
};

std::vector<sim::Bandwidth> parse_bandwidths(const std::string& text) {
  std::vector<sim::Bandwidth> bandwidths;
  for (const std::string& part : split(text)) {
    bandwidths.push_back(quantity_of<sim::Bandwidth>("--bandwidths", part, "400 Gbps"));
    if (!(bandwidths.back().base() > 0)) {
      throw InputError(fmt::format("--bandwidths: '{}' is not a bandwidth above 0", part));
    }
  }
  std::sort(bandwidths.begin(), bandwidths.end());
  return bandwidths;
}

constexpr std::string_view kSizeOfAMapsStep =
    "the map chooses micro-batches; set the size of a step with --tokens";
constexpr RefusedFlag kRefusedByMap[] = {{"micro-batch", kSizeOfAMapsStep},
                                         {"accumulation", kSizeOfAMapsStep},
                                         {"global-batch", kSizeOfAMapsStep}};

std::optional<MapOptions> parse_map(const Arguments& arguments) {
  MapOptions o;
  std::string bandwidths;
  po::options_description flags =
      job_flags(o.job, {.chosen = {"scheme", "tp", "zero", "hybrid-shard", "overlap",
                                   "weight-precision", "gradient-precision", "bucket-size"},
                        .refused = kRefusedByMap});
  po::options_description map("Map");
  map.add_options()("bandwidths",
                    po::value(&bandwidths)
                        ->default_value("25Gbps,50Gbps,100Gbps,200Gbps,400Gbps,800Gbps,1600Gbps"),
                    "NIC bandwidths, separated by commas")(
      "tokens", number_flag("--tokens", o.tokens, sim::Counting::large)->default_value("4194304"),
      "tokens per step, rounded up to the same number of sequences for each replica")(
      "jobs,j", jobs_flag(o.jobs), kJobsHelp)(
      "format", po::value(&o.format)->default_value("table"), "table|json|csv");
  const po::options_description job = flags;
  flags.add(map);
  const auto parsed = parse_arguments(arguments, kMapUsage, flags, {}, kRefusedByMap);
  if (!parsed) return std::nullopt;
  const po::variables_map& values = *parsed;
  check_format(o.format);
  o.job.given = names_given(job, values);
  o.models = split(o.job.model);
  o.job.schemes =
      split(values["scheme"].defaulted() ? kTrainedSchemes : values["scheme"].as<std::string>());
  o.bandwidths = parse_bandwidths(bandwidths);
  if (o.tokens < 1) throw InputError(fmt::format("--tokens: {} is less than 1", o.tokens));
  if (!values["tp"].defaulted())
    o.tensor = flag_number<int>("--tp", values["tp"].as<std::string>());
  return o;
}

}  // namespace

int map_command(const Arguments& arguments) {
  if (!arguments.empty() && !arguments.front().starts_with("-")) return map_of_store(arguments);
  const auto options = parse_map(arguments);
  if (!options) return 0;
  require_cluster(options->job.topology, "a map is of one cluster");
  std::vector<Job> given, jobs;  // all of them first: what is wrong is said before the work
  for (const std::string& model : options->models) {
    JobOptions job = options->job;
    job.model = model;
    given.push_back(read_job(job));
    jobs.push_back(map_job(given.back(), options->tensor, options->tokens));
    if (jobs.back().cluster().nodes < 2) {
      throw InputError("--nodes: a single node has no network to map; use two or more");
    }
  }
  constexpr int kSides = 2;
  Progress progress("mapping", kSides * static_cast<int>(jobs.size() * options->bandwidths.size()));
  const auto maps = sim::in_parallel(options->jobs, jobs.size(), [&](std::size_t i) {
    const int of_each = std::max(1, options->jobs / static_cast<int>(jobs.size()));
    return map_points(jobs[i], options->bandwidths, of_each, progress.watch().step);
  });
  std::vector<MapRow> rows;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    std::vector<Setup> chosen;
    for (const sim::study::MapPoint& point : maps[i]) {
      chosen.insert(chosen.end(), {point.uncompressed.setup, point.compressed.setup});
      const auto flags = [&](const sim::study::Best& best) {
        return flags_of(given[i], best.setup);
      };
      rows.push_back({point, flags(point.uncompressed), flags(point.compressed)});
    }
    warn_of_asked(jobs[i], chosen);
  }
  print_map(options->format, rows);
  return 0;
}

}  // namespace apps
