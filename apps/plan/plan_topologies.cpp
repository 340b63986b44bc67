// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_topologies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/settings.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

// Whose papers train language models with them.
constexpr const char* kTrainedBetweenSites =
    "wan_sync,wan_sync_bf16,diloco,diloco_int8,streaming_diloco,eager_diloco,decoupled_diloco,"
    "noloco,sparseloco,demo";

std::string default_schemes(bool between_sites) {
  return between_sites ? kTrainedBetweenSites : std::string("sharded,") + kTrainedSchemes;
}

void refuse_for_sites(const po::variables_map& values, const PlanOptions& o) {
  if (o.question.goal.aim == sim::study::Aim::smallest_network) {
    throw InputError(
        fmt::format("--goal: to find the smallest network between the sites of {}, use gardenhose "
                    "solve bandwidth --utilisation 0.9",
                    o.job.topology));
  }
  if (values.count("parts") != 0) {
    throw InputError(
        fmt::format("--parts: applies to one cluster; run gardenhose bom on each cluster of {}",
                    o.job.topology));
  }
  if (values.count("upgrade") != 0) {
    throw InputError(fmt::format(
        "--upgrade: applies to one cluster, but {} is several sites; name another topology "
        "with --topology",
        o.job.topology));
  }
  if (values.count("nic-bandwidths") != 0) {
    throw InputError(
        fmt::format("--nic-bandwidths: applies to one cluster; the sites of {} take theirs from "
                    "their clusters' files",
                    o.job.topology));
  }
  if (values.count("nodes") != 0) {
    throw InputError(fmt::format("--nodes: the sites of {} differ; write --set sites.NAME.nodes=N",
                                 o.job.topology));
  }
}

void refuse(const po::variables_map& values, const PlanOptions& o) {
  if (o.is_wide_area) {
    refuse_for_sites(values, o);
  } else if (values.count("inner-scheme") != 0) {
    throw InputError(fmt::format("--inner-scheme: applies to several sites, but {} is one cluster",
                                 o.job.topology));
  }
  if (sets(o.job, "network.nic_bandwidth") && !o.link_speeds.empty()) {
    throw InputError(
        "--nic-bandwidths: conflicts with --set network.nic_bandwidth; specify only one of them");
  }
}

// Of the given ones, beside those of the other kind of topology.
std::vector<std::string> schemes_of_kind(const std::vector<std::string>& given,
                                         bool between_sites) {
  std::vector<std::string> schemes;
  for (const std::string& name : given) {
    const sim::SchemeKind meant =
        between_sites ? sim::SchemeKind::between_sites : sim::SchemeKind::inside;
    const sim::Scheme scheme = any_scheme(name, "--scheme", meant);
    if (scheme.between_sites.has_value() == between_sites) schemes.push_back(name);
  }
  return schemes.empty() ? split(default_schemes(between_sites)) : schemes;
}

// Where some topologies are several sites and some are not, each has the flags that apply to it.
PlanOptions on_topology(PlanOptions o, const std::string& topology,
                        const po::variables_map& values) {
  o.job.topology = topology;
  o.is_wide_area = is_wide_area(topology);
  o.job.schemes = split(values["scheme"].defaulted() ? default_schemes(o.is_wide_area)
                                                     : values["scheme"].as<std::string>());
  if (!o.among_both) {
    refuse(values, o);
    return o;
  }
  o.job.schemes = schemes_of_kind(o.job.schemes, o.is_wide_area);
  if (!o.is_wide_area) return o;
  o.question.nodes.clear();
  o.question.nic_bandwidths.clear();
  o.link_speeds.clear();
  return o;
}

}  // namespace

// A file may have a comma in its name.
Places on_topologies(PlanOptions o, const po::variables_map& values) {
  const std::string given = o.job.topology;
  const auto names = std::filesystem::exists(given) ? std::vector{given} : split(given);
  for (const std::string& name : names) {
    if (name.empty()) {
      throw InputError("--topology: has an empty name; write e.g. dgx_h100_x16,dgx_b200");
    }
    if (std::ranges::count(names, name) > 1) {
      throw InputError(
          fmt::format("--topology: {} is there twice; remove one", sim::printable(name)));
    }
  }
  const auto wide = std::ranges::count_if(names, is_wide_area);
  o.among_both = wide > 0 && wide < std::ssize(names);
  if (o.among_both && !o.upgrades.empty()) {
    throw InputError("--upgrade: applies to clusters; leave out the topologies of several sites");
  }
  if (o.among_both && o.parts) {
    throw InputError("--parts: applies to clusters; leave out the topologies of several sites");
  }
  Places all;
  for (const std::string& name : names) all.push_back(on_topology(o, name, values));
  return all;
}

}  // namespace apps
