// SPDX-License-Identifier: Apache-2.0
// validate: reruns published tables and prints predicted beside published.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/validate_blind.hpp"
#include "apps/validate/validate_compiled.hpp"
#include "apps/validate/validate_dispatch.hpp"
#include "apps/validate/validate_fsdp.hpp"
#include "apps/validate/validate_goodput.hpp"
#include "apps/validate/validate_host.hpp"
#include "apps/validate/validate_kernels.hpp"
#include "apps/validate/validate_layouts.hpp"
#include "apps/validate/validate_nccl.hpp"
#include "apps/validate/validate_pairs.hpp"
#include "apps/validate/validate_rounds.hpp"
#include "apps/validate/validate_sites.hpp"
#include "apps/validate/validate_steps.hpp"
#include "apps/validate/validate_zeropp.hpp"
#include "apps/validate/validation_output.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/validation/fit.hpp"
#include "sim/validation/readings.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
namespace validation = sim::validation;

constexpr const char* kValidateUsage =
    "usage: gardenhose validate [STUDY] [FLAGS]\n\n"
    "Reruns published experiments and prints predictions next to measurements. Predictions are\n"
    "made from data sheets alone (blind); with the constants under [fitted] in each cluster's\n"
    "file (fitted); and without simulation, as FLOPs divided by the rate plus bytes divided by\n"
    "the bandwidth, with the same constants (null model) and with its own (null, refitted). Rows\n"
    "to which a constant was fitted are excluded from the errors. For fsdp, the null model\n"
    "assumes the utilisation measured on one node of 8 GPUs, whatever the number of GPUs. For\n"
    "nccl, it is a start-up time plus bytes over a bandwidth, for each collective and GPU.\n"
    "For blind, each run is predicted from other sources alone, with a range.\n\n"
    "  gardenhose validate sdp4bit\n"
    "  gardenhose validate sdp4bit --constants --format csv\n"
    "  gardenhose validate fsdp\n"
    "  gardenhose validate streaming-diloco\n"
    "  gardenhose validate nccl --predictions --format csv >predicted.csv\n"
    "  gardenhose validate nccl --compare traces/predictions/nccl_nvlink_2026-11-24.csv\n"
    "  gardenhose validate blind --by generation --each\n\n";

struct Study;
struct ValidateOptions {
  std::string name = "sdp4bit", format = "table";
  const Study* study = nullptr;  // none: sdp4bit
  bool constants = false, refit = false;
  bool each = false, predictions = false, defaults = false;
  std::string earlier, freeze, by;  // files, and what blind leaves out
  int jobs = 1;                     // simulations at once
};

// All studies but sdp4bit, which has flags that no other has.
struct Study {
  std::string_view name;
  std::string_view summary;
  std::string_view constants;  // why there is no --constants and no --refit
  void (*print)(const ValidateOptions& options);
  std::string_view flags = {};  // of its own: "--each --compare"
};

template <void (*print)(const std::string& format, int jobs)>
void print_with(const ValidateOptions& options) {
  print(options.format, options.jobs);
}

template <void (*print)(const std::string& format, bool predictions)>
void print_with(const ValidateOptions& options) {
  print(options.format, options.predictions);
}

void print_nccl(const ValidateOptions& options) {
  validate_nccl(options.format, options.jobs,
                options.predictions ? NcclView::predictions
                : options.each      ? NcclView::each
                                    : NcclView::errors,
                options.earlier);
}

void print_blind(const ValidateOptions& options) {
  validate_blind({.format = options.format,
                  .jobs = options.jobs,
                  .each = options.each,
                  .defaults = options.defaults,
                  .by = options.by,
                  .freeze = options.freeze,
                  .frozen = options.earlier});
}

void print_moe(const ValidateOptions& options) {
  validate_steps("moe", "expert_steps", options.format, options.jobs, options.each);
}
void print_context(const ValidateOptions& options) {
  validate_steps("context", "context_steps", options.format, options.jobs, options.each);
}
void print_kernels(const ValidateOptions& options) { validate_kernels(options.format); }
void print_compiled(const ValidateOptions& options) { validate_compiled(options.format); }

constexpr Study kStudies[] = {
    {"fsdp", "MosaicML's benchmarks of MPT and torchtitan's of Llama 3 8B",
     "fsdp always refits its constants and prints them", print_with<validate_fsdp>},
    {"zeropp", "ZeRO++ on 384 V100s with 1 to 8 NICs per node",
     "zeropp always refits its constant and prints it", print_with<validate_zeropp>},
    {"host", "72 steps of Megatron-DeepSpeed on A100 that the host bounds",
     "host always refits its constant and prints it", print_with<validate_host>},
    {"layouts", "964 layouts of ten jobs on A100: which are fast, and which fit in memory",
     "layouts takes its constants from the cluster files", print_with<validate_layouts>},
    {"streaming-diloco", "table 4 of its paper", "streaming-diloco has no fitted constants",
     print_with<validate_streaming_diloco>},
    {"sparseloco", "its published runs", "sparseloco has no fitted constants",
     print_with<validate_sparseloco>},
    {"nccl", "logs of nccl-tests and of XLA, 2 to 72 GPUs",
     "nccl takes its constants from the cluster files", print_nccl,
     "--each --predictions --compare"},
    {"blind", "214 training runs of eleven sources, each predicted from the other sources alone",
     "blind takes its constants from other sources and prints them with --each", print_blind,
     "--each --by --freeze --compare --defaults"},
    {"moe", "steps of models with experts, each predicted from the other sources",
     "moe takes its constants from other sources and prints them with --each", print_moe, "--each"},
    {"context", "steps of sequences from 4 thousand to 1 million tokens, likewise",
     "context takes its constants from other sources and prints them with --each", print_context,
     "--each"},
    {"pairs", "steps and exchanges measured with and without low-precision communication",
     "pairs takes its constants from the cluster files", print_with<validate_pairs>},
    {"dispatch", "dispatch and combine of tokens between experts by DeepEP, HybridEP and others",
     "dispatch takes its constants from the cluster files and the libraries' rows",
     print_with<validate_dispatch>},
    {"goodput", "interruptions and goodputs of training runs, by failure rates of other clusters",
     "goodput takes its constants from the reliability files", print_with<validate_goodput>,
     "--predictions"},
    {"two-nodes", "steps on two nodes of 8 H100 joined by 9.1 Gb/s of TCP, DiLoCo's among them",
     "two-nodes has no fitted constants", print_with<validate_two_nodes>, "--predictions"},
    {"opendiloco", "OpenDiLoCo's share of time in communication",
     "opendiloco has no fitted constants", print_with<validate_opendiloco>, "--predictions"},
    {"intellect-1", "INTELLECT-1's volume, ring order and utilisation, by definition",
     "intellect-1 has no fitted constants", print_with<validate_intellect_1>},
    {"kernels",
     "kernels that gardenhose-calibrate measured on GPUs, predicted without their tables",
     "kernels takes its constants from the cluster files", print_kernels},
    {"compiled", "published rates of kernels of others, by their machine code",
     "compiled takes its constants from the cluster files", print_compiled}};

const Study* study_named(const std::string& name) {
  std::string known = "sdp4bit";
  for (const Study& study : kStudies) {
    if (study.name == name) return &study;
    known += fmt::format(", {}", study.name);
  }
  if (name == "sdp4bit") return nullptr;
  throw sim::InputError(fmt::format("validate: '{}' is not a published study; known: {}",
                                    sim::printable(name), known));
}

std::vector<std::string> study_names() {
  std::vector<std::string> names = row_names(kStudies);
  names.emplace_back("sdp4bit");
  return names;
}

std::string study_help() {
  std::string text = "sdp4bit: tables 2 and 4 of its paper";
  for (const Study& study : kStudies) text += fmt::format("; {}: {}", study.name, study.summary);
  return text;
}

bool has_flag(const Study& study, std::string_view flag) {
  return study.flags.find(flag) != std::string_view::npos;
}

// Flags that only some studies have.
void check_flags_of_studies(const ValidateOptions& options, bool by_given) {
  for (const auto& [flag, given] : {std::pair{"--each", options.each},
                                    {"--predictions", options.predictions},
                                    {"--by", by_given},
                                    {"--defaults", options.defaults},
                                    {"--freeze", !options.freeze.empty()},
                                    {"--compare", !options.earlier.empty()}}) {
    if (!given || (options.study != nullptr && has_flag(*options.study, flag))) continue;
    std::vector<std::string_view> names;
    for (const Study& study : kStudies) {
      if (has_flag(study, flag)) names.push_back(study.name);
    }
    throw sim::InputError(fmt::format("{}: is a flag of {}; write gardenhose validate {}", flag,
                                      sim::joined(names), names.front()));
  }
  if (options.predictions && !options.earlier.empty()) {
    throw sim::InputError("--predictions: cannot be combined with --compare; choose one");
  }
  if (options.each && options.predictions) {
    throw sim::InputError("--each: cannot be combined with --predictions; choose one");
  }
  if (options.defaults &&
      (options.each || by_given || !options.freeze.empty() || !options.earlier.empty())) {
    throw sim::InputError("--defaults: cannot be combined with other flags of blind; remove them");
  }
  if (!options.freeze.empty() && !options.earlier.empty()) {
    throw sim::InputError("--freeze: cannot be combined with --compare; choose one");
  }
}

std::optional<ValidateOptions> parse_validate(const Arguments& arguments) {
  ValidateOptions options;
  po::options_description flags;
  flags.add(flag("study", po::value(&options.name), study_help().c_str(), {.values = study_names}));
  flags.add_options()(
      "constants", po::bool_switch(&options.constants),
      "list, instead of predictions, every number that affects a row, with its source and the "
      "effect of changing it by 10 %")(
      "refit", po::bool_switch(&options.refit),
      "also refit the constants to the rows named in the cluster files")(
      "each", po::bool_switch(&options.each), "nccl, blind, moe and context: also list every row")(
      "predictions", po::bool_switch(&options.predictions),
      "nccl, goodput, two-nodes and opendiloco: print the prediction of every row instead, without "
      "the measured one; commit them before a comparison to keep it blind")(
      "by", po::value(&options.by)->default_value("fold"),
      "blind: fold|generation: what is left out with a row: its source, or also all rows on GPUs "
      "of its generation; fold,generation: one after the other, from the same simulations")(
      "defaults", po::bool_switch(&options.defaults),
      "blind: print the compute efficiency that the rows of each source need, "
      "and their median, instead of predictions")(
      "freeze", po::value(&options.freeze)->value_name("FILE"),
      "blind: also write the predictions (the first of --by) to FILE, with the hashes of their "
      "inputs; commit it before a comparison")(
      "compare", po::value(&options.earlier)->value_name("FILE"),
      "nccl and blind: compare the predictions in FILE, which --predictions printed or --freeze "
      "wrote before, instead of new ones")("jobs,j", jobs_flag(options.jobs), kJobsHelp)(
      "format", po::value(&options.format)->default_value("table"), "table|csv|json");
  const auto parsed = parse_arguments(arguments, kValidateUsage, flags, {{"study"}});
  if (!parsed) return std::nullopt;
  options.study = study_named(options.name);
  if (options.study != nullptr && (options.constants || options.refit)) {
    throw sim::InputError(fmt::format("{}: {}", options.constants ? "--constants" : "--refit",
                                      options.study->constants));
  }
  check_flags_of_studies(options, !(*parsed)["by"].defaulted());
  check_format(options.format);
  if (options.constants && options.refit) {
    throw sim::InputError("--refit: cannot be combined with --constants; choose one");
  }
  return options;
}

template <class Result>
void print(const std::string& format, const Result& result) {
  if (format == "table") print_styled(to_table(result, output_width()));
  print_records(format, json_of(result), records_of(result));
}

Validation validate(const ValidateOptions& options, const validation::Inputs& inputs,
                    const std::vector<validation::Measurement>& measurements) {
  Validation result{.study = options.name};
  {
    Progress progress("predicting rows", static_cast<int>(measurements.size()));
    result.rows =
        validation::predict_rows(inputs, measurements, options.jobs, [&] { progress.step(); });
  }
  result.both_ways = validation::counted_both_ways(inputs, result.rows);
  result.speed_ups = validation::speed_ups(result.rows);
  {
    constexpr const char* kTable = "sdp4bit_throughput";
    Progress progress("leaving one model out", validation::model_count(measurements, kTable));
    result.left_out = validation::leave_one_out(inputs, measurements, kTable, options.jobs,
                                                [&] { progress.step(); });
  }
  for (const auto& [name, cluster] : inputs.clusters) {
    result.constants[name] = cluster.fitted;
    if (!options.refit) continue;
    result.refitted[name] =
        validation::fit(inputs, name, validation::fit_rows(inputs, name, measurements));
  }
  return result;
}

}  // namespace

int validate_command(const Arguments& arguments) {
  const auto options = parse_validate(arguments);
  if (!options) return 0;
  if (options->study != nullptr) {
    options->study->print(*options);
    return 0;
  }
  const std::filesystem::path folder = data_directory();
  const auto measurements = validation::read_sdp4bit(folder);
  const validation::Inputs inputs = validation::read_inputs(folder, measurements);
  if (options->constants) {
    Progress progress("varying constants", validation::constant_count(folder, inputs));
    const auto constants = validation::list_constants(folder, inputs, measurements, options->jobs,
                                                      [&] { progress.step(); });
    print(options->format, constants);
    return 0;
  }
  print(options->format, validate(*options, inputs, measurements));
  return 0;
}

}  // namespace apps
