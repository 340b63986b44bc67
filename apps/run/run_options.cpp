#include "apps/run/run_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "apps/arguments.hpp"
#include "apps/print.hpp"
#include "apps/sweep/named_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr sim::EnumName<ShowRange> kRanges[]{
    {"auto", ShowRange::where_cheap}, {"on", ShowRange::always}, {"off", ShowRange::never}};
constexpr std::size_t kCheapOperations = 500'000;  // simulated in under a second

constexpr const char* kUsage =
    "usage: gardenhose run --topology NAME --model NAME [FLAGS]\n\n"
    "Simulates one training step and says how long it takes and why. Where the topology is "
    "several\n"
    "sites, it simulates rounds: inner steps inside each site, and what the sites exchange.\n\n"
    "  gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme sdp4bit --baseline twin\n"
    "  gardenhose run --topology my_cluster.toml --model llama_2_7b --scheme sharded,sdp4bit \\\n"
    "                 --baseline sharded --overlap all --accumulation 8 --format csv\n"
    "  gardenhose run --topology dgx_h100_x16 --model gpt_6.7b --scheme sdp4bit,tlq,qwd \\\n"
    "                 --global-batch 256 --attention fused --baseline best --tune\n"
    "  gardenhose run --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                 --scheme wan_sync,diloco,sparseloco --set scheme.inner_steps=100\n";

}  // namespace

po::options_description run_flags(RunOptions& o) {
  po::options_description flags = job_flags(o.job);
  po::options_description output("What is reported");
  auto add = output.add_options();
  add("baseline", po::value(&o.baseline),
      "scheme that the speed-up is over; 'twin': each scheme's own uncompressed form; 'best': the "
      "fastest uncompressed step of the same sequences, over schemes, stages of ZeRO, hybrid "
      "sharding, FP8 gather, tensor and sequence parallelism, recomputation, micro-batches, "
      "overlap, BF16 gradients and buckets");
  add("tune", po::bool_switch(&o.tune),
      "each scheme with the options that it is fastest with, of the same search; what a flag says "
      "is not chosen, neither for the schemes nor for the best baseline. Without --tune, flags say "
      "how the schemes are run, and the best baseline is free of them");
  add("break-even", po::bool_switch(&o.break_even),
      "search, by re-simulation, the NIC bandwidth below which each scheme beats its baseline "
      "(--format table always does, once the table is printed)");
  add("range", po::value<std::string>()->default_value("auto"),
      "what one spread of the compute efficiency, either way, makes of throughput and price (two "
      "more simulations; all else as it is): on, off, or auto: where a step has at most half a "
      "million operations. The spread is a fit's, or of published runs where the efficiency is a "
      "default: see sources");
  add("format", po::value(&o.format)->default_value("table"), "table|json|csv");
  add("perfetto", po::value(&o.perfetto),
      "write the timeline (ui.perfetto.dev) of the last scheme");
  add("perfetto-ranks", po::value(&o.perfetto_ranks)->default_value(0),
      "only the first RANKS ranks in the timeline (default: all)");
  add("require-fit", po::bool_switch(&o.require_fit),
      "a step that does not fit in memory is an error");
  flags.add(round_flags(o.rounds));
  flags.add(output);
  return flags;
}

std::optional<RunOptions> parse_run(const Arguments& arguments) {
  RunOptions o;
  po::options_description flags = run_flags(o);
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, {}, values)) return std::nullopt;
  o.job.schemes = split(values["scheme"].as<std::string>());
  o.job.given = names_given(flags, values);
  check_format(o.format);
  o.range = sim::chosen("--range", values["range"].as<std::string>(), kRanges);
  if (o.perfetto_ranks < 0) throw sim::InputError("--perfetto-ranks: is negative");
  if (o.perfetto.empty() && !values["perfetto-ranks"].defaulted()) {
    throw sim::InputError("--perfetto-ranks: needs --perfetto, whose ranks it counts");
  }
  if (o.break_even && o.baseline.empty()) {
    throw sim::InputError("--break-even: needs --baseline, which it compares with");
  }
  return o;
}

std::vector<std::filesystem::path> input_files(const RunOptions& options) {
  const JobOptions& job = options.job;
  Inputs inputs = {{"topology", job.topology},
                   {"model", job.model},
                   {"calibration", job.calibration},
                   {"baseline", options.baseline},
                   {"inner-scheme", options.rounds.inner_scheme}};
  for (const std::string& setting : job.settings) {
    const std::size_t equals = std::min(setting.find('='), setting.size());
    inputs[setting.substr(0, equals)] = setting.substr(std::min(equals + 1, setting.size()));
  }
  std::vector<Inputs> points;
  for (const std::string& scheme : job.schemes) {
    points.push_back(inputs);
    points.back()["scheme"] = scheme;
  }
  return files_of_points(points, std::filesystem::current_path());
}

bool wants_range(const RunOptions& options, std::size_t operations) {
  if (options.range == ShowRange::where_cheap) return operations <= kCheapOperations;
  return options.range == ShowRange::always;
}

void refuse_round_flags(const RoundOptions& rounds, const std::string& topology) {
  if (rounds.deadline.empty() && rounds.inner_scheme == RoundOptions{}.inner_scheme) return;
  throw sim::InputError(
      fmt::format("{}: is for several sites, and {} is one cluster; --scheme says how it shards",
                  rounds.deadline.empty() ? "--inner-scheme" : "--deadline", topology));
}

void warn_of_memory(const RunOptions& options, std::string_view what, const sim::MemoryUse& memory,
                    const sim::StepContext& context, const sim::Scheme& inner) {
  const sim::Gpu& gpu = context.cluster.gpu;
  const auto capacity = static_cast<double>(gpu.memory.count);
  if (memory.total() <= capacity) return;
  const auto remedies = sim::what_would_fit(
      {context.cluster, context.model, context.parallelism, sim::codec_memory(context, inner)},
      capacity - memory.outer_state);
  const bool may_tune = !options.tune && !is_wide_area(options.job.topology);
  const std::string line =
      fmt::format("{}: needs {:.1f} GB of a {}'s {:.1f} GB; {}{}", what, memory.total() / 1e9,
                  gpu.name, capacity / 1e9,
                  remedies.empty() ? "no flag here makes it fit: more GPUs, or --pp, would"
                                   : fmt::format("what fits: {}", fmt::join(remedies, "; or ")),
                  may_tune ? "; --tune chooses the fastest setup that fits, if one does" : "");
  if (options.require_fit) throw sim::InputError("--require-fit: " + line);
  print_note("warning: {}\n", line);
}

}  // namespace apps
