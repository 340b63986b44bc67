// SPDX-License-Identifier: Apache-2.0
#include "apps/check/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "apps/check/neighbours.hpp"
#include "apps/check/reference.hpp"

namespace apps {
namespace {

// How far from a figure a state is.
int badness(const std::string& state) {
  if (state == "done") return 0;
  if (state == "too_large") return 1;
  if (state == "aborted") return 3;
  if (state == "refused") return 4;
  if (state == "crashed") return 5;
  return 2;  // a round without some of its sites
}

Verdict verdict_of(const std::string& metric, double before, double now) {
  const Worse worse = worse_of(metric);
  if (worse == Worse::neither) return Verdict::moved;
  return (now > before) == (worse == Worse::more) ? Verdict::worse : Verdict::better;
}

// The names of either, the second's first.
std::vector<std::string> names_in(const Inputs& before, const Inputs& now) {
  std::vector<std::string> names;
  for (const auto& [name, value] : now.items()) names.push_back(name);
  for (const auto& [name, value] : before.items()) {
    if (!now.contains(name)) names.push_back(name);
  }
  return names;
}

Difference missing_or_new(const std::string& metric, std::optional<double> before,
                          std::optional<double> now) {
  const auto text = [](std::optional<double> value) { return value ? number_text(*value) : "-"; };
  const bool is_lost = before && worse_of(metric) != Worse::neither;
  return {metric, text(before), text(now), "", is_lost ? Verdict::worse : Verdict::moved, true};
}

std::vector<Difference> differences_of(const Result& before, const Result& now,
                                       const Tolerances& tolerances) {
  std::vector<Difference> all;
  if (before.state != now.state) {
    const int step = badness(now.state) - badness(before.state);
    all.push_back({"state", before.state, now.state, "",
                   step > 0   ? Verdict::worse
                   : step < 0 ? Verdict::better
                              : Verdict::moved});
    // Without figures there is nothing more to say.
    if (now.metrics.empty() || before.metrics.empty()) return all;
  }
  for (const std::string& metric : names_in(before.metrics, now.metrics)) {
    const auto then = number_of(before.metrics, metric), today = number_of(now.metrics, metric);
    const Tolerance tolerance = tolerance_of(metric, tolerances);
    if (tolerance.off) continue;
    if (!then || !today) {
      all.push_back(missing_or_new(metric, then, today));
    } else if (!is_within(*then, *today, tolerance)) {
      all.push_back({metric, number_text(*then), number_text(*today), change_text(*then, *today),
                     verdict_of(metric, *then, *today)});
      if (metric == "speedup") all.back().note = reference_text(&before, now);
    }
  }
  return all;
}

// Of moves within the tolerance, the largest that other rounding does not explain.
void note_largest_move(const Result& before, const Result& now, const Tolerances& tolerances,
                       ComparedPoint& compared) {
  for (const auto& [metric, value] : now.metrics.items()) {
    const auto then = number_of(before.metrics, metric);
    if (!then || *then == 0 || tolerance_of(metric, tolerances).off) continue;
    const auto today = value.get<double>();
    if (is_within(*then, today, kUsualTolerance)) continue;
    const double move = (today - *then) / std::abs(*then);
    if (std::abs(move) <= std::abs(compared.largest_move)) continue;
    compared.most_moved = metric;
    compared.largest_move = move;
  }
}

// "nodes was 2, is 4", for each of the names that is another one.
void add_changed(const Inputs& before, const Inputs& now, const char* kind,
                 std::vector<std::string>& changes) {
  const auto text = [](const Inputs& values, const std::string& name) {
    return values.contains(name) ? "'" + text_of(values[name]) + "'" : std::string("nothing");
  };
  for (const std::string& name : names_in(before, now)) {
    const std::string then = text(before, name), today = text(now, name);
    if (then != today)
      changes.push_back(fmt::format("{}{} was {}, is {}", kind, name, then, today));
  }
}

std::vector<std::string> changes_of(const Result& before, const Result& now,
                                    const Baseline& baseline, const Results& today) {
  std::vector<std::string> changes;
  for (const std::string& name : now.files) {
    const auto then = baseline.results.files.find(name);
    if (then == baseline.results.files.end()) {
      changes.push_back(name + " was not read");
    } else if (then->second != today.files.at(name)) {
      const bool missing = today.files.at(name).empty();
      changes.push_back(name + (missing ? " is missing" : " has changed"));
    }
  }
  if (now.metrics.empty() || before.metrics.empty()) return changes;
  add_changed(before.setup, now.setup, "", changes);
  add_changed(before.sources, now.sources, "source of ", changes);
  return changes;
}

// Of a point that today's lack: the input of which one of today's that are new has another value.
std::vector<std::string> changed_input(const Result& missing, const Neighbours& fresh) {
  std::vector<std::string> changes;
  const Result* const point = fresh.of(missing.inputs);
  if (point != nullptr) add_changed(missing.inputs, point->inputs, "", changes);
  return changes;
}

class Comparing {
 public:
  Comparing(const Baseline& baseline, const Results& now, const Tolerances& tolerances)
      : baseline_(baseline), now_(now), tolerances_(tolerances) {
    for (const Result& point : baseline.results.points) known_.emplace(id_of(point.inputs), &point);
  }

  ComparedResults run() {
    for (const Result& point : now_.points) add(point);
    for (const Result& point : baseline_.results.points) {
      if (!known_.contains(id_of(point.inputs))) continue;
      result_.points.push_back(
          {&point, &point, {{"point", "there", "not run", "", Verdict::gone}}, false});
      note(changed_input(point, fresh_), true);
    }
    if (baseline_.results.version != now_.version) {
      const auto moved = std::ranges::count_if(result_.points, [](const ComparedPoint& compared) {
        return !compared.differences.empty();
      });
      result_.changes.push_back(
          {fmt::format("gardenhose was {}, is {}", baseline_.results.version, now_.version),
           static_cast<int>(result_.points.size()), static_cast<int>(moved)});
    }
    return std::move(result_);
  }

 private:
  void add(const Result& point) {
    ComparedPoint compared{.point = &point, .crashed = point.state == "crashed"};
    const auto before = known_.find(id_of(point.inputs));
    if (before == known_.end()) {
      compared.differences.push_back({"point", "not there", point.state, "", Verdict::fresh});
      fresh_.add(point);
    } else {
      compared.before = before->second;
      compared.differences = differences_of(*before->second, point, tolerances_);
      if (compared.differences.empty()) {
        note_largest_move(*before->second, point, tolerances_, compared);
      }
      note(changes_of(*before->second, point, baseline_, now_), !compared.differences.empty());
      known_.erase(before);
    }
    result_.points.push_back(std::move(compared));
  }

  void note(const std::vector<std::string>& changes, bool moved) {
    for (const std::string& what : changes) {
      const auto [place, is_new] = places_.emplace(what, result_.changes.size());
      if (is_new) result_.changes.push_back({what, 0, 0});
      InputChange& change = result_.changes[place->second];
      ++change.points;
      change.moved += moved ? 1 : 0;
    }
  }

  const Baseline& baseline_;
  const Results& now_;
  const Tolerances& tolerances_;
  std::map<std::string, const Result*> known_;  // of the baseline, not met yet
  Neighbours fresh_;
  ComparedResults result_;
  std::map<std::string, std::size_t> places_;  // of its changes, by what they are
};

}  // namespace

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::same:
      return "as before";
    case Verdict::better:
      return "better";
    case Verdict::moved:
      return "moved";
    case Verdict::worse:
      return "worse";
    case Verdict::fresh:
      return "new";
    case Verdict::gone:
      return "gone";
    case Verdict::unmet:
      return "unmet";
  }
  return "?";
}

bool ComparedPoint::has_moved() const {
  return std::ranges::any_of(differences,
                             [](const Difference& d) { return d.verdict != Verdict::unmet; });
}

Verdict ComparedPoint::verdict() const {
  Verdict worst = crashed ? Verdict::worse : Verdict::same;
  for (const Difference& difference : differences) worst = std::max(worst, difference.verdict);
  return worst;
}

int ComparedResults::count(Verdict verdict) const {
  return static_cast<int>(std::ranges::count(points, verdict, &ComparedPoint::verdict));
}

ComparedResults compare(const Baseline& baseline, const Results& now,
                        const Tolerances& tolerances) {
  return Comparing(baseline, now, tolerances).run();
}

ComparedResults compared_with_nothing(const Results& now) {
  ComparedResults result{.has_baseline = false};
  for (const Result& point : now.points) {
    ComparedPoint compared{.point = &point, .crashed = point.state == "crashed"};
    if (compared.crashed) {
      compared.differences.push_back({"state", "-", point.state, "", Verdict::worse});
    }
    result.points.push_back(std::move(compared));
  }
  return result;
}

Labels::Labels(const ComparedResults& comparison) {
  std::map<std::string, std::set<std::string>> values;
  std::vector<std::string> order;
  for (const ComparedPoint& compared : comparison.points) {
    for (const auto& [name, value] : compared.point->inputs.items()) {
      if (values[name].empty()) order.push_back(name);
      values[name].insert(value.dump(-1, ' ', false, Inputs::error_handler_t::replace));
    }
  }
  for (const std::string& name : order) {
    const auto has = [&](const ComparedPoint& compared) {
      return compared.point->inputs.contains(name);
    };
    if (values[name].size() > 1 || !std::ranges::all_of(comparison.points, has)) {
      varying_.push_back(name);
    }
  }
  // Of a single point none varies.
  if (varying_.empty()) varying_ = order;
}

std::string Labels::of(const Result& point, bool all_keys) const {
  std::string label;
  const auto add = [&](const std::string& name) {
    label += fmt::format("{}{}={}", label.empty() ? "" : " ", name, text_of(point.inputs[name]));
  };
  if (all_keys) {
    const nlohmann::json sorted = point.inputs;
    for (const auto& [name, value] : sorted.items()) add(name);
  } else {
    for (const std::string& name : varying_) {
      if (point.inputs.contains(name)) add(name);
    }
  }
  return label;
}

}  // namespace apps
