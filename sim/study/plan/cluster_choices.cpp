// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/cluster_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/study/goodput.hpp"
#include "sim/study/plan/best_first.hpp"
#include "sim/study/plan/cluster_times.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/topology/ranks.hpp"

namespace sim::study {
namespace {

constexpr double kUnlimited = 1000;  // times the fastest NICs

// Opens groups until something fits.
void check_fits(Space& space) {
  for (const Candidate& group : space.groups) {
    if (!open(space, group).empty()) return;
  }
  const Gpu& gpu = space.given.cluster().gpu;
  if (!space.smallest) {
    const Collectives& asked = space.given.cluster().collectives;
    if (asked.algorithm != nullptr || asked.protocol) check(space.given, space.given.setups);
    throw InputError(
        fmt::format("`model`: {} cannot be split over any of these clusters; leave out `tp`, `pp`, "
                    "`zero`, `micro-batch` or `recompute`, or change `nodes`",
                    space.given.model.name));
  }
  throw NothingFits(
      fmt::format(
          "`model`: no setup of {} fits in the {:.1f} GB of the {}{}; the smallest needs {:.1f} GB",
          space.given.model.name, static_cast<double>(gpu.memory.count) / 1e9, gpu.name,
          space.memory_headroom > 0
              ? fmt::format(" less {:g} % (`memory-headroom`)", 100 * space.memory_headroom)
              : "",
          space.least_memory / 1e9),
      *space.smallest);
}

// The same with NICs that are no limit.
PlanQuestion with_unlimited_network(PlanQuestion question) {
  Bandwidth most = question.job.cluster().network.nic_bandwidth;
  if (!question.nic_bandwidths.empty()) most = question.nic_bandwidths.back();
  question.nic_bandwidths = {most * kUnlimited};
  return question;
}

using SpeedsByNodes = std::map<int, double>;  // seconds per token with an unlimited network

class ClusterChoices : public Choices {
 public:
  ClusterChoices(const PlanQuestion& question, Space space)
      : question_(question), space_(std::move(space)), times_(space_), candidates_(space_.groups) {
    for (const Scheme& scheme : space_.schemes) compressions_.insert(scheme.compresses());
    for (std::size_t offer = 0; question.buy && offer < space_.offers.size(); ++offer) {
      to_buy_.push_back(to_buy(offer));
    }
  }

  void find_full_speeds(const std::function<void(const Choices&)>& progress) override;

  [[nodiscard]] std::size_t count() const override { return space_.groups.size(); }
  [[nodiscard]] bool is_group(std::size_t i) const override { return at(i).is_group(); }

  std::vector<std::size_t> open(std::size_t group) override {
    const auto [found, added] = members_.try_emplace(group);
    if (added) {
      for (const Candidate& one : study::open(space_, at(group))) {
        found->second.push_back(candidates_.size());
        candidates_.push_back(one);
      }
    }
    return found->second;
  }

  [[nodiscard]] std::vector<Kind> kinds(std::size_t i) const override {
    const Candidate& one = at(i);
    if (!one.is_group()) return {{one.offer, space_.setup(one).scheme.compresses()}};
    std::vector<Kind> kinds;
    for (const bool compresses : compressions_) kinds.push_back({one.offer, compresses});
    return kinds;
  }
  [[nodiscard]] const Parallelism& parallelism(std::size_t i) const override {
    const Candidate& one = at(i);
    return one.is_group() ? space_.frames[one.frame].parallelism
                          : space_.layouts[one.layout].parallelism;
  }

  double first_bound(std::size_t i) override { return times_.first_bound(at(i)); }
  double second_bound(std::size_t i) override { return times_.ordered_bound(at(i)); }
  double third_bound(std::size_t i) override { return times_.planned_bound(at(i)); }
  double seconds(std::size_t i) override { return times_.simulated(at(i)).time_s; }

  [[nodiscard]] double tokens(std::size_t i) const override { return step_tokens(space_, at(i)); }
  [[nodiscard]] Price price(std::size_t i, Seconds time) const override {
    if (question_.buy) return to_buy_[at(i).offer];
    return price_of(cluster(i), time, question_.goal.extras);
  }
  [[nodiscard]] int gpus(std::size_t i) const override { return rank_count(cluster(i)); }
  [[nodiscard]] double nic_bandwidth_Bps(std::size_t i) const override {
    return cluster(i).network.nic_bandwidth.base();
  }
  [[nodiscard]] double full_speed(std::size_t i) const override {
    const auto found = full_speeds_.find(cluster(i).nodes);
    return found == full_speeds_.end() ? 0 : found->second;
  }

  PlanRow row(std::size_t i) override {
    Report step = times_.simulated(at(i));
    step.range = range_of(space_.job(at(i)), space_.setup(at(i)), step);
    step.goodput = goodput_of(space_.job(at(i)), space_.setup(at(i)), step);
    return {.report = step,
            .nic_bandwidth_Bps = nic_bandwidth_Bps(i),
            .step_tokens = tokens(i),
            .energy_j = step.energy_j * question_.goal.tokens / tokens(i)};
  }

  [[nodiscard]] Job job(std::size_t i) const override { return space_.job(at(i)); }
  [[nodiscard]] Setup setup(std::size_t i) const override { return space_.setup(at(i)); }
  [[nodiscard]] Chosen chosen(std::size_t i) const override {
    return space_.chosen(space_.layouts[at(i).layout], at(i).offer);
  }
  std::vector<std::size_t> same_layout(std::size_t i) override {
    const Candidate one = at(i);
    const auto is_group = [&](const Candidate& group) {
      return group.offer == one.offer && group.frame == one.frame;
    };
    const auto group = std::ranges::find_if(space_.groups, is_group) - space_.groups.begin();
    std::vector<std::size_t> same = open(static_cast<std::size_t>(group));
    std::erase_if(same, [&](std::size_t other) {
      return other == i || setup(other).parallelism != setup(i).parallelism;
    });
    return same;
  }

  [[nodiscard]] std::vector<std::string> not_counted() const override {
    const Cluster& cluster = space_.given.cluster();
    std::vector<std::string> parts;
    if (question_.buy) return {"buildings, cooling and staff"};
    if (cluster.gpu.price.base() == 0) parts.emplace_back("GPUs (gpu.price is 0)");
    const Network& network = cluster.network;
    if (!network.node_price && !network.port_price && !network.bandwidth_price) {
      parts.emplace_back(
          "network beyond what gpu.price includes (no network.node_price, port_price or "
          "bandwidth_price)");
    }
    return parts;
  }

  [[nodiscard]] std::string why_endless() override { return "a step takes forever"; }

  [[nodiscard]] Searched searched() const override {
    Searched all = before_;
    all.setups = space_.setups;
    all.too_large = space_.too_large;
    all.not_held = space_.not_held;
    all.planned += times_.planned();
    all.simulated += times_.simulations();
    return all;
  }

 private:
  [[nodiscard]] const Candidate& at(std::size_t i) const { return candidates_[i]; }
  [[nodiscard]] const Cluster& cluster(std::size_t i) const { return space_.job(at(i)).cluster(); }

  [[nodiscard]] Price to_buy(std::size_t offer) const {
    const Cluster& given = space_.given.cluster();
    const Cluster& offered = space_.offers[offer].cluster();
    return price_to_buy(bought_with_nics(part_of(given, offered.nodes, given.gpus_per_node),
                                         offered.network.nic_bandwidth),
                        *question_.buy, question_.goal.extras.electricity);
  }

  const PlanQuestion& question_;
  Space space_;
  ClusterTimes times_;
  std::set<bool> compressions_;                              // of some scheme
  std::vector<Candidate> candidates_;                        // the groups, then what was opened
  std::map<std::size_t, std::vector<std::size_t>> members_;  // by group
  SpeedsByNodes full_speeds_;
  std::vector<Price> to_buy_;  // by offer, where the cluster is bought
  Searched before_;            // to find those
};

// Of the fastest setup of each number of nodes with a network that is no limit.
void ClusterChoices::find_full_speeds(const std::function<void(const Choices&)>& progress) {
  if (question_.goal.aim != Aim::smallest_network) return;
  const PlanQuestion question = with_unlimited_network(question_);
  ClusterChoices unlimited(question, space_of(question));
  const Space& space = unlimited.space_;
  for (std::size_t offer = 0; offer < space.offers.size(); ++offer) {
    const auto scoring = [&](std::size_t candidate, double seconds) -> std::optional<Score> {
      if (unlimited.at(candidate).offer != offer) return std::nullopt;
      return Score{seconds / unlimited.tokens(candidate), 0, 0};
    };
    BestFirst search(unlimited, scoring,
                     {.exhaustive = question_.exhaustive, .jobs = question_.jobs}, progress);
    const auto best = search.next();
    require(best.has_value(), "what fits in memory with one network fits with any");
    full_speeds_[space.offers[offer].cluster().nodes] = best->score[0];
  }
  before_ = unlimited.searched();
}

}  // namespace

std::unique_ptr<Choices> cluster_choices(const PlanQuestion& question) {
  Space space = space_of(question);
  check_fits(space);
  return std::make_unique<ClusterChoices>(question, std::move(space));
}

}  // namespace sim::study
