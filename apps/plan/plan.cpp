// plan: the best ways to train a model on so many tokens.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/plan/best_first.hpp"
#include "apps/plan/plan_report.hpp"
#include "apps/plan/run_line.hpp"
#include "apps/progress.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/cluster/fabric.hpp"

namespace apps {
namespace {

using sim::InputError;

constexpr std::size_t kBest = 10;
constexpr double kUnlimited = 1000;  // times the fastest NICs

void check_money(const PlanOptions& options, const Space& space) {
  const auto costs = [&](const Job& job) {
    return price_of(job.cluster, sim::Seconds::from_base(1), options.goal.electricity).total() > 0;
  };
  if (std::ranges::any_of(space.offers, costs)) return;
  const char* flag = options.goal.aim == Aim::cheapest        ? "--goal"
                     : options.goal.budget_usd < Goal::kNever ? "--budget"
                                                              : nullptr;
  if (flag == nullptr) return;
  throw InputError(
      fmt::format("{}: nothing of {} has a price; give gpu.price", flag, space.given.cluster.name));
}

void check_fits(const PlanOptions& options, const Space& space) {
  if (!space.candidates.empty()) return;
  const sim::Gpu& gpu = space.given.cluster.gpu;
  if (!space.smallest) {
    throw InputError(fmt::format(
        "--model: {} cannot be laid over any of these clusters; leave out --tp, --pp, --zero, "
        "--micro-batch or --recompute, or give other --nodes",
        space.given.model.name));
  }
  Space one = space;
  one.layouts = {*space.smallest};
  throw InputError(
      fmt::format("--model: no setup of {} fits in the {:.1f} GB of a {}; the least "
                  "needs {:.1f} GB: {}",
                  space.given.model.name, static_cast<double>(gpu.memory.count) / 1e9, gpu.name,
                  space.smallest->memory / 1e9, run_line(options, one, {space.smallest_offer, 0})));
}

// The same layouts, each on as many nodes with NICs that are no limit.
Space with_unlimited_network(const Space& space) {
  Space unlimited = space;
  unlimited.offers.clear();
  unlimited.candidates.clear();
  std::map<int, std::size_t> offers;  // by nodes
  std::vector<bool> seen(space.layouts.size());
  sim::Bandwidth most;
  for (const Job& offer : space.offers) {
    most = std::max(most, offer.cluster.network.nic_bandwidth);
  }
  for (const Candidate& candidate : space.candidates) {
    if (seen[candidate.layout]) continue;
    seen[candidate.layout] = true;
    const Job& job = space.job(candidate);
    const auto [found, added] = offers.try_emplace(job.cluster.nodes, unlimited.offers.size());
    if (added) {
      unlimited.offers.push_back(job);
      unlimited.offers.back().cluster = with_link_speed(job.cluster, most * kUnlimited);
    }
    unlimited.candidates.push_back({found->second, candidate.layout});
  }
  return unlimited;
}

class Planner {
 public:
  explicit Planner(const PlanOptions& options)
      : options_(options), space_(space_of(options)), times_(space_), progress_("searching", 0) {
    check_fits(options, space_);
    check_money(options, space_);
  }

  PlanReport run() {
    if (options_.goal.aim == Aim::smallest_network) find_full_speeds();
    PlanReport report{.topology = space_.given.cluster.name,
                      .model = space_.given.model.name,
                      .not_counted = not_counted()};
    std::vector<Ranked> best = search(
        space_, times_, kBest, [&](const Candidate& one, double s) { return score(one, s); });
    if (best.empty()) {
      report.met = false;
      best = search(space_, times_, 1, [&](const Candidate& one, double s) {
        return Score{excess(one, s), 0, 0};
      });
    }
    for (const Ranked& one : best) report.rows.push_back(row(one));
    report.improvements = next_dollar(best.front().candidate, report.rows.front());
    report.counts.bounded += times_.counts().bounded;
    report.counts.planned = counts_before_.planned + times_.counts().planned;
    report.counts.simulated = counts_before_.simulated + times_.counts().simulated;
    report.candidates = static_cast<std::int64_t>(space_.candidates.size()) + space_.too_large;
    report.too_large = space_.too_large;
    report.not_held = space_.not_held;
    return report;
  }

 private:
  std::vector<Ranked> search(const Space& space, CandidateTimes& times, std::size_t count,
                             const Scoring& scoring) {
    const auto how_far = [&] {
      return fmt::format("{} setups, {} planned, {} simulated", space.candidates.size(),
                         times.counts().planned, times.counts().simulated);
    };
    const auto say = [&] { progress_.show(how_far); };
    return (options_.exhaustive ? best_of_all : best_first)(space.candidates, scoring, count, times,
                                                            say);
  }

  [[nodiscard]] static double per_token(const Space& space, const Candidate& one, double step_s) {
    return step_s / step_tokens(space, one);
  }

  // The fastest setup of each number of nodes with a network that is no limit.
  void find_full_speeds() {
    const Space unlimited = with_unlimited_network(space_);
    CandidateTimes times(unlimited);
    for (std::size_t offer = 0; offer < unlimited.offers.size(); ++offer) {
      const auto scoring = [&](const Candidate& one, double step_s) -> std::optional<Score> {
        if (one.offer != offer) return std::nullopt;
        return Score{per_token(unlimited, one, step_s), 0, 0};
      };
      const std::vector<Ranked> best = search(unlimited, times, 1, scoring);
      full_speed_[unlimited.offers[offer].cluster.nodes] = best.front().score[0];
    }
    counts_before_ = times.counts();
  }

  // Seconds per token with an unlimited network; 0 where nobody asked.
  [[nodiscard]] double full_speed(const Candidate& one) const {
    const auto found = full_speed_.find(space_.job(one).cluster.nodes);
    return found == full_speed_.end() ? 0 : found->second;
  }

  [[nodiscard]] std::optional<Score> score(const Candidate& one, double step_s) const {
    const double seconds = per_token(space_, one, step_s);
    const sim::Cluster& cluster = space_.job(one).cluster;
    if (!meets_limits(options_.goal, cluster, seconds)) return std::nullopt;
    if (options_.goal.share * seconds > full_speed(one) && options_.goal.share > 0) {
      return std::nullopt;
    }
    return score_of(options_.goal, cluster, seconds);
  }

  // By how much the limit that is missed most is missed.
  [[nodiscard]] double excess(const Candidate& one, double step_s) const {
    const Goal& goal = options_.goal;
    const double seconds = per_token(space_, one, step_s);
    const sim::Seconds time = goal.time(seconds);
    const double usd = price_of(space_.job(one).cluster, time, goal.electricity).total();
    double most = std::max(time.base() / goal.deadline_s, usd / goal.budget_usd);
    if (goal.share > 0) most = std::max(most, goal.share * seconds / full_speed(one));
    return most;
  }

  [[nodiscard]] std::vector<std::string> not_counted() const {
    const sim::Cluster& cluster = space_.given.cluster;
    std::vector<std::string> parts;
    if (cluster.gpu.price.base() == 0) parts.emplace_back("GPUs (gpu.price is 0)");
    const sim::Network& network = cluster.network;
    if (!network.node_price && !network.port_price && !network.bandwidth_price) {
      parts.emplace_back(
          "network beside what gpu.price has in it (no network.node_price, port_price or "
          "bandwidth_price)");
    }
    if (options_.goal.electricity.base() == 0) parts.emplace_back("power (no --electricity)");
    return parts;
  }

  PlanRow row(const Ranked& one) {
    const Candidate& candidate = one.candidate;
    const sim::Cluster& cluster = space_.job(candidate).cluster;
    const double seconds = per_token(space_, candidate, one.step_s);
    const sim::Seconds time = options_.goal.time(seconds);
    PlanRow row{.step = times_.simulated(candidate),
                .nic_bandwidth_Bps = cluster.network.nic_bandwidth.base(),
                .nodes = cluster.nodes,
                .step_tokens = step_tokens(space_, candidate),
                .time_s = time.base(),
                .price = price_of(cluster, time, options_.goal.electricity),
                .command = run_line(options_, space_, candidate)};
    row.energy_j = row.step.energy_j * options_.goal.tokens / row.step_tokens;
    row.speed_share = full_speed(candidate) / seconds;
    row.over_critical_batch = options_.critical_batch && row.step_tokens > *options_.critical_batch;
    return row;
  }

  [[nodiscard]] std::vector<Improvement> next_dollar(const Candidate& best, const PlanRow& row) {
    return improvements(space_.job(best), space_.setup(best), row.step.step_time_s, row.price,
                        sim::Seconds::from_base(row.time_s));
  }

  const PlanOptions& options_;
  const Space space_;
  CandidateTimes times_;
  Progress progress_;
  std::map<int, double> full_speed_;  // by nodes: seconds per token with an unlimited network
  SearchCounts counts_before_;        // of the search for them
};

}  // namespace

int plan_command(const Arguments& arguments) {
  const auto options = parse_plan(arguments);
  if (!options) return 0;
  print(*options, Planner(*options).run());
  return 0;
}

}  // namespace apps
