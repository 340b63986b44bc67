// SPDX-License-Identifier: Apache-2.0
#include "apps/check/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "apps/check/tolerance.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"

namespace apps {
namespace {

// Whether a report ended well is in the state; range and verdict follow from the speed-up.
constexpr const char* kNotCompared[] = {"fits_memory", "baseline_fits_memory", "outcome",
                                        "speedup_low", "speedup_high",         "verdict"};

void add_figure(const std::string& key, const Inputs& value, Result& result) {
  if (value.is_null()) return;
  const bool is_compared = std::ranges::find(kNotCompared, key) == std::end(kNotCompared);
  const sim::Figure* const figure = sim::find_figure(key);
  // JSON may have it without a fraction.
  const bool is_measured = figure != nullptr && figure->unit.kind == sim::FigureKind::number;
  if (value.is_number_float() || (value.is_number() && is_measured)) {
    (is_compared ? result.metrics : result.uncompared)[key] = value.get<double>();
  } else if (is_compared) {
    result.setup[key] = text_of(value);
  }
}

void add_report(const Inputs& report, Result& result) {
  for (const auto& [key, value] : report.items()) {
    if (sim::sweep::is_figure(key, value)) add_figure(key, value, result);
  }
  const auto object = [&](const char* key) { return report.value(key, Inputs::object()); };
  const Inputs errors = object("codec_error"), sources = object("sources");
  for (const auto& [name, value] : errors.items()) {
    if (value.is_number()) result.metrics[std::string(kCodecErrors) + name] = value.get<double>();
  }
  for (const auto& [name, value] : sources.items()) {
    result.sources[name] = text_of(value);
  }
  const std::string outcome = text_of(report.value("outcome", Inputs("complete")));
  if (outcome != "complete") result.state = outcome;
}

Result empty_result(Inputs inputs, std::string state) {
  return {.inputs = std::move(inputs),
          .state = std::move(state),
          .metrics = Inputs::object(),
          .setup = Inputs::object(),
          .sources = Inputs::object(),
          .uncompared = Inputs::object()};
}

// Where no input names a calibration, all of them are looked through, and the report says which one
// was taken.
bool is_of(const Result& result, const std::string& file) {
  const std::filesystem::path path = file;
  const bool shipped = path.parent_path() == "traces/calibration" && path.stem() != "codec_error";
  const auto taken = result.setup.find("calibration");
  return !shipped || taken == result.setup.end() || *taken == path.stem().string();
}

class StoreReader {
 public:
  explicit StoreReader(Store& store) : store_(store) {
    for (auto& origin : store.origins()) origins_[origin.id] = std::move(origin);
  }

  Results read() {
    if (const auto open = store_.counts()["open"]; open > 0) {
      refuse(fmt::format(
          "{} of its points have not been run yet; repeat the sweep's command to go on", open));
    }
    store_.each_finished([&](const StoredPoint& point) { add(point); });
    if (results_.points.empty()) refuse("has no points");
    return std::move(results_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw sim::InputError(store_.file().string() + ": " + what);
  }

  void add(const StoredPoint& point) {
    Result result = empty_result(point.inputs, point.outcome.state);
    result.message = point.outcome.message;
    result.wall_s = point.outcome.wall_s;
    if (!point.outcome.report.is_null()) add_report(point.outcome.report, result);
    const auto& origin = origins_[point.origin];
    agree("gardenhose", origin.version, results_.version);
    for (const auto& [name, hash] : origin.files) {
      if (!is_of(result, name)) continue;
      agree(name, hash, results_.files.emplace(name, hash).first->second);
      result.files.push_back(name);
    }
    results_.points.push_back(std::move(result));
  }

  // All points have the same.
  void agree(const std::string& name, const std::string& given, std::string& known) const {
    if (known.empty()) known = given;
    if (known == given) return;
    refuse(
        fmt::format("its points were computed from different versions of {}; run the sweep "
                    "with --recompute",
                    name));
  }

  Store& store_;
  std::map<std::string, sim::sweep::Origin> origins_;
  Results results_;
};

// A report as run prints it, as far as it is read here.
Inputs report_at(const sim::JsonReader& reader) {
  reader.require_object();
  static_cast<void>(reader.at("fits_memory").truth());
  for (const char* key : {"codec_error", "sources"}) {
    if (reader.has(key)) reader.at(key).require_object();
  }
  static_cast<void>(reader.at("step_time_s").not_negative());
  return reader.ordered_copy();
}

Result result_at(const sim::JsonReader& reader, std::set<std::string>& seen) {
  const Inputs report = report_at(reader);
  Inputs inputs = Inputs::object();
  for (const char* key : {"topology", "model", "scheme"}) inputs[key] = reader.at(key).text();
  for (int occurrence = 2; !seen.insert(inputs.dump()).second; ++occurrence) {
    inputs["occurrence"] = occurrence;
  }
  Result result = empty_result(inputs, report["fits_memory"].get<bool>() ? "done" : "too_large");
  add_report(report, result);
  return result;
}

}  // namespace

std::optional<double> number_of(const Inputs& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  return found == numbers.end() ? std::nullopt : std::optional(found->get<double>());
}

Results results_in(Store& store) { return StoreReader(store).read(); }

Results run_spec(const std::filesystem::path& file, int jobs) {
  const Spec spec = read_spec(file);
  const std::vector<sim::sweep::Planned> points = points_of(spec);
  const sim::sweep::Signals signals;
  const sim::sweep::Runner runner = run_in(folder_of(file));
  sim::sweep::Origins origins = origins_of(runner);
  // SQLite's name of a database in memory: nothing is kept but the baseline.
  Store store = open_sweep(":memory:", identity_of(spec, {}), points, origins);
  const Totals totals = run_open_points(store, origins, runner, signals,
                                        sim::sweep::new_session(runner.version, {}, jobs));
  if (totals.stopped_by != 0) return {.stopped_by = totals.stopped_by};
  if (const std::vector<std::string> changed = origins.changed(); !changed.empty()) {
    throw sim::InputError(fmt::format("{}: {} changed while the points ran; run it again",
                                      file.string(), sim::joined(changed)));
  }
  if (const auto open = store.counts()["open"]; open > 0) {
    throw sim::InputError(
        fmt::format("{}: {} of its points were interrupted; run it again", file.string(), open));
  }
  return results_in(store);
}

Results results_of_run(const sim::JsonDocument& document) {
  const sim::JsonReader reader(document);
  Results results{.version = GARDENHOSE_VERSION};
  std::set<std::string> seen;
  const auto add = [&](const sim::JsonReader& report) {
    results.points.push_back(result_at(report, seen));
  };
  if (reader.kind() == sim::JsonKind::list) {
    reader.each(add);
  } else {
    add(reader);
  }
  if (results.points.empty()) reader.fail("has no result; pass the output of run --format json");
  return results;
}

}  // namespace apps
