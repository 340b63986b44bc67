// SPDX-License-Identifier: Apache-2.0
// validate: reruns published tables and prints predicted beside published.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/flag.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/studies.hpp"
#include "apps/validate/validation_output.hpp"
#include "sim/base/error.hpp"
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
      "each", po::bool_switch(&options.each),
      "nccl, blind, moe, context and testbed: also list every row")(
      "predictions", po::bool_switch(&options.predictions),
      "nccl, goodput, two-nodes and opendiloco: print the prediction of every row instead, without "
      "the measured one; commit them before a comparison to keep it blind")(
      "by", po::value(&options.by)->default_value("fold"),
      "blind: fold|generation: what is left out with a row: its source, or also all rows on GPUs "
      "of its generation; fold,generation: one after the other, from the same simulations")(
      "power-throttling", po::bool_switch(&options.throttled),
      "blind: run the rows of GPUs whose kernels' power is known with --power-throttling on")(
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
