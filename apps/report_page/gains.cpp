// SPDX-License-Identifier: Apache-2.0
#include "apps/report_page/gains.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

constexpr const char* kScheme = "scheme";

std::optional<sim::Verdict> verdict_named(const Inputs& name) {
  for (const auto one : {sim::Verdict::win, sim::Verdict::tie, sim::Verdict::loss}) {
    if (name == sim::verdict_name(one)) return one;
  }
  return std::nullopt;
}

std::optional<sim::LikelyRatio> stored_range(const StoredPoint& point) {
  const sim::LikelyRatio range{figure_of(point, "speedup_low"), figure_of(point, "speedup_high")};
  return range.low > 0 ? std::optional(range) : std::nullopt;
}

// Over the baseline that the study names. Stores of older versions have no verdict.
std::optional<Gain> own_gain(const StoredPoint& point) {
  const Inputs& report = point.outcome.report;
  const Inputs baseline = report.value("baseline", Inputs());
  const double speedup = figure_of(point, "speedup");
  if (!baseline.is_string() || !(speedup > 0)) return std::nullopt;
  Gain gain{.over = baseline,
            .over_fits = report.value("baseline_fits_memory", Inputs()) != false,
            .speedup = speedup};
  gain.verdict = report.contains("verdict")
                     ? verdict_named(report["verdict"])
                     : sim::study::verdict_of({.speedup = speedup,
                                               .range = stored_range(point),
                                               .fits = point.outcome.state == "done",
                                               .other_fits = gain.over_fits});
  return gain;
}

// One that has no baseline of its own.
struct Rival {
  std::int64_t number = 0;
  std::string scheme;
  Inputs inputs;
  PointSpeed speed;
};

// What is trained, and on what: with another, throughputs are not compared.
bool is_of_task(const std::string& input) {
  return input.starts_with("model") || input == "sequence" || input == "topology";
}

// The inputs that the scheme determines, itself included; those that never vary do no harm.
std::set<std::string> follow_from_scheme(const std::vector<Rival>& rivals) {
  std::map<std::string, Inputs> first;  // by scheme
  std::set<std::string> names;
  for (const Rival& one : rivals) {
    first.try_emplace(one.scheme, one.inputs);
    for (const auto& [name, value] : one.inputs.items()) {
      if (!is_of_task(name)) names.insert(name);
    }
  }
  for (const Rival& one : rivals) {
    const Inputs& alike = first.at(one.scheme);
    std::erase_if(names, [&](const std::string& name) {
      return one.inputs.value(name, Inputs()) != alike.value(name, Inputs());
    });
  }
  return names;
}

// The fastest uncompressed one, of those that fit in memory if any does.
const Rival* baseline_among(const std::vector<const Rival*>& rivals) {
  const Rival* best = nullptr;
  for (const Rival* one : rivals) {
    if (!sends_plain(one->scheme)) continue;
    const auto key = [](const Rival* each) {
      return std::pair(each->speed.fits, each->speed.tokens_per_s);
    };
    if (best == nullptr || key(one) > key(best)) best = one;
  }
  return best;
}

void add_gains(const std::vector<const Rival*>& rivals, Gains& gains) {
  const Rival* base = baseline_among(rivals);
  if (base == nullptr) return;
  for (const Rival* one : rivals) {
    gains[one->number] = {.over = base->scheme,
                          .over_fits = base->speed.fits,
                          .speedup = speedup_of(one->speed, base->speed),
                          .verdict = verdict_of(one->speed, base->speed)};
  }
}

std::string scheme_of(const StoredPoint& point) {
  const Inputs given = point.inputs.value(kScheme, Inputs());
  const Inputs found = given.is_string() ? given : point.outcome.report.value(kScheme, Inputs());
  return found.is_string() ? found.get<std::string>() : "";
}

}  // namespace

Gains gains_of(Store& store) {
  Gains gains;
  std::vector<Rival> rivals;
  store.each_finished([&](const StoredPoint& point) {
    if (point.outcome.report.is_null()) return;
    const auto own = own_gain(point);
    gains[point.number] = own.value_or(Gain{});
    if (!own) {
      rivals.push_back({point.number, scheme_of(point), point.inputs, speed_of(point)});
    }
  });
  const std::set<std::string> left_out = follow_from_scheme(rivals);
  std::map<Inputs, std::vector<const Rival*>> alike;
  for (const Rival& one : rivals) {
    Inputs place = one.inputs;
    for (const std::string& name : left_out) place.erase(name);
    alike[place].push_back(&one);
  }
  for (const auto& [place, group] : alike) add_gains(group, gains);
  return gains;
}

}  // namespace apps
