// SPDX-License-Identifier: Apache-2.0
#include "apps/job/job_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/calibration_files.hpp"
#include "apps/job/step_by_step.hpp"
#include "apps/launch/from_file.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

NumberFlag* factor(const char* flag, double& option) {
  return number_flag<double>(flag, [flag, &option](double value) {
    option = value;
    if (value >= 1e-6 && value <= 1e6) return;
    throw InputError(fmt::format("{}: {} is not a factor from 1e-6 to 1e6", flag, value));
  });
}

constexpr const char* kSetup = "Setup";

po::options_description without(const po::options_description& flags,
                                std::span<const RefusedFlag> refused) {
  po::options_description kept(kSetup);
  for (const auto& flag : flags.options()) {
    if (std::ranges::find(refused, flag->long_name(), &RefusedFlag::name) == refused.end())
      kept.add(flag);
  }
  return kept;
}

po::options_description site_flags(JobOptions& o) {
  po::options_description flags("Topologies of several sites");
  auto add = flags.add_options();
  flags.add(flag(
      "inner-scheme", po::value(&o.inner_scheme)->default_value(o.inner_scheme),
      "scheme for weights and gradients within each site: a shipped name or a file; --scheme is "
      "for the exchange between sites",
      {.values = inner_scheme_names}));
  add("deadline", po::value(&o.deadline),
      "time into a round after which the round continues without late sites");
  add("balance", po::value(&o.balance)->default_value(o.balance),
      "none|steps|batch: divide the work so that unlike sites end their inner steps together, with "
      "about as many tokens in a round. steps: a site takes inner steps in proportion to its "
      "speed, "
      "under schemes that have rounds of them; batch: micro-batches of every step instead");
  return flags;
}

}  // namespace

po::options_description job_flags(JobOptions& o, const SearchFlags& search) {
  po::options_description flags(kSetup);
  auto add = flags.add_options();
  const auto file = [&](std::string& name) {
    po::typed_value<std::string>* value = po::value(&name);
    return search.may_lack_files ? value : value->required();
  };
  flags.add(flag("topology", file(o.topology),
                 "cluster or sites: a shipped name (see gardenhose list) or a file",
                 {.first_day = true, .values = topology_names}));
  flags.add(flag("model", file(o.model),
                 "model: a shipped name, a file, or a Hugging Face config.json",
                 {.first_day = true, .values = model_names}));
  add("from", po::value(&o.from), kFromHelp);
  add("print-flags", po::bool_switch(&o.print_flags), kPrintFlagsHelp);
  const bool first_day = !search.aside;
  const std::string scheme = search.chosen.contains("scheme") ? "chosen" : "sharded";
  flags.add(flag(
      "scheme", po::value<std::string>()->default_value("sharded", scheme),
      "scheme for weights and gradients: a shipped name or a file; to compare several, separate "
      "them with commas. 'all' means every shipped scheme that the setup allows: with --zero, "
      "schemes defined for that stage; between sites, schemes that use object storage are included "
      "only if there is a [store] table",
      {.first_day = first_day, .values = scheme_names}));
  if (search.sizes == nullptr) {
    flags.add(flag("nodes", count("--nodes", o.nodes), "use only this many nodes (default: all)",
                   {.first_day = first_day}));
  } else {
    flags.add(flag("nodes", po::value(search.sizes),
                   "node counts to choose from, e.g. 4,8,16 (default: powers of two, up to all)",
                   {.first_day = first_day}));
  }
  add("gpus-per-node", count("--gpus-per-node", o.gpus_per_node),
      "use only this many GPUs per node (default: all)");
  add("node-placement", po::value(&o.node_placement)->default_value(o.node_placement),
      kNodePlacementHelp);
  add("traffic", po::value(&o.traffic), kTrafficHelp);
  add("sequence", count("--sequence", o.sequence),
      "tokens per sequence, e.g. 8192 or 8Ki; 8K is refused, as it may mean 8000 (default: the "
      "model's)");
  add_field_flags(
      flags, sim::parallelism_fields(), o.parallelism,
      {.chosen = search.chosen, .lists = search.lists, .listed = &o.listed, .aside = search.aside});
  flags.add(
      flag("algorithm", po::value(&o.algorithm), kAlgorithmHelp, {.values = algorithm_names}));
  flags.add(flag("protocol", po::value(&o.protocol), kProtocolHelp, {.values = protocol_names}));
  flags.add(flag("nccl", po::value(&o.nccl), kNcclHelp, {.values = nccl_names}));
  flags.add(flag("calibration", po::value(&o.calibration)->default_value("auto"), kCalibrationHelp,
                 {.values = calibration_names}));
  add("codec-time", factor("--codec-time", o.codec_time),
      "factor by which to multiply the codec kernels' calibrated times (default: 1)");
  flags.add(flag(
      "host-codecs", po::value(&o.host_codecs),
      "the hosts' processors encode and decode, between sites only the exchange there, each GPU's "
      "share on threads of its own, in the times of this table: a file that gardenhose-calibrate "
      "measured on a CPU, or a shipped name (default: GPUs do)",
      {.values = host_codec_names}));
  add("host-issue", po::value(&o.host_issue),
      "time that the host, the CPU of a GPU, takes to issue a kernel, e.g. \"8 us\", or a factor "
      "on "
      "the default, e.g. 1.5x; \"0 s\": the GPU never waits for its host (default: by --kernels, "
      "from traces/kernels/host.toml)");
  add("step-by-step", po::bool_switch(&o.step_by_step), kStepByStepHelp);
  add("each-kernel", po::bool_switch(&o.each_kernel),
      "simulate every kernel of a layer as its own operation: a finer timeline with the same "
      "times");
  add("whole", po::bool_switch(&o.whole),
      "simulate every rank, site and micro-batch, not one of those that do the same (slow for "
      "many, "
      "with the same times)");
  flags.add(
      flag("set", po::value(&o.settings)->composing(),
           "KEY=VALUE: set any key of an input file, e.g. network.nic_bandwidth=\"200 Gbps\", "
           "model.layers=12 or scheme.inter_group=512",
           {.values = setting_starts}));
  if (search.chosen.empty()) flags.add(site_flags(o));
  return search.refused.empty() ? flags : without(flags, search.refused);
}

std::set<std::string> names_given(const po::options_description& flags,
                                  const po::variables_map& values) {
  std::set<std::string> names;
  for (const auto& flag : flags.options()) {
    const std::string& name = flag->long_name();
    if (values.count(name) != 0 && !values[name].defaulted()) names.insert(name);
  }
  return names;
}

}  // namespace apps
