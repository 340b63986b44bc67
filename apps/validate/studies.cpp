// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/studies.hpp"

#include <fmt/format.h>

#include <utility>

#include "apps/flag_values.hpp"
#include "apps/validate/validate_blind.hpp"
#include "apps/validate/validate_compiled.hpp"
#include "apps/validate/validate_dispatch.hpp"
#include "apps/validate/validate_fsdp.hpp"
#include "apps/validate/validate_goodput.hpp"
#include "apps/validate/validate_host.hpp"
#include "apps/validate/validate_kernels.hpp"
#include "apps/validate/validate_layouts.hpp"
#include "apps/validate/validate_memory.hpp"
#include "apps/validate/validate_nccl.hpp"
#include "apps/validate/validate_pairs.hpp"
#include "apps/validate/validate_ranges.hpp"
#include "apps/validate/validate_rounds.hpp"
#include "apps/validate/validate_sites.hpp"
#include "apps/validate/validate_steps.hpp"
#include "apps/validate/validate_testbed.hpp"
#include "apps/validate/validate_zeropp.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

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
                  .throttled = options.throttled,
                  .frozen = options.earlier});
}

void print_moe(const ValidateOptions& options) {
  validate_steps("moe", "expert_steps", options.format, options.jobs, options.each);
}
void print_context(const ValidateOptions& options) {
  validate_steps("context", "context_steps", options.format, options.jobs, options.each);
}
void print_testbed(const ValidateOptions& options) {
  validate_testbed(options.format, options.jobs, options.each);
}
void print_kernels(const ValidateOptions& options) { validate_kernels(options.format); }
void print_compiled(const ValidateOptions& options) { validate_compiled(options.format); }

constexpr PublishedStudy kStudies[] = {
    {"fsdp", "MosaicML's benchmarks of MPT and torchtitan's of Llama 3 8B",
     "fsdp always refits its constants and prints them", print_with<validate_fsdp>},
    {"zeropp", "ZeRO++ on 384 V100s with 1 to 8 NICs per node",
     "zeropp always refits its constant and prints it", print_with<validate_zeropp>},
    {"host", "72 steps of Megatron-DeepSpeed on A100 that the host bounds",
     "host always refits its constant and prints it", print_with<validate_host>},
    {"layouts", "964 layouts of ten jobs on A100: which are fast, and which fit in memory",
     "layouts takes its constants from the cluster files", print_with<validate_layouts>},
    {"memory", "published peaks of a GPU's memory",
     "memory takes its constants from the software's defaults", print_with<validate_memory>},
    {"streaming-diloco", "table 4 of its paper", "streaming-diloco has no fitted constants",
     print_with<validate_streaming_diloco>},
    {"sparseloco", "its published runs", "sparseloco has no fitted constants",
     print_with<validate_sparseloco>},
    {"nccl", "logs of nccl-tests and of XLA, 2 to 72 GPUs",
     "nccl takes its constants from the cluster files", print_nccl,
     "--each --predictions --compare"},
    {"blind", "214 training runs of eleven sources, each predicted from the other sources alone",
     "blind takes its constants from other sources and prints them with --each", print_blind,
     "--each --by --freeze --compare --defaults --power-throttling"},
    {"moe", "steps of models with experts, each predicted from the other sources",
     "moe takes its constants from other sources and prints them with --each", print_moe, "--each"},
    {"context", "steps of sequences from 4 thousand to 1 million tokens, likewise",
     "context takes its constants from other sources and prints them with --each", print_context,
     "--each"},
    {"pairs", "steps and exchanges measured with and without low-precision communication",
     "pairs takes its constants from the cluster files", print_with<validate_pairs>},
    {"ranges", "speed-ups of compression with their likely ranges, as if no constant were fitted",
     "ranges fits one constant to one collective and prints it", print_with<validate_ranges>},
    {"testbed", "steps and rounds of processes on one machine, predicted before they were measured",
     "testbed takes its constants from its cluster files", print_testbed, "--each"},
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

bool has_flag(const PublishedStudy& study, std::string_view flag) {
  return study.flags.find(flag) != std::string_view::npos;
}

}  // namespace

const PublishedStudy* study_named(const std::string& name) {
  std::string known = "sdp4bit";
  for (const PublishedStudy& study : kStudies) {
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
  for (const PublishedStudy& study : kStudies)
    text += fmt::format("; {}: {}", study.name, study.summary);
  return text;
}

void check_flags_of_studies(const ValidateOptions& options, bool by_given) {
  for (const auto& [flag, given] : {std::pair{"--each", options.each},
                                    {"--predictions", options.predictions},
                                    {"--by", by_given},
                                    {"--defaults", options.defaults},
                                    {"--power-throttling", options.throttled},
                                    {"--freeze", !options.freeze.empty()},
                                    {"--compare", !options.earlier.empty()}}) {
    if (!given || (options.study != nullptr && has_flag(*options.study, flag))) continue;
    std::vector<std::string_view> names;
    for (const PublishedStudy& study : kStudies) {
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

}  // namespace apps
