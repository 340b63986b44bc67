// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/efficiency_effects.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/fit/left_out.hpp"

namespace sim::validation {
namespace {

constexpr double kShrink = 1;  // how much each effect is drawn to zero, in folds

// One kind of run of one fold.
struct Cell {
  std::vector<std::size_t> unknowns;  // of which its logarithm is the sum; 0 is the mean
  double logarithm = 0;
  double weight = 1;
};

// A row a cell, and one for each effect that draws it to zero.
std::vector<double> least_squares_of(const std::vector<Cell>& cells, std::size_t unknowns) {
  const std::size_t rows = cells.size() + unknowns - 1;
  std::vector<fit::Column> slopes(unknowns, fit::Column(rows));
  fit::Column errors(rows);  // where all unknowns are 0
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const double weight = std::sqrt(cells[row].weight);
    for (const std::size_t i : cells[row].unknowns) slopes[i][row] = weight;
    errors[row] = -weight * cells[row].logarithm;
  }
  for (std::size_t i = 1; i < unknowns; ++i) slopes[i][cells.size() + i - 1] = std::sqrt(kShrink);
  return fit::step_of(slopes, errors);
}

// Effects by name, each an unknown of its own: "gpu hopper", "stack nemo", "narrow".
using Unknowns = std::map<std::string, std::size_t>;

std::vector<std::string> effects_of(const RunKind& kind) {
  return {"gpu " + kind.gpu, "stack " + kind.stack, kind.is_narrow ? "narrow" : "wide"};
}

std::vector<Cell> cells_of(std::span<const KnownEfficiency> known, Unknowns& unknowns) {
  using Key = std::tuple<std::string, std::vector<std::string>>;
  std::map<Key, std::vector<double>> logarithms;
  std::map<std::string, int> cells_in_fold;
  for (const KnownEfficiency& one : known) {
    auto& all = logarithms[{one.fold, effects_of(one.kind)}];
    if (all.empty()) ++cells_in_fold[one.fold];
    all.push_back(std::log(one.efficiency));
  }
  std::vector<Cell> cells;
  for (const auto& [key, all] : logarithms) {
    const auto& [fold, effects] = key;
    Cell cell{.unknowns = {0}, .weight = 1.0 / cells_in_fold.at(fold)};
    for (const double one : all) cell.logarithm += one / static_cast<double>(all.size());
    for (const std::string& effect : effects) {
      cell.unknowns.push_back(unknowns.emplace(effect, unknowns.size() + 1).first->second);
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

double effect_in(const std::map<std::string, double>& effects, const std::string& name) {
  const auto found = effects.find(name);
  return found == effects.end() ? 0 : found->second;
}

}  // namespace

double EfficiencyEffects::efficiency_of(const RunKind& kind) const {
  return std::exp(mean + effect_in(by_gpu, kind.gpu) + effect_in(by_stack, kind.stack) +
                  (kind.is_narrow ? narrow : wide));
}

EfficiencyEffects fit_effects(std::span<const KnownEfficiency> known) {
  require(!known.empty(), "an efficiency to learn from");
  Unknowns unknowns;
  const std::vector<Cell> cells = cells_of(known, unknowns);
  const std::vector<double> found = least_squares_of(cells, unknowns.size() + 1);
  EfficiencyEffects effects;
  effects.mean = found[0];
  for (const auto& [name, i] : unknowns) {
    if (name == "narrow") effects.narrow = found[i];
    if (name == "wide") effects.wide = found[i];
    if (name.starts_with("gpu ")) effects.by_gpu[name.substr(4)] = found[i];
    if (name.starts_with("stack ")) effects.by_stack[name.substr(6)] = found[i];
  }
  return effects;
}

}  // namespace sim::validation
