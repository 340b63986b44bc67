// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/site_choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/rounds/site_work.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/plan/site_times.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/topology/ranks.hpp"

namespace sim::study {
namespace {

void check_fits(const SiteSpace& space) {
  if (!space.candidates.empty()) return;
  const char* model = space.given.model.name.c_str();
  if (!space.closest) {
    throw InputError(
        fmt::format("`model`: {} cannot be split over any of these sites; leave out `tp`, `pp`, "
                    "`zero`, `micro-batch` or `recompute`, or choose another `scheme`",
                    model));
  }
  throw NothingFits(
      fmt::format(
          "`model`: no setup of {} fits in the memory of the sites' GPUs; the closest needs "
          "{:.1f} times as much",
          model, space.closest_share),
      space.chosen(*space.closest));
}

class SiteChoices : public Choices {
 public:
  SiteChoices(const PlanQuestion& question, SiteSpace space)
      : question_(question), space_(std::move(space)), times_(space_) {}

  void find_full_speeds(const std::function<void(const Choices&)>&) override {}

  [[nodiscard]] std::size_t count() const override { return space_.candidates.size(); }
  [[nodiscard]] bool is_group(std::size_t) const override { return false; }
  std::vector<std::size_t> open(std::size_t) override { return {}; }

  [[nodiscard]] std::vector<Kind> kinds(std::size_t i) const override {
    const Scheme& inside = space_.inner[layout(i).layout.scheme];
    const bool sends = place_count(space_.offers[layout(i).offer].area) > 1;
    return {{layout(i).offer, inside.compresses() || (sends && scheme(i).compresses())}};
  }
  [[nodiscard]] const Parallelism& parallelism(std::size_t i) const override {
    return layout(i).layout.parallelism;
  }

  double first_bound(std::size_t i) override { return times_.first_bound(at(i)); }
  double second_bound(std::size_t /*i*/) override { return 0; }
  double third_bound(std::size_t i) override { return times_.planned_bound(at(i)); }
  double seconds(std::size_t i) override { return times_.seconds(at(i)); }

  [[nodiscard]] double tokens(std::size_t i) const override { return round_tokens(space_, at(i)); }

  [[nodiscard]] Price price(std::size_t i, Seconds time) const override {
    Price price = price_of(context(i).area, time, question_.goal.extras);
    if (has_comers(context(i).area)) {
      const auto months = times_.known_months(at(i));
      if (months) price.egress = months->egress_usd_per_s * time.base();
    } else if (const Report* report = times_.known(at(i))) {
      price.egress = report->round->egress_usd / report->time_s * time.base();
    } else {
      price.egress = least_egress(context(i), scheme(i)) * question_.goal.tokens / tokens(i);
    }
    return price;
  }

  [[nodiscard]] int sites(std::size_t i) const override { return place_count(context(i).area); }
  [[nodiscard]] int gpus(std::size_t i) const override {
    int all = 0;
    for (const Site& site : context(i).area.sites) all += site.count * rank_count(site.cluster);
    return all;
  }
  // NICs are as the sites' clusters have them.
  [[nodiscard]] double nic_bandwidth_Bps(std::size_t) const override { return 0; }
  [[nodiscard]] double full_speed(std::size_t) const override { return 0; }

  PlanRow row(std::size_t i) override {
    Report report = times_.simulated(at(i));
    report.range = range_of(job(i), setup(i), report);
    if (const auto& months = times_.months(at(i))) {
      report.membership = with_ranges(*months, job(i), report);
    }
    const Seconds time = question_.goal.time(times_.seconds(at(i)) / tokens(i));
    return {.report = report,
            .step_tokens = step_tokens(space_, layout(i)),
            .energy_j = energy_j(context(i).area, time)};
  }

  [[nodiscard]] Job job(std::size_t i) const override { return job_of(space_, at(i)); }
  [[nodiscard]] Setup setup(std::size_t i) const override { return setup_of(space_, at(i)); }
  [[nodiscard]] Chosen chosen(std::size_t i) const override { return space_.chosen(at(i)); }
  std::vector<std::size_t> same_layout(std::size_t i) override {
    std::vector<std::size_t> same;
    for (std::size_t other = 0; other < count(); ++other) {
      if (other != i && at(other).layout == at(i).layout) same.push_back(other);
    }
    return same;
  }

  [[nodiscard]] std::vector<std::string> not_counted() const override {
    std::vector<std::string> parts;
    const auto& sites = space_.given.topology.sites;
    const auto lacks = [&](const char* what, const char* key, const auto& has) {
      std::string names;
      for (const Site& site : sites) {
        if (!has(site)) names += (names.empty() ? "" : ", ") + site.name;
      }
      if (!names.empty()) parts.push_back(fmt::format("{} of {} ({})", what, names, key));
    };
    lacks("GPUs", "gpu.price of their clusters is 0",
          [](const Site& site) { return site.cluster.gpu.price.base() > 0; });
    lacks("network within",
          "no network.node_price, port_price or bandwidth_price of their clusters",
          [](const Site& site) { return network_price(site.cluster).base() > 0; });
    lacks("data sent out", "egress is 0", [](const Site& site) { return site.egress.base() > 0; });
    return parts;
  }

  [[nodiscard]] std::string why_endless() override { return times_.why_endless(at(0)); }

  [[nodiscard]] Searched searched() const override {
    return {.setups = static_cast<std::int64_t>(space_.candidates.size()) + space_.too_large,
            .too_large = space_.too_large,
            .not_held = space_.not_held,
            .planned = times_.planned(),
            .simulated = times_.simulated_steps(),
            .rounds = times_.simulated_rounds()};
  }

 private:
  [[nodiscard]] const SiteCandidate& at(std::size_t i) const { return space_.candidates[i]; }
  [[nodiscard]] const SiteLayout& layout(std::size_t i) const {
    return space_.layouts[at(i).layout];
  }
  [[nodiscard]] const Scheme& scheme(std::size_t i) const { return space_.schemes[at(i).scheme]; }
  [[nodiscard]] RoundContext context(std::size_t i) const { return space_.context(layout(i)); }

  // Dollars of a round.
  static double least_egress(const RoundContext& context, const Scheme& scheme) {
    double usd = 0;
    for (std::size_t table = 0; table < context.area.sites.size(); ++table) {
      const Site& site = context.area.sites[table];
      usd += site.count * least_sent(context, table, scheme) * site.egress.base();
    }
    return usd;
  }

  const PlanQuestion& question_;
  const SiteSpace space_;
  SiteTimes times_;
};

}  // namespace

std::unique_ptr<Choices> site_choices(const PlanQuestion& question) {
  SiteSpace space = site_space_of(question);
  check_fits(space);
  return std::make_unique<SiteChoices>(question, std::move(space));
}

}  // namespace sim::study
