// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_upgrades.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/study/simulation.hpp"

namespace apps {
namespace {

using sim::study::PlanRow;

// The job of a row on its nodes and NICs, with one more setting.
Job upgraded(const PlanOptions& place, const PlanRow& row, const std::string& setting) {
  JobOptions job = place.job;
  job.nodes = row.chosen.nodes;
  if (row.chosen.nic_bandwidth) {
    job.settings.push_back("network.nic_bandwidth=" + place.link_speeds[*row.chosen.nic_bandwidth]);
  }
  if (!setting.empty()) job.settings.push_back(setting);
  return read_job(job);
}

double usd_to_buy(const sim::Cluster& cluster, const sim::NetworkParts& parts) {
  return bill_of(cluster, parts).price().base();
}

Upgrade upgrade_of(const PlanOptions& place, const PlanRow& row, const std::string& setting) {
  const Setup setup{place.question.job.setups[row.chosen.scheme].scheme, row.chosen.parallelism};
  const Job before = upgraded(place, row, ""), after = upgraded(place, row, setting);
  Upgrade upgrade{.setting = setting};
  upgrade.speedup = simulate(before, setup).report.time_s / simulate(after, setup).report.time_s;
  if (!place.buy) upgrade.saves_usd = row.price.of_time() * (1 - 1 / upgrade.speedup);
  if (!place.parts) return upgrade;
  upgrade.costs_usd =
      usd_to_buy(after.cluster(), *place.parts) - usd_to_buy(before.cluster(), *place.parts);
  if (*upgrade.costs_usd > 0 && upgrade.saves_usd > 0) {
    upgrade.payback_s = row.time_s * *upgrade.costs_usd / upgrade.saves_usd;
  }
  return upgrade;
}

}  // namespace

void check_upgrades(const PlanOptions& place) {
  constexpr std::string_view kSet = "`set`";
  for (const std::string& setting : place.upgrades) {
    try {
      JobOptions job = place.job;
      job.settings.push_back(setting);
      static_cast<void>(read_job(job));
    } catch (const sim::InputError& error) {
      const std::string_view text = error.what();
      throw sim::InputError(fmt::format("`upgrade`{}{}", text.starts_with(kSet) ? "" : ": ",
                                        text.substr(text.starts_with(kSet) ? kSet.size() : 0)));
    }
  }
}

std::vector<Upgrade> upgrades_of(const std::vector<PlanOptions>& places,
                                 const sim::study::PlanReport& report) {
  const PlanRow& row = report.rows.front();
  const PlanOptions& place = places[row.question];
  std::vector<Upgrade> all;
  for (const std::string& setting : place.upgrades) {
    all.push_back(upgrade_of(place, row, setting));
  }
  return all;
}

std::string text_of(const Upgrade& upgrade) {
  const auto usd = [](double amount) { return to_text(sim::Dollars::from_base(std::abs(amount))); };
  std::string text =
      fmt::format("{}: {:.1f} % {}", upgrade.setting, 100 * std::abs(upgrade.speedup - 1),
                  upgrade.speedup < 1 ? "slower" : "faster");
  if (upgrade.saves_usd > 0)
    text += fmt::format(", saves {} of this training", usd(upgrade.saves_usd));
  if (upgrade.costs_usd) {
    text += fmt::format(", costs {} {} to buy", usd(*upgrade.costs_usd),
                        *upgrade.costs_usd < 0 ? "less" : "more");
  }
  if (upgrade.payback_s) {
    text += fmt::format("; pays for itself in {} of such training",
                        sim::long_time_text(*upgrade.payback_s));
  } else if (upgrade.costs_usd && *upgrade.costs_usd > 0 && upgrade.speedup <= 1) {
    text += "; never pays for itself";
  }
  return text;
}

}  // namespace apps
