// SPDX-License-Identifier: Apache-2.0
#include "apps/plan/plan_prices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "apps/job/settings.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"

namespace apps {
namespace {

using sim::InputError;

void check(const PlanOptions& o) {
  if (o.spot && !o.prices) {
    throw InputError("--spot: needs --prices, a file with spot_price and spot_kept of its GPUs");
  }
  if (o.prices && sets(o.job, "gpu.price")) {
    throw InputError("--prices: conflicts with --set gpu.price; specify only one of them");
  }
  if (o.spot && o.is_wide_area) {
    throw InputError(
        fmt::format("--spot: applies to one cluster, but {} is several sites; write "
                    "sites.NAME.stays in its file instead",
                    o.job.topology));
  }
  if (o.spot && !o.question.job.reliability) {
    throw InputError(
        "--spot: needs --reliability, which says what an interruption costs; add it, e.g. "
        "llama3_h100");
  }
}

void pass_on(PlanOptions& o, std::string setting) {
  o.passed_on.insert(o.passed_on.end(), {"--set", std::move(setting)});
}

// Nodes fail as often as they did and are taken back besides; there are no spares, but other nodes after a while.
void take_back_nodes(PlanOptions& o, const sim::GpuPrice& row) {
  auto& node = o.question.job.reliability->failures.node;
  const double rate = 1 / row.spot_kept->base() + (node ? 1 / node->base() : 0);
  node = sim::Seconds::from_base(1 / rate);
  sim::Recovery& recovery = o.question.job.reliability->recovery;
  recovery.repair = *row.spot_wait;
  recovery.spares = 0;
  pass_on(o, fmt::format("failures.node={:.15g}h", node->base() / sim::kHour_s));
  pass_on(o, fmt::format("recovery.repair={:.15g}s", recovery.repair.base()));
  pass_on(o, "recovery.spares=0");
}

void use_price(PlanOptions& o, sim::Gpu& gpu) {
  const sim::GpuPrice* const row = price_of(*o.prices, gpu.name);
  if (o.spot && (row == nullptr || !row->spot_price)) {
    throw InputError(fmt::format("--spot: {} has no spot_price of {}; add it beside its price",
                                 o.prices->file.string(), gpu.name));
  }
  if (row == nullptr) return;
  gpu.price = o.spot ? *row->spot_price : row->price;
  gpu.price_as_of =
      fmt::format("{}, {}{}", o.prices->as_of, o.prices->name, o.spot ? ", spot" : "");
  if (o.is_wide_area) return;
  pass_on(o, fmt::format("gpu.price={:.15g}USD/h", gpu.price.base() * sim::kHour_s));
  if (o.spot) take_back_nodes(o, *row);
}

}  // namespace

void use_prices(PlanOptions& o) {
  check(o);
  if (!o.prices) return;
  for (sim::Site& site : o.question.job.topology.sites) use_price(o, site.cluster.gpu);
  sim::study::Extras& extras = o.question.goal.extras;
  if (extras.electricity.base() == 0) extras.electricity = o.prices->electricity;
  extras.storage = o.prices->storage;
  extras.idle = o.prices->idle;
}

std::string prices_text(const Places& places) {
  std::vector<std::string> prices;
  std::set<std::string> dates;
  for (const PlanOptions& place : places) {
    const bool is_given = sets(place.job, "gpu.price");
    for (const sim::Site& site : place.question.job.topology.sites) {
      const sim::Gpu& gpu = site.cluster.gpu;
      const std::string date = is_given ? "given" : gpu.price_as_of;
      std::string text = fmt::format("{} {:.4g} USD", gpu.name, gpu.price.base() * sim::kHour_s);
      if (!date.empty()) text += " (" + date + ")";
      dates.insert(date);
      if (std::ranges::count(prices, text) == 0) prices.push_back(std::move(text));
    }
  }
  return sim::joined(prices, ", ") +
         (dates.size() > 1 ? "; they are of different dates, and compared all the same" : "");
}

}  // namespace apps
