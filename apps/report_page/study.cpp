// SPDX-License-Identifier: Apache-2.0
#include "apps/report_page/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/report_page/gains.hpp"
#include "apps/report_page/page.hpp"
#include "sim/base/error.hpp"
#include "sim/report/figures.hpp"
#include "sim/study/sweep/base_units.hpp"

namespace apps {
namespace {

// Predictions have fewer digits than that, and the page is half as large; export has them all.
Inputs rounded(const Inputs& value) {
  if (!value.is_number_float()) return value;
  return std::strtod(fmt::format("{:.7g}", value.get<double>()).c_str(), nullptr);
}

// What stands in a column: as many values as there are points.
struct Column {
  std::string name, kind;
  std::vector<Inputs> values;
};

class Columns {
 public:
  void begin_row() { ++rows_; }
  void set(const std::string& name, const char* kind, const Inputs& value) {
    const auto [place, is_new] = places_.emplace(kind + name, columns_.size());
    if (is_new) columns_.push_back({name, kind, {}});
    std::vector<Inputs>& values = columns_[place->second].values;
    values.resize(rows_ - 1);
    values.push_back(rounded(value));
  }
  // Without those that are empty.
  [[nodiscard]] Inputs json() {
    Inputs list = Inputs::array();
    for (Column& column : columns_) {
      column.values.resize(rows_);
      const auto empty = [](const Inputs& value) { return value.is_null(); };
      if (!std::ranges::all_of(column.values, empty)) list.push_back(json_of(column));
    }
    return list;
  }

 private:
  static Inputs json_of(const Column& column) {
    std::map<Inputs, std::size_t> places;
    Inputs known = Inputs::array(), of_rows = Inputs::array();
    for (const Inputs& value : column.values) {
      const auto [place, is_new] = places.emplace(value, known.size());
      if (is_new) known.push_back(value);
      of_rows.push_back(place->second);
    }
    if (2 * known.size() > column.values.size()) {
      return {{"name", column.name}, {"kind", column.kind}, {"values", column.values}};
    }
    return {{"name", column.name}, {"kind", column.kind}, {"known", known}, {"places", of_rows}};
  }

  std::size_t rows_ = 0;
  std::vector<Column> columns_;
  std::map<std::string, std::size_t> places_;
};

// How often each pair of a name and a text is met.
class Mentions {
 public:
  void add(const std::string& name, const Inputs& text, std::int64_t times = 1) {
    if (text.is_string() && times > 0) counts_[{name, text.get<std::string>()}] += times;
  }
  [[nodiscard]] Inputs json() const {
    Inputs list = Inputs::array();
    for (const auto& [pair, count] : counts_) {
      list.push_back({{"name", pair.first}, {"text", pair.second}, {"points", count}});
    }
    return list;
  }

 private:
  std::map<std::pair<std::string, std::string>, std::int64_t> counts_;
};

void add_inputs(const StoredPoint& point, Columns& columns, Inputs& numbers) {
  for (const auto& [key, value] : point.inputs.items()) {
    columns.set(key, "input", value);
    if (!value.is_string()) continue;
    const auto text = value.get<std::string>();
    if (const auto number = sim::sweep::in_base_units(text)) numbers[text] = number->value;
  }
}

// The figures of a point's comparison, by gains_of(), in place of the report's.
Inputs with_gain(Inputs report, const Gain& gain) {
  if (gain.over.empty()) return report;
  report["speedup"] = gain.speedup;
  report["verdict"] = gain.verdict ? Inputs(sim::verdict_name(*gain.verdict)) : Inputs();
  report["baseline_fits_memory"] = gain.over_fits;
  return report;
}

void add_figures(const StoredPoint& point, const Gains& gains, Columns& columns) {
  if (point.outcome.report.is_null()) return;
  const Gain& gain = gains.at(point.number);
  const Inputs report = with_gain(point.outcome.report, gain);
  columns.set("over", "row", or_null(gain.over));
  std::set<std::string> given;
  for (const auto& [key, value] : point.inputs.items()) given.insert(column_of(key));
  for (const auto& [key, value] : report.items()) {
    if (sim::sweep::is_figure(key, value) && !given.contains(key))
      columns.set(key, "figure", value);
  }
  columns.set("bound", "figure", report.value("bound", Inputs()));
  const Inputs errors = report.value("codec_error", Inputs::object());
  columns.set("codec_error", "figure", errors.value("normal", Inputs()));
}

Inputs json_of(const std::vector<sim::sweep::Session>& sessions) {
  Inputs list = Inputs::array();
  for (const auto& one : sessions) {
    list.push_back({{"begun", one.begun},
                    {"ended", one.ended},
                    {"version", one.version},
                    {"program_sha256", one.program_sha256},
                    {"host", one.host},
                    {"shard", one.shard},
                    {"workers", one.workers},
                    {"wall_s", rounded(one.wall_s)}});
  }
  return list;
}

Inputs states_of(Store& store) {
  Inputs states = Inputs::object();
  std::int64_t ended = 0;
  for (const auto& [state, count] : store.counts()) {
    if (state.empty()) continue;
    states[state] = count;
    if (state != "open") ended += count;
  }
  const std::string name = store.file().string();
  if (ended == 0) {
    throw sim::InputError(name + ": no point has been run yet; run its sweep first");
  }
  if (ended > kMostPointsOfAPage) {
    throw sim::InputError(
        fmt::format("{}: has {} points, but a page holds {}; sweep fewer, or use gardenhose export",
                    name, ended, kMostPointsOfAPage));
  }
  return states;
}

// `points` have each origin's.
Inputs files_of(Store& store, std::map<std::string, std::int64_t> points) {
  Mentions files;
  for (const auto& origin : store.origins()) {
    for (const auto& [name, hash] : origin.files) files.add(name, hash, points[origin.id]);
  }
  return files.json();
}

Inputs without_scheme(Inputs inputs) {
  inputs.erase("scheme");
  return inputs;
}

}  // namespace

Inputs study_of(Store& store) {
  Inputs study = {{"title", store.file().stem().string()},
                  {"store", store.file().filename().string()},
                  {"states", states_of(store)},
                  {"version", GARDENHOSE_VERSION}};
  const auto identity = store.identity();
  study["spec"] = identity ? identity->spec : "";
  study["shard"] = identity ? identity->shard : "";
  study["sessions"] = json_of(store.sessions());

  const Gains gains = gains_of(store);
  Columns columns;
  Mentions sources;
  Inputs numbers = Inputs::object();
  std::map<std::string, std::int64_t> points_of_origins;
  store.each_finished([&](const StoredPoint& point) {
    ++points_of_origins[point.origin];
    columns.begin_row();
    columns.set("number", "row", point.number);
    columns.set("state", "row", point.outcome.state);
    add_inputs(point, columns, numbers);
    add_figures(point, gains, columns);
    columns.set("message", "row", or_null(point.outcome.message));
    columns.set("command", "row", "gardenhose " + shell_text(arguments_of(point.inputs)));
    if (point.outcome.report.is_null()) return;
    const Inputs of_point = point.outcome.report.value("sources", Inputs::object());
    for (const auto& [name, text] : of_point.items()) sources.add(name, text);
  });
  study["units"] = figure_units();
  study["columns"] = columns.json();
  study["numbers"] = numbers;
  study["sources"] = sources.json();
  study["files"] = files_of(store, std::move(points_of_origins));
  return study;
}

std::vector<StoredPoint> telling_points(Store& store, std::size_t most) {
  const Gains gains = gains_of(store);
  std::optional<StoredPoint> best;
  const auto key_of = [&](const StoredPoint& point) {
    const Gain& gain = gains.at(point.number);
    return std::tuple(point.outcome.state == "done", gain.verdict == sim::Verdict::win,
                      gain.over_fits ? gain.speedup : 0, figure_of(point, "tokens_per_s"));
  };
  store.each_finished([&](const StoredPoint& point) {
    if (point.outcome.report.is_null()) return;
    if (!best || key_of(point) > key_of(*best)) best = point;
  });
  std::vector<StoredPoint> points;
  if (!best) return points;
  const Inputs alike = without_scheme(best->inputs);
  store.each_finished([&](const StoredPoint& point) {
    if (point.outcome.report.is_null() || without_scheme(point.inputs) != alike) return;
    // The best one has a place kept.
    const bool has_best = point.number >= best->number;
    if (point.number == best->number || points.size() + (has_best ? 0 : 1) < most) {
      points.push_back(point);
    }
  });
  return points;
}

}  // namespace apps
