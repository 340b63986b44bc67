// SPDX-License-Identifier: Apache-2.0
#include "apps/run/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/arguments.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/reliability_options.hpp"
#include "apps/launch/from_file.hpp"
#include "apps/print.hpp"
#include "apps/terminal.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr sim::EnumName<ShowRange> kRanges[]{
    {"auto", ShowRange::where_cheap}, {"on", ShowRange::always}, {"off", ShowRange::never}};
constexpr std::size_t kCheapOperations = 500'000;  // simulated in under a second

constexpr const char* kRunUsage =
    "usage: gardenhose run --topology NAME --model NAME [FLAGS]\n\n"
    "Simulates one training step and reports how long it takes and why. On a topology of several\n"
    "sites it simulates rounds: inner steps within each site, and the exchange between sites.\n\n"
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
  flags.add(goodput_flags(o.job));
  po::options_description output("Output");
  auto add = output.add_options();
  output.add(flag(
      "baseline", po::value(&o.baseline),
      "scheme against which to compute speed-ups. 'twin': each scheme's own uncompressed form; "
      "'best': the fastest uncompressed step with the same global batch, from a search over "
      "schemes, ZeRO stages, hybrid sharding, FP8 gather, tensor and sequence parallelism, "
      "recomputation, micro-batches, overlap, BF16 gradients and bucket sizes",
      {.first_day = true, .values = baseline_names}));
  add("tune", po::bool_switch(&o.tune),
      "tune each scheme: run it with its fastest options, found by the same search as for "
      "--baseline best. Flags that you pass stay fixed, for the schemes and for the best baseline. "
      "Without --tune, flags apply only to the schemes, and the search for the best baseline "
      "ignores them");
  add("break-even", po::bool_switch(&o.break_even),
      "break-even bandwidth: find, by repeated simulation, the NIC bandwidth below which each "
      "scheme beats its baseline (--format table always shows it below the table)");
  add("range", po::value<std::string>()->default_value("auto"),
      "on|off|auto: likely range of throughput, price and speed-up, eight cases of ten, with "
      "the compute efficiency, the network, the codecs and the host drawn from their spreads: four "
      "more simulations; auto: only for steps of at most half a million operations");
  add("jobs,j", jobs_flag(o.jobs), kJobsHelp);
  output.add(format_flag(o.format));
  add("perfetto", po::value(&o.perfetto),
      "file for the timeline of the last scheme; open it in ui.perfetto.dev");
  add("kineto", po::value(&o.kineto),
      "file for the last scheme's step as PyTorch's profiler would have recorded it: every kernel "
      "of "
      "every simulated rank; gardenhose fit --trace reads it back");
  add("perfetto-ranks", number_flag("--perfetto-ranks", o.perfetto_ranks)->default_value("0"),
      "number of ranks in the timeline, from rank 0 (0: all)");
  add("month", po::value(&o.month),
      "file for one month of the last scheme, as CSV: which sites are there when and the rounds "
      "that "
      "they end, or with --reliability failures and recoveries; plots/month.py draws it");
  add("require-fit", po::bool_switch(&o.require_fit), "fail if a step does not fit in memory");
  flags.add(output);
  return flags;
}

std::optional<RunOptions> parse_run(const Arguments& given) {
  RunOptions o;
  po::options_description flags = run_flags(o);
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return std::nullopt;
  const auto parsed = parse_arguments(*arguments, kRunUsage, flags);
  if (!parsed) return std::nullopt;
  const po::variables_map& values = *parsed;
  o.job.schemes = split(values["scheme"].as<std::string>());
  o.job.given = names_given(flags, values);
  open_fields_of_file(given, o.job.given);
  check_format(o.format);
  o.range = sim::chosen("--range", values["range"].as<std::string>(), kRanges);
  check_target(o.job, values.count("tokens") != 0);
  if (o.perfetto_ranks < 0)
    throw sim::InputError("--perfetto-ranks: is negative; write 0 for all ranks");
  if (o.perfetto.empty() && !values["perfetto-ranks"].defaulted()) {
    throw sim::InputError(
        "--perfetto-ranks: needs --perfetto; add it, or leave --perfetto-ranks out");
  }
  if (!o.kineto.empty()) o.job.each_kernel = true;
  o.draws = !o.perfetto.empty() || !o.kineto.empty();
  if (o.break_even && o.baseline.empty()) {
    throw sim::InputError("--break-even: needs --baseline, the scheme to compare with");
  }
  return o;
}

bool wants_range(const RunOptions& options, std::size_t operations) {
  if (options.range == ShowRange::where_cheap) return operations <= kCheapOperations;
  return options.range == ShowRange::always;
}

void note_left_out(const RunOptions& options, std::size_t operations) {
  if (options.range != ShowRange::where_cheap || operations <= kCheapOperations) return;
  print_note(
      "note: no likely range of the throughput is shown, as it takes four more simulations of "
      "{:.2g} million "
      "operations; --range on shows it\n",
      static_cast<double>(operations) / 1e6);
}

void print(const RunOptions& options, std::span<const sim::Report> reports,
           const std::string& sentence) {
  if (options.format == "json") print_json(sim::to_json(reports));
  if (options.format == "csv") print_text("{}", sim::to_csv(reports));
  if (options.format != "table") return;
  print_answer(sentence);
  print_styled(sim::to_table(reports, output_width()));
}

void refuse_tune(const std::string& topology) {
  throw sim::InputError(
      fmt::format("--tune: applies to one cluster, but {} describes several sites; gardenhose plan "
                  "chooses their setup, or tune one site's cluster and pass on the flags that it "
                  "prints",
                  topology));
}

void refuse_step_flags(const RunOptions& options) {
  if (options.break_even) {
    throw sim::InputError(
        "--break-even: applies to one cluster's NICs; between sites, use solve --beats");
  }
  if (options.tune) refuse_tune(options.job.topology);
  if (!options.kineto.empty()) {
    throw sim::InputError("--kineto: applies to a step of one cluster; leave it out");
  }
}

}  // namespace apps
