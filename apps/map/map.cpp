// SPDX-License-Identifier: Apache-2.0
// map: which scheme is fastest where, over any two inputs.
#include "sim/study/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/asked_warnings.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/launch/from_file.hpp"
#include "apps/map/axes.hpp"
#include "apps/map/map_output.hpp"
#include "apps/map/store_map.hpp"
#include "apps/progress.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;
using sim::study::MapPoint;

constexpr const char* kMapUsage =
    "usage: gardenhose map --topology NAME --model NAME[,NAME...] [FLAGS]\n"
    "       gardenhose map --topology NAME --model NAME --x AXIS=VALUE,... --y AXIS=VALUE,...\n"
    "       gardenhose map STORE --x INPUT --y INPUT [FLAGS]      over any two inputs of a sweep:\n"
    "                                                             gardenhose map STORE --help\n\n"
    "Maps the fastest scheme: for each pair of values, the speed-up of the fastest compressed "
    "scheme\n"
    "over the fastest uncompressed setup, with the same tokens per step. Both sides run with "
    "their\n"
    "fastest options, as with run --baseline best --tune; flags that you pass stay fixed. Without\n"
    "--x and --y, the axes are --bandwidths and the models of --model. Axes:\n\n"
    "{}"
    "\nUnless you pass --tp, each job gets the smallest degree of tensor parallelism with which\n"
    "an uncompressed step fits in memory: with ZeRO-1 if possible, because most schemes need\n"
    "whole weights; otherwise with ZeRO-3; and only if neither fits, with --recompute full. Both\n"
    "sides then choose what to recompute, unless you pass --recompute, and keep the optimizer's\n"
    "state on hosts if nothing fits otherwise. The line \"needs\" names those of --zero 3,\n"
    "--recompute full and --optimizer-state host without which the scheme would not fit.\n\n"
    "Each speed-up has a likely range (speedup_low, speedup_high): eight cases of ten, from the\n"
    "spreads of the constants and the model's own error on published speed-ups. Compression wins\n"
    "where it fits in memory and that whole range is above 1, or where nothing else fits.\n\n"
    "Between sites, --scheme names schemes for the exchange between them (default: all), and the\n"
    "speed-up is that of the tokens per second. The layout inside the sites is not searched: it "
    "is\n"
    "that of --tp, --pp, --zero and of the sites' own keys, with the remedies above if it takes "
    "them\n"
    "to fit.\n\n"
    "  gardenhose map --topology dgx_h100_x16 --model gpt_2.7b,gpt_18b --attention fused\n"
    "  gardenhose map --topology dgx_h100_x128 --model llama_3_8b --scheme sdp4bit,power_sgd \\\n"
    "                 --bandwidths 100Gbps,400Gbps --format csv | plots/scheme_map.py > map.svg\n"
    "  gardenhose map --topology dgx_h100_x128 --model llama_3_8b --x gpus=128,256,512,1024 \\\n"
    "                 --y batch=1048576,4194304 --set network.nic_bandwidth=100Gbps\n"
    "  gardenhose map --topology twenty_peers_b200 --model llama_3_8b --x sites=5,10,20 \\\n"
    "                 --y bandwidth=110Mbps,1Gbps,10Gbps\n";

struct MapOptions {
  CellOptions cell;
  Axis x, y;
  int tensor = 0;  // 0: chosen
  int jobs = 1;    // simulations at once
  std::string format;
};

constexpr std::string_view kSizeOfAMapsStep =
    "the map chooses micro-batches; set the size of a step with --tokens";
constexpr RefusedFlag kRefusedByMap[] = {{"micro-batch", kSizeOfAMapsStep},
                                         {"accumulation", kSizeOfAMapsStep},
                                         {"global-batch", kSizeOfAMapsStep}};

// As on the command line.
struct AxisTexts {
  std::string x, y, bandwidths;
};

// --bandwidths and --model are axes where nothing else is.
std::pair<Axis, Axis> axes_of(const AxisTexts& texts, const po::variables_map& values,
                              const JobOptions& job) {
  if (values.count("x") != 0 && !values["bandwidths"].defaulted()) {
    throw InputError("--bandwidths: stands for --x bandwidth=...; leave one of them out");
  }
  const Axis x = values.count("x") != 0 ? parse_axis("--x", texts.x)
                                        : axis_named("--bandwidths", "bandwidth", texts.bandwidths);
  if (values.count("y") != 0) return {x, parse_axis("--y", texts.y)};
  if (x.is("model")) {
    return {x, axis_named("--bandwidths", "bandwidth", texts.bandwidths)};
  }
  return {x, axis_named("--model", "model", job.model)};
}

void check_files(const JobOptions& job, const Axis& x, const Axis& y) {
  if (job.topology.empty()) {
    throw InputError("--topology: is missing; write e.g. --topology dgx_h100_x16");
  }
  if (x.is("model") || y.is("model")) return;
  if (job.model.empty()) throw InputError("--model: is missing; write e.g. --model gpt_1.3b");
  if (job.model.find(',') == std::string::npos) return;
  throw InputError("--model: several models are an axis; write --y model=... instead");
}

std::vector<std::string> axis_starts() {
  std::vector<std::string> starts = row_names(axis_rows());
  for (std::string& start : starts) start += "=";
  return starts;
}

po::options_description map_flags(MapOptions& o, AxisTexts& texts) {
  po::options_description map("Map");
  map.add(flag("x", po::value(&texts.x),
               "horizontal axis and its values, e.g. latency=2us,5us,20us (default: bandwidth, of "
               "--bandwidths)",
               {.first_day = true, .values = axis_starts}));
  map.add(flag("y", po::value(&texts.y),
               "vertical axis and its values, e.g. gpus=16,64,256 (default: model, of --model)",
               {.first_day = true, .values = axis_starts}));
  map.add(flag("bandwidths",
               po::value(&texts.bandwidths)
                   ->default_value("25Gbps,50Gbps,100Gbps,200Gbps,400Gbps,800Gbps,1600Gbps"),
               "NIC bandwidths, separated by commas", {.first_day = true}));
  map.add(
      flag("tokens",
           number_flag("--tokens", o.cell.tokens, sim::Counting::large)->default_value("4194304"),
           "tokens per step, rounded up to the same number of sequences for each replica",
           {.first_day = true}));
  map.add_options()("jobs,j", jobs_flag(o.jobs), kJobsHelp);
  map.add(format_flag(o.format));
  return map;
}

std::optional<MapOptions> parse_map(const Arguments& given) {
  MapOptions o;
  AxisTexts texts;
  JobOptions& job = o.cell.job;
  const po::options_description setup =
      job_flags(job, {.chosen = {"scheme", "tp", "zero", "hybrid-shard", "overlap",
                                 "weight-precision", "gradient-precision", "bucket-size"},
                      .refused = kRefusedByMap,
                      .may_lack_files = true});
  po::options_description flags = setup;
  flags.add(map_flags(o, texts));
  const std::string usage = fmt::format(kMapUsage, axes_text());
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return std::nullopt;
  const auto parsed = parse_arguments(*arguments, usage.c_str(), flags, {}, kRefusedByMap);
  if (!parsed) return std::nullopt;
  const po::variables_map& values = *parsed;
  check_format(o.format);
  job.given = names_given(setup, values);
  if (o.cell.tokens < 1) {
    throw InputError(fmt::format("--tokens: {} is less than 1", o.cell.tokens));
  }
  std::tie(o.x, o.y) = axes_of(texts, values, job);
  check_files(job, o.x, o.y);
  for (Axis* axis : {&o.x, &o.y}) *axis = on_topology(std::move(*axis), job.topology);
  check_axes(o.x, o.y, job, names_given(flags, values));
  const char* usual = is_wide_area(job.topology) ? "all" : kTrainedSchemes;
  job.schemes = split(values["scheme"].defaulted() ? usual : values["scheme"].as<std::string>());
  if (!values["tp"].defaulted())
    o.tensor = flag_number<int>("--tp", values["tp"].as<std::string>());
  return o;
}

// Cells that are searched together: those of one job, on networks of several bandwidths.
struct Strip {
  std::optional<CellJob> job;
  std::vector<std::size_t> cells;
  std::vector<sim::Bandwidth> bandwidths;  // none: its own
};

Job laid_out(Job job, std::int64_t tokens, int tensor) {
  if (job.inner) return map_sites_job(std::move(job), tokens);
  if (job.cluster().nodes < 2) {
    throw InputError("--nodes: a single node has no network to map; use two or more");
  }
  return map_job(std::move(job), tensor, tokens);
}

// All of them before the work, so that what is wrong is said first. Cells are in the order of y, then x.
std::vector<Strip> read_strips(const MapOptions& options) {
  const bool has_sites = is_wide_area(options.cell.job.topology);
  const auto is_searched = [&](const Axis& axis) { return !has_sites && axis.is("bandwidth"); };
  const std::size_t columns = options.x.values.size(), rows = options.y.values.size();
  const std::size_t strip_columns = is_searched(options.x) ? 1 : columns;
  const std::size_t strip_rows = is_searched(options.y) ? 1 : rows;
  std::vector<Strip> strips(strip_columns * strip_rows);
  Progress progress("reading jobs", static_cast<int>(strips.size()));
  for (std::size_t cell = 0; cell < rows * columns; ++cell) {
    const std::size_t row = cell / columns, column = cell % columns;
    Strip& strip = strips[row % strip_rows * strip_columns + column % strip_columns];
    std::vector<Coordinate> at;
    for (const Coordinate& one : {Coordinate{options.x, options.x.values[column]},
                                  Coordinate{options.y, options.y.values[row]}}) {
      if (is_searched(one.axis)) {
        strip.bandwidths.push_back(sim::Bandwidth::from_base(*one.value.number));
      } else {
        at.push_back(one);
      }
    }
    strip.cells.push_back(cell);
    if (strip.job) continue;
    progress.step();
    strip.job = read_cell(options.cell, at, [&](Job job, std::int64_t tokens) {
      return laid_out(std::move(job), tokens, options.tensor);
    });
  }
  return strips;
}

std::vector<MapPoint> points_of(const Strip& strip, int jobs, const std::function<void()>& step) {
  const Job& job = strip.job->laid_out;
  if (job.inner) return {map_sites_point(job, jobs, step)};
  if (strip.bandwidths.empty()) {
    return map_points(job, {&job.cluster().network.nic_bandwidth, 1}, jobs, step);
  }
  return map_points(job, strip.bandwidths, jobs, step);
}

int steps_of(const Strip& strip) {
  const Job& job = strip.job->laid_out;
  constexpr std::size_t kSides = 2;
  return static_cast<int>(job.inner ? job.setups.size() : kSides * strip.cells.size());
}

}  // namespace

int map_command(const Arguments& arguments) {
  if (!arguments.empty() && !arguments.front().starts_with("-")) return map_of_store(arguments);
  const auto options = parse_map(arguments);
  if (!options) return 0;
  const std::vector<Strip> strips = read_strips(*options);
  Progress progress("mapping", 0);
  for (const Strip& strip : strips) progress.expect(steps_of(strip));
  const int jobs_of_each = std::max(1, options->jobs / static_cast<int>(strips.size()));
  const auto points = sim::in_parallel(options->jobs, strips.size(), [&](std::size_t i) {
    return points_of(strips[i], jobs_of_each, progress.watch().step);
  });
  std::vector<MapRow> rows(options->x.values.size() * options->y.values.size());
  std::set<std::string> warnings;
  for (std::size_t i = 0; i < strips.size(); ++i) {
    const CellJob& job = *strips[i].job;
    for (std::size_t j = 0; j < points[i].size(); ++j) {
      const MapPoint& point = points[i][j];
      const Setup &plain = point.uncompressed.setup, &compressed = point.compressed.setup;
      rows[strips[i].cells[j]] = {point, flags_of(job.given, plain),
                                  flags_of(job.given, compressed)};
      warnings.merge(asked_warnings(job.laid_out, std::array{plain, compressed}));
    }
  }
  print_warnings(warnings);
  print_map(options->format, options->x, options->y, rows);
  return 0;
}

}  // namespace apps
