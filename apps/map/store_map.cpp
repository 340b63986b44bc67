// SPDX-License-Identifier: Apache-2.0
#include "apps/map/store_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "apps/map/axes.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/sweep/base_units.hpp"

namespace apps {
namespace {

using sim::InputError;

struct Candidate {
  Inputs inputs;
  std::string over;
  PointSpeed speed;
};

using Place = std::pair<std::string, std::string>;  // x and y as text

bool is_site_count(const std::string& input) {
  return input.starts_with("sites.") && input.ends_with(".count");
}

// The input of that name, or the one that an axis of that name stands for; else the name.
std::string input_named(const std::string& name, const Inputs& inputs) {
  const auto row = std::ranges::find(axis_rows(), name, &AxisRow::name);
  if (inputs.contains(name) || row == axis_rows().end()) return name;
  for (const std::string_view input : row->inputs) {
    if (inputs.contains(input)) return std::string(input);
  }
  for (const auto& [input, value] : inputs.items()) {
    if (row->topologies == Topologies::sites && is_site_count(input)) return input;
  }
  return name;
}

class Map {
 public:
  explicit Map(StoreMapOptions options) : options_(std::move(options)) {}

  void read(Store& store) {
    const std::set<std::int64_t> kept =
        store.numbers_where(options_.where.empty() ? "true" : options_.where);
    store.each_finished([&](const StoredPoint& point) {
      if (kept.contains(point.number)) add(point);
    });
    if (cells_.empty()) {
      throw InputError(fmt::format("{}: has no point with a result{}", options_.store,
                                   options_.where.empty() ? "" : " that --where selects"));
    }
  }

  StoreMap result() {
    const std::set<std::string> baselines = baselines_among();
    StoreMap map{
        .x = options_.x, .y = options_.y, .xs = sorted(xs_), .ys = sorted(ys_), .cells = {}};
    for (const Inputs& y : map.ys) {
      for (const Inputs& x : map.xs) {
        const auto found = cells_.find({text_of(x), text_of(y)});
        if (found != cells_.end()) map.cells.push_back(cell_of(x, y, found->second, baselines));
      }
    }
    return map;
  }

 private:
  void add(const StoredPoint& point) {
    const Inputs& report = point.outcome.report;
    if (report.is_null()) return;
    options_.x = input_named(options_.x, point.inputs);
    options_.y = input_named(options_.y, point.inputs);
    check_differ();
    for (const auto& [flag, key] :
         {std::pair{"--x", &options_.x}, {"--y", &options_.y}, {"--over", &options_.over}}) {
      check_is_input(flag, *key, point.inputs);
    }
    const Inputs &x = point.inputs[options_.x], &y = point.inputs[options_.y];
    note(x, xs_);
    note(y, ys_);
    Candidate candidate{point.inputs, text_of(point.inputs[options_.over]), speed_of(point)};
    auto& others = cells_[{text_of(x), text_of(y)}];
    const auto same = std::ranges::find(others, candidate.over, &Candidate::over);
    if (same != others.end()) refuse_both(*same, candidate);
    others.push_back(std::move(candidate));
  }

  void check_differ() const {
    if (options_.x != options_.y && options_.x != options_.over && options_.y != options_.over)
      return;
    throw InputError("--y: --x, --y and --over must be three different inputs");
  }

  void check_is_input(const char* flag, const std::string& key, const Inputs& inputs) const {
    if (inputs.contains(key)) return;
    std::vector<std::string> known;
    for (const auto& [name, value] : inputs.items()) known.push_back(name);
    throw InputError(fmt::format("{}: '{}' is not an input of {}; it has {}", flag,
                                 sim::printable(key), options_.store, sim::joined(known)));
  }

  static void note(const Inputs& value, std::vector<Inputs>& values) {
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }

  [[noreturn]] void refuse_both(const Candidate& one, const Candidate& other) const {
    std::vector<std::string> varying;
    std::string remedy;
    for (const auto& [key, value] : one.inputs.items()) {
      if (!other.inputs.contains(key) || other.inputs[key] == value) continue;
      varying.push_back(key);
      if (remedy.empty()) {
        const char* quote = value.is_string() ? "'" : "";
        remedy = fmt::format("in_{0} = {1}{2}{1}", column_of(key), quote, text_of(value));
      }
    }
    throw InputError(fmt::format(
        "{}: points with the same {}, {} and {} differ in {}; choose among them, e.g. --where "
        "\"{}\"",
        options_.store, options_.x, options_.y, options_.over, sim::joined(varying), remedy));
  }

  // Upwards where all are numbers, or quantities.
  static std::vector<Inputs> sorted(std::vector<Inputs> values) {
    std::map<std::string, double> numbers;
    for (const Inputs& value : values) {
      const Inputs number = number_of(value);
      if (number.is_null()) return values;
      numbers[text_of(value)] = number;
    }
    std::ranges::stable_sort(values, {}, [&](const Inputs& one) { return numbers[text_of(one)]; });
    return values;
  }

  // The values of --over that the others are compared with.
  [[nodiscard]] std::set<std::string> baselines_among() const {
    std::set<std::string> values;
    for (const auto& [place, candidates] : cells_) {
      for (const Candidate& candidate : candidates) values.insert(candidate.over);
    }
    std::set<std::string> found;
    for (const std::string& value : values) {
      const bool is_plain = options_.over == "scheme" && sends_plain(value);
      if (options_.baseline.empty() && is_plain) found.insert(value);
    }
    if (values.contains(options_.baseline)) found.insert(options_.baseline);
    if (!found.empty()) return found;
    throw InputError(
        fmt::format("--baseline: {}; name one of {}: {}",
                    options_.baseline.empty()
                        ? "no scheme here is known to be uncompressed"
                        : "'" + sim::printable(options_.baseline) + "' is not among the points",
                    options_.over, sim::joined(values)));
  }

  static StoreCell cell_of(const Inputs& x, const Inputs& y,
                           const std::vector<Candidate>& candidates,
                           const std::set<std::string>& baselines) {
    StoreCell cell{.x = x, .y = y};
    for (const Candidate& one : candidates) {
      if (!one.speed.fits) continue;
      auto& best = baselines.contains(one.over) ? cell.baseline : cell.challenger;
      if (best && one.speed.tokens_per_s <= best->speed.tokens_per_s) continue;
      best = {one.over, one.speed};
    }
    return cell;
  }

  StoreMapOptions options_;
  std::vector<Inputs> xs_, ys_;
  std::map<Place, std::vector<Candidate>> cells_;
};

}  // namespace

Inputs number_of(const Inputs& value) {
  if (value.is_number()) return value;
  const auto number = sim::sweep::in_base_units(text_of(value));
  return number ? Inputs(number->value) : Inputs();
}

StoreMap map_store(Store& store, const StoreMapOptions& options) {
  Map map(options);
  map.read(store);
  return map.result();
}

}  // namespace apps
