// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_upgrades.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "apps/plan/plan_nics.hpp"
#include "apps/plan/plan_rows.hpp"
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
  if (const auto& nics = row.chosen.nic_bandwidth) {
    for (std::string& one :
         nic_settings(place.question.job.cluster(), place.question.nic_bandwidths[*nics],
                      place.link_speeds[*nics])) {
      job.settings.push_back(std::move(one));
    }
  }
  job.settings.push_back(setting);
  return read_job(job);
}

Upgrade upgrade_of(const Places& places, const PlanRow& row, const std::string& setting) {
  const PlanOptions& place = places[row.question];
  const Job job = upgraded(place, row, setting);
  const Setup setup{job.setups[row.chosen.scheme].scheme, row.chosen.parallelism};
  Upgrade upgrade{.setting = setting};
  upgrade.speedup = row.report.time_s / simulate(job, setup).report.time_s;
  if (!place.buy) upgrade.saves_usd = row.price.of_time() * (1 - 1 / upgrade.speedup);
  const RowBill before = bill_of_row(places, row);
  if (!before) return upgrade;
  upgrade.costs_usd = (bill_of(job.cluster(), *place.parts).price() - before->price()).base();
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

std::vector<Upgrade> upgrades_of(const Places& places, const sim::study::PlanReport& report) {
  const PlanRow& row = report.rows.front();
  std::vector<Upgrade> all;
  for (const std::string& setting : places[row.question].upgrades) {
    all.push_back(upgrade_of(places, row, setting));
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
