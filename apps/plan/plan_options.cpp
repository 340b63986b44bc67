// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "apps/arguments.hpp"
#include "apps/job/reliability_options.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kPlanUsage =
    "usage: gardenhose plan --topology NAME --model NAME --tokens TOKENS [FLAGS]\n\n"
    "Finds the best plans for training a model on a given number of tokens: the cheapest, the\n"
    "fastest, or those with the smallest network. The search covers the number of nodes, NIC\n"
    "bandwidth, tensor and pipeline parallelism (with sequence parallelism, virtual stages and\n"
    "placement), scheme, ZeRO stage, hybrid sharding, resharding, micro-batch size,\n"
    "recomputation, and the precision of gradients and gathered weights.\n\n"
    "Of each choice of hardware (nodes and NICs, or sites), with and without compression, it "
    "finds\n"
    "the best plan, and lists those that no other one beats: a plan is beaten if another one is\n"
    "cheaper and no slower, or faster and no dearer. Each comes with its price, time, energy,\n"
    "memory and bottleneck, and the command that simulates a step of it. The first one is the one\n"
    "to take: plans that differ by less than predictions can tell are alike in what the goal asks\n"
    "for, then in the other of price and time, and of those that are alike in both it is the\n"
    "simplest: the fewest GPUs, no compression, the fewest kinds of parallelism, the slowest "
    "NICs.\n"
    "The lines below it say what the next plan loses by and whether compression pays. The likely\n"
    "ranges of time and price hold eight cases of ten, as far as the spreads of the constants are\n"
    "known. With --reliability, the plans also show what failures leave of their time and what\n"
    "that costs; the ranking does not depend on it.\n\n"
    "--topology takes several clusters and sites, separated by commas: the best plan of each is\n"
    "listed. --nodes beyond a cluster's file assumes more nodes joined in the same way.\n\n"
    "On a topology of several sites, the search also covers which sites take part (none, 1, 2,\n"
    "4... or all of each [sites] table, unless --set sites.NAME.count fixes the number), the\n"
    "scheme between sites, and the setup within them. Prices include egress and leased links.\n"
    "The number of inner steps per round is the scheme's own or that of --set\n"
    "scheme.inner_steps, because Gardenhose does not predict how additional inner steps\n"
    "affect the loss.\n\n"
    "Flags of the setup that you pass (--tp 8, --recompute full) stay fixed. By default, plan\n"
    "searches uncompressed schemes and those published for language models; --scheme replaces\n"
    "them. All communication that can overlap does so, unless you pass --overlap. Each ZeRO\n"
    "stage runs with its default --attention and --kernels, unless you pass these flags. Not\n"
    "searched, with the defaults of run: --loss, --precision, --optimizer, --bucket-size,\n"
    "--unit-layers, --prefetch and --backward-prefetch. If nothing fits in memory, all setups\n"
    "keep the optimizer's state on the hosts, as with --optimizer-state host.\n\n"
    "The search skips a setup only if it does not fit in memory, or if a lower bound on its time\n"
    "shows that it is faster than the plan of its kind by at most --gap. Within the gap, a plan "
    "has\n"
    "few kinds of parallelism. With --gap 0, and with --setups, the search is exact: it finds "
    "what\n"
    "simulating every setup does (--exhaustive).\n\n"
    "  gardenhose plan --topology dgx_h100_x16 --model gpt_6.7b --attention fused --tokens 1e12 "
    "\\\n"
    "                  --goal cheapest --deadline \"60 days\"\n"
    "  gardenhose plan --topology dgx_h100_x16 --model llama_3_8b --attention fused --tokens 2e12 "
    "\\\n"
    "                  --goal fastest --budget \"2 MUSD\" --electricity \"0.08 USD/kWh\" \\\n"
    "                  --set network.port_price=\"0.2 USD/h\"\n"
    "  gardenhose plan --topology dgx_h100_x16 --model gpt_6.7b --attention fused --tokens 1e12 "
    "\\\n"
    "                  --goal smallest-network --share 0.9 --nodes 16 \\\n"
    "                  --nic-bandwidths 25Gbps,50Gbps,100Gbps,200Gbps,400Gbps\n"
    "  gardenhose plan --topology dgx_h100_x16,dgx_h200_x16,dgx_b200 --model llama_3_70b \\\n"
    "                  --attention fused --tokens 2e12 --nodes 8,16\n"
    "  gardenhose plan --topology four_sites_mixed --model gpt_6.7b --attention fused --tokens "
    "1e11\n\n"
    "If nothing fits even then, plan exits with 2 and names the setup that needs the least\n"
    "memory. If no plan meets the deadline or the budget, it exits with 0 and shows the closest\n"
    "one.\n";

// Whose papers train language models with them.
constexpr const char* kTrainedBetweenSites =
    "wan_sync,wan_sync_bf16,diloco,diloco_int8,streaming_diloco,eager_diloco,decoupled_diloco,"
    "noloco,sparseloco,demo";

struct Texts {
  bool all = false, setups = false;
  std::string nodes, link_speeds, inner_schemes, aim, deadline, budget, electricity, parts;
};

po::options_description plan_flags(PlanOptions& o, Texts& texts) {
  po::options_description flags("Plan");
  auto add = flags.add_options();
  add("tokens", po::value(&o.question.goal.tokens)->required(), "tokens to train on, e.g. 1e12");
  add("goal", po::value(&texts.aim)->default_value("cheapest"),
      "cheapest: the lowest price; fastest: the shortest time; smallest-network: the slowest NICs, "
      "then the lowest price, with which training reaches --share of the speed that the same nodes "
      "have with an unlimited network");
  add("deadline", po::value(&texts.deadline),
      "maximum training time, e.g. \"30 days\"; slower plans are left out");
  add("budget", po::value(&texts.budget),
      "maximum price, e.g. \"2e6 USD\"; more expensive plans are left out");
  add("share", po::value(&o.question.goal.share),
      "fraction of full speed that --goal smallest-network must reach (default: 0.9)");
  add("nic-bandwidths", po::value(&texts.link_speeds),
      "NIC bandwidths to choose from, separated by commas (default: the topology's)");
  add("inner-scheme", po::value(&texts.inner_schemes),
      "schemes to choose from within each site, separated by commas (default: sharded); --scheme "
      "lists the schemes between sites");
  add("batch-tokens", po::value(&o.question.batch_tokens)->default_value(std::int64_t{4} << 20),
      "tokens per step, rounded up to the same number of sequences for each replica");
  add("critical-batch", po::value<double>(),
      "critical batch size: TOKENS per step beyond which a larger batch saves hardly any steps, as "
      "estimated by the gradient noise scale (McCandlish et al. 2018, arXiv:1812.06162). Larger "
      "steps are marked: price and time are for --tokens, but reaching the same loss may take more "
      "tokens");
  add("electricity", po::value(&texts.electricity),
      "electricity price for the GPUs, e.g. \"0.08 USD/kWh\" (default: not counted)");
  add("parts", po::value(&texts.parts),
      "file of switch ports, prices and watts, as of bom: adds what each plan's network costs to "
      "buy "
      "and what it draws");
  add("all", po::bool_switch(&texts.all),
      "also list plans that another one beats: dearer and no faster, or slower and no cheaper");
  add("setups", po::bool_switch(&texts.setups), "list the ten best setups instead, however alike");
  add("gap", po::value(&o.question.gap)->default_value(0.02, "0.02"),
      "a plan is found once no setup of its kind can be faster by more than this fraction; 0 "
      "searches "
      "exactly, as --setups does");
  add("exhaustive", po::bool_switch(&o.question.exhaustive),
      "simulate every setup that fits in memory: a check, for small searches");
  add("jobs,j", jobs_flag(o.question.jobs), kJobsHelp);
  add("format", po::value(&o.format)->default_value("table"), "table|json|csv");
  return flags;
}

std::vector<int> parse_nodes(const std::string& text) {
  std::set<int> nodes;
  for (const std::string& part : split(text)) {
    const auto value = sim::number_in<int>(part);
    if (!value || *value < 1) {
      throw InputError(fmt::format("--nodes: '{}' is not a number of nodes; write e.g. 4,8,16",
                                   sim::printable(part)));
    }
    nodes.insert(*value);
  }
  return {nodes.begin(), nodes.end()};
}

template <class T>
T more_than_nothing(const char* flag, const std::string& text, std::string_view example = {}) {
  const T value = quantity_of<T>(flag, text, example);
  if (!(value.base() > 0)) {
    throw InputError(
        fmt::format("{}: '{}' is 0; write a positive amount", flag, sim::printable(text)));
  }
  return value;
}

void parse_link_speeds(const std::string& text, PlanOptions& o) {
  std::map<double, std::string> speeds;  // of equal ones the first
  for (const std::string& part : split(text)) {
    speeds.emplace(more_than_nothing<sim::Bandwidth>("--nic-bandwidths", part).base(), part);
  }
  for (const auto& [speed, part] : speeds) {
    o.question.nic_bandwidths.push_back(sim::Bandwidth::from_base(speed));
    o.link_speeds.push_back(part);
  }
}

void parse_goal(const po::variables_map& values, const Texts& texts, sim::study::PlanGoal& goal) {
  goal.aim = sim::chosen("--goal", texts.aim, sim::study::kAims);
  if (!texts.deadline.empty()) {
    goal.deadline_s =
        more_than_nothing<sim::Seconds>("--deadline", texts.deadline, "30 days").base();
  }
  if (!texts.budget.empty())
    goal.budget_usd = more_than_nothing<sim::Dollars>("--budget", texts.budget).base();
  if (!texts.electricity.empty()) {
    goal.electricity = more_than_nothing<sim::EnergyPrice>("--electricity", texts.electricity);
  }
  check_tokens(goal.tokens);
  const bool shared = goal.aim == sim::study::Aim::smallest_network;
  if (values.count("share") == 0) {
    goal.share = shared ? 0.9 : 0;
  } else if (!shared) {
    throw InputError("--share: applies only to --goal smallest-network");
  } else if (!(goal.share > 0 && goal.share <= 1)) {
    throw InputError(fmt::format("--share: {} is not above 0 and at most 1", goal.share));
  }
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
  const bool sets_links = std::ranges::any_of(o.job.settings, [](const std::string& setting) {
    return setting.starts_with("network.nic_bandwidth=");
  });
  if (sets_links && !o.link_speeds.empty()) {
    throw InputError(
        "--nic-bandwidths: conflicts with --set network.nic_bandwidth; specify only one of them");
  }
}

ChosenFlags chosen_flags() {
  return {"scheme",
          "tp",
          "pp",
          "cp",
          "ep",
          "etp",
          "virtual-stages",
          "sequence-parallel",
          "placement",
          "zero",
          "reshard",
          "recompute",
          "micro-batch",
          "overlap",
          "weight-precision",
          "gradient-precision"};
}

constexpr std::string_view kSizeOfAStep =
    "the plan chooses it; set the size of a step with --batch-tokens";
constexpr RefusedFlag kRefusedByPlan[] = {{"accumulation", kSizeOfAStep},
                                          {"global-batch", kSizeOfAStep},
                                          {"hybrid-shard", "the plan chooses it; leave it out"}};

std::string default_schemes(bool between_sites) {
  return between_sites ? kTrainedBetweenSites : std::string("sharded,") + kTrainedSchemes;
}

// A plan's commands say these themselves.
bool is_said_anew(const std::string& flag) {
  return flag == "topology" || flag == "model" || flag == "scheme" || flag == "nodes";
}

void parse_search(const po::variables_map& values, const Texts& texts,
                  sim::study::PlanQuestion& question) {
  if (texts.all && texts.setups) {
    throw InputError(
        "--all: conflicts with --setups, which lists no kinds; specify only one of them");
  }
  if (texts.all) question.listing = sim::study::Listing::kinds;
  if (texts.setups) question.listing = sim::study::Listing::setups;
  if (!(question.gap >= 0 && question.gap < 1)) {
    throw InputError(fmt::format("--gap: {} is not a fraction, such as 0.02", question.gap));
  }
  if (question.batch_tokens < 1) {
    throw InputError(fmt::format("--batch-tokens: {} is less than 1", question.batch_tokens));
  }
  if (values.count("critical-batch") == 0) return;
  question.critical_batch = values["critical-batch"].as<double>();
  if (!(*question.critical_batch >= 1)) {
    throw InputError(fmt::format("--critical-batch: {} is less than 1", *question.critical_batch));
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

// A file may have a comma in its name.
std::vector<PlanOptions> on_topologies(PlanOptions o, const po::variables_map& values) {
  const std::string given = o.job.topology;
  const auto names = std::filesystem::exists(given) ? std::vector{given} : split(given);
  const auto wide = std::ranges::count_if(names, is_wide_area);
  o.among_both = wide > 0 && wide < std::ssize(names);
  if (o.among_both && o.parts) {
    throw InputError("--parts: applies to clusters; leave out the topologies of several sites");
  }
  std::vector<PlanOptions> all;
  for (const std::string& name : names) all.push_back(on_topology(o, name, values));
  return all;
}

void note_passed_on(const Arguments& arguments, const po::options_description& all,
                    const po::options_description& job, PlanOptions& o) {
  for (const auto& option : given_options(arguments, all).options) {
    if (job.find_nothrow(option.string_key, false) == nullptr) continue;
    if (is_said_anew(option.string_key)) continue;
    o.passed_on.push_back("--" + option.string_key);
    o.passed_on.insert(o.passed_on.end(), option.value.begin(), option.value.end());
  }
}

}  // namespace

std::vector<PlanOptions> parse_plan(const Arguments& arguments) {
  PlanOptions o;
  Texts texts;
  po::options_description job = job_flags(
      o.job, {.chosen = chosen_flags(), .refused = kRefusedByPlan, .sizes = &texts.nodes});
  add_reliability_flag(job, o.job);
  po::options_description flags;
  flags.add(job).add(plan_flags(o, texts));
  const auto parsed = parse_arguments(arguments, kPlanUsage, flags, {}, kRefusedByPlan);
  if (!parsed) return {};
  const po::variables_map& values = *parsed;
  check_format(o.format);
  o.inner_schemes = split(texts.inner_schemes.empty() ? "sharded" : texts.inner_schemes);
  if (!texts.nodes.empty()) o.question.nodes = parse_nodes(texts.nodes);
  if (!texts.link_speeds.empty()) parse_link_speeds(texts.link_speeds, o);
  parse_goal(values, texts, o.question.goal);
  parse_search(values, texts, o.question);
  o.job.target_tokens = o.question.goal.tokens;
  if (!texts.parts.empty()) o.parts = sim::read_network_parts(texts.parts);
  o.job.given = names_given(job, values);
  note_passed_on(arguments, flags, job, o);
  return on_topologies(o, values);
}

void read_question(PlanOptions& o) {
  JobOptions job = o.job;
  job.inner_scheme = o.inner_schemes.front();
  o.question.job = read_job(job);
  const std::vector<int>& nodes = o.question.nodes;
  if (!nodes.empty() && nodes.back() > o.question.job.cluster().nodes) {
    o.nodes_of_file = o.question.job.cluster().nodes;
    const std::string setting = fmt::format("cluster.nodes={}", nodes.back());
    job.settings.push_back(setting);
    o.job.settings.push_back(setting);
    o.passed_on.insert(o.passed_on.end(), {"--set", setting});
    o.question.job = read_job(job);
  }
  if (o.parts) static_cast<void>(bill_of(o.question.job.cluster(), *o.parts));  // that it has one
  if (!o.is_wide_area) return;
  for (const std::string& name : o.inner_schemes) {
    o.question.inner.push_back(scheme_of(name, "--inner-scheme", sim::SchemeKind::inside));
  }
  for (const sim::Site& site : o.question.job.topology.sites) {
    const std::string key = fmt::format("sites.{}.count=", site.name);
    if (std::ranges::any_of(o.job.settings,
                            [&](const std::string& one) { return one.starts_with(key); })) {
      o.question.fixed_counts.insert(site.name);
    }
  }
}

}  // namespace apps
