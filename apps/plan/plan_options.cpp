// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/arguments.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/reliability_options.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/settings.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/launch/from_file.hpp"
#include "apps/plan/plan_nics.hpp"
#include "apps/plan/plan_prices.hpp"
#include "apps/plan/plan_topologies.hpp"
#include "apps/plan/plan_upgrades.hpp"
#include "apps/plan/plan_usage.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/plan/layouts.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

struct Texts {
  bool all = false, setups = false;
  std::string nodes, link_speeds, inner_schemes, aim, deadline, budget, electricity, parts, prices;
};

po::options_description plan_flags(PlanOptions& o, Texts& texts) {
  po::options_description flags("Plan");
  auto add = flags.add_options();
  flags.add(flag("tokens",
                 number_flag("--tokens", o.question.goal.tokens, sim::Counting::large)->required(),
                 "tokens to train on, e.g. 15T or 1e12", {.first_day = true}));
  flags.add(flag(
      "goal", po::value(&texts.aim)->default_value("cheapest"),
      "cheapest: the lowest price; fastest: the shortest time; smallest-network: the slowest NICs, "
      "then the lowest price, with which training reaches --share of the speed that the same nodes "
      "have with an unlimited network",
      {.first_day = true, .values = [] { return row_names(sim::study::kAims); }}));
  flags.add(flag(
      "deadline", po::value(&texts.deadline),
      "maximum training time, e.g. \"30 days\", which a plan has to keep with a probability of "
      "--confidence; near misses are listed last",
      {.first_day = true}));
  flags.add(flag("budget", po::value(&texts.budget),
                 "maximum price, e.g. '$3M' or \"3 MUSD\", which a plan has to keep likewise",
                 {.first_day = true}));
  add("confidence", number_flag("--confidence", o.question.goal.confidence)->default_value("0.8"),
      "probability with which a plan has to keep --deadline and --budget");
  add("share", number_flag("--share", o.question.goal.share),
      "fraction of full speed that --goal smallest-network must reach (default: 0.9)");
  flags.add(flag(
      "nic-bandwidths", po::value(&texts.link_speeds),
      "NIC bandwidths to choose from, separated by commas (default: the topology's); what is not "
      "sold, or is faster than the slots of the hosts, is left out",
      {.first_day = true}));
  add("inner-scheme", po::value(&texts.inner_schemes),
      "schemes to choose from within each site, separated by commas (default: sharded); --scheme "
      "lists the schemes between sites");
  add("batch-tokens",
      number_flag("--batch-tokens", o.question.batch_tokens, sim::Counting::large)
          ->default_value("4194304"),
      "tokens per step, rounded up to the same number of sequences for each replica; the default "
      "is 4Mi, 4M is 4000000");
  add("memory-headroom",
      number_flag("--memory-headroom", o.question.memory_headroom)->default_value("0"),
      "share of a GPU's memory that a setup must leave free besides what is predicted, which "
      "includes fragmentation, NCCL's buffers and the CUDA context");
  add("critical-batch",
      number_flag<double>(
          "--critical-batch", [&o](double tokens) { o.question.critical_batch = tokens; },
          sim::Counting::large),
      "critical batch size: TOKENS per step beyond which a larger batch saves hardly any steps, as "
      "estimated by the gradient noise scale (McCandlish et al. 2018, arXiv:1812.06162). Larger "
      "steps are marked: price and time are for --tokens, but reaching the same loss may take more "
      "tokens");
  add("electricity", po::value(&texts.electricity),
      "electricity price for the GPUs, e.g. \"0.08 USD/kWh\" (default: not counted)");
  add("prices", po::value(&texts.prices),
      "file of one's own prices: GPU hours, storage, electricity, and hours in which nothing "
      "trains (default: gpu.price of the topology)");
  add("spot", po::bool_switch(&o.spot),
      "GPUs at the spot prices of --prices, whose nodes are taken back now and then; with "
      "--reliability");
  add("parts", po::value(&texts.parts),
      "file of switch ports, prices and watts, as of bom: adds what each plan's network costs to "
      "buy "
      "and what it draws");
  add("buy", po::bool_switch(&o.buy),
      "prices are what the cluster costs to buy, by node.price and the rest of --parts, with the "
      "power of its years of use: with --tokens and --deadline \"1 day\", the cluster that trains "
      "so "
      "many tokens a day");
  add("upgrade", po::value(&o.upgrades)->composing(),
      "KEY=VALUE of the topology's file, e.g. network.oversubscription=1: what it gains for the "
      "plan "
      "to take, and, with --parts, what it costs to buy and when it has paid for itself");
  add("all", po::bool_switch(&texts.all),
      "also list plans that another one beats: dearer and no faster, or slower and no cheaper");
  add("setups", po::bool_switch(&texts.setups), "list the ten best setups instead, however alike");
  add("gap", number_flag("--gap", o.question.gap)->default_value("0.02"),
      "a plan is found once no setup of its kind can be faster by more than this fraction; 0 "
      "searches "
      "exactly, as --setups does");
  add("exhaustive", po::bool_switch(&o.question.exhaustive),
      "simulate every setup that fits in memory: a check, for small searches");
  add("jobs,j", jobs_flag(o.question.jobs), kJobsHelp);
  flags.add(format_flag(o.format));
  return flags;
}

std::vector<int> parse_nodes(const std::string& text) {
  std::set<int> nodes;
  for (const std::string& part : split(text)) {
    const int value = flag_number<int>("--nodes", part);
    if (value < 1) {
      throw InputError(
          fmt::format("--nodes: {} is not a number of nodes; write e.g. 4,8,16", value));
    }
    nodes.insert(value);
  }
  return {nodes.begin(), nodes.end()};
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
    goal.extras.electricity =
        more_than_nothing<sim::EnergyPrice>("--electricity", texts.electricity);
  }
  check_tokens(goal.tokens);
  if (!(goal.confidence > 0 && goal.confidence < 1)) {
    throw InputError(
        fmt::format("--confidence: {} is not a probability between 0 and 1", goal.confidence));
  }
  const bool shared = goal.aim == sim::study::Aim::smallest_network;
  if (values.count("share") == 0) {
    goal.share = shared ? 0.9 : 0;
  } else if (!shared) {
    throw InputError("--share: applies only to --goal smallest-network");
  } else if (!(goal.share > 0 && goal.share <= 1)) {
    throw InputError(fmt::format("--share: {} is not above 0 and at most 1", goal.share));
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

// A plan's commands say these themselves.
bool is_said_anew(const std::string& flag) {
  return flag == "from" || flag == "topology" || flag == "model" || flag == "scheme" ||
         flag == "nodes";
}

void parse_search(const Texts& texts, sim::study::PlanQuestion& question) {
  if (texts.all && texts.setups) {
    throw InputError(
        "--all: conflicts with --setups, which lists no kinds; specify only one of them");
  }
  if (texts.all) question.listing = sim::study::Listing::kinds;
  if (texts.setups) question.listing = sim::study::Listing::setups;
  if (!(question.gap >= 0 && question.gap < 1)) {
    throw InputError(fmt::format("--gap: {} is not a fraction, such as 0.02", question.gap));
  }
  if (!(question.memory_headroom >= 0 && question.memory_headroom < 1)) {
    throw InputError(fmt::format("--memory-headroom: {} is not a fraction, such as 0.02",
                                 question.memory_headroom));
  }
  if (question.batch_tokens < 1) {
    throw InputError(fmt::format("--batch-tokens: {} is less than 1", question.batch_tokens));
  }
  if (question.critical_batch && !(*question.critical_batch >= 1)) {
    throw InputError(fmt::format("--critical-batch: {} is less than 1", *question.critical_batch));
  }
}

void note_passed_on(const Arguments& arguments, const po::options_description& all,
                    const po::options_description& job, PlanOptions& o) {
  for (const auto& option : given_options(arguments, all).options) {
    if (job.find_nothrow(option.string_key, false) == nullptr) continue;
    if (is_said_anew(option.string_key) || o.job.listed.contains(option.string_key)) continue;
    o.passed_on.push_back("--" + option.string_key);
    o.passed_on.insert(o.passed_on.end(), option.value.begin(), option.value.end());
  }
}

// Stages of ZeRO come with stacks of their own; with the attention of these, plans would be compared of unlike
// kernels.
void give_all_one_attention(PlanOptions& o) {
  if (o.job.parallelism.contains("attention") || o.job.parallelism.contains("stack")) return;
  o.job.parallelism["attention"] = kPlanAttention;
  o.passed_on.insert(o.passed_on.end(), {"--attention", kPlanAttention});
  o.assumes_attention = true;
}

}  // namespace

Places parse_plan(const Arguments& given) {
  PlanOptions o;
  Texts texts;
  po::options_description job = job_flags(o.job, {.chosen = chosen_flags(),
                                                  .refused = kRefusedByPlan,
                                                  .lists = sim::study::kListedFields,
                                                  .sizes = &texts.nodes});
  add_reliability_flag(job, o.job);
  po::options_description flags;
  flags.add(job).add(plan_flags(o, texts));
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return {};
  const auto parsed = parse_arguments(*arguments, kPlanUsage, flags, {}, kRefusedByPlan);
  if (!parsed) return {};
  const po::variables_map& values = *parsed;
  check_format(o.format);
  o.inner_schemes = split(texts.inner_schemes.empty() ? "sharded" : texts.inner_schemes);
  if (!texts.nodes.empty()) o.question.nodes = parse_nodes(texts.nodes);
  if (!texts.link_speeds.empty()) parse_nics(texts.link_speeds, o);
  parse_goal(values, texts, o.question.goal);
  parse_search(texts, o.question);
  o.job.target_tokens = o.question.goal.tokens;
  if (!texts.prices.empty()) o.prices = sim::read_price_list(texts.prices);
  if (!texts.parts.empty()) o.parts = sim::read_network_parts(texts.parts);
  o.job.given = names_given(job, values);
  note_passed_on(*arguments, flags, job, o);
  give_all_one_attention(o);
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
  leave_out_unbuilt_nics(o);
  use_prices(o);
  check_upgrades(o);
  if (o.buy && !(o.parts && o.parts->node)) {
    throw InputError("--buy: needs --parts, a file with node.price and the parts of the network");
  }
  if (o.buy) o.question.buy = o.parts;
  if (o.parts) static_cast<void>(bill_of(o.question.job.cluster(), *o.parts));  // that it has one
  if (!o.is_wide_area) return;
  for (const std::string& name : o.inner_schemes) {
    o.question.inner.push_back(scheme_of(name, "--inner-scheme", sim::SchemeKind::inside));
  }
  for (const sim::Site& site : o.question.job.topology.sites) {
    if (sets(o.job, fmt::format("sites.{}.count", site.name))) {
      o.question.fixed_counts.insert(site.name);
    }
  }
}

}  // namespace apps
