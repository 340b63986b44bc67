// SPDX-License-Identifier: Apache-2.0
#include "sim/fit/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sim/fit/basis.hpp"
#include "sim/fit/least_squares.hpp"
#include "sim/fit/starts.hpp"
#include "sim/fit/times.hpp"

namespace sim::fit {
namespace {

// Errors above this count by their distance: a tenth is what logs repeat to.
constexpr double kOutlier = 0.1;
// A constant is determined if noise of 3 % in the times leaves it known to 20 %.
constexpr double kLeastColumn = 0.03 / 0.2;
constexpr int kMostRounds = 6;
// Of one degree of freedom: a constant whose base value raises the squared errors by less than this
// many variances is not contradicted at 95 %.
constexpr double kChiSquared95 = 3.84;
// Within a standard error. Of 0.5, 1, 2, 3.84 and 8, half of the published logs' sizes predicted the
// other half best with 0.5 and 1, which are alike.
constexpr double kChiSquared68 = 1;

using Free = std::vector<const Constant*>;

Cluster with(Cluster cluster, const Free& free, std::span<const double> coordinates) {
  for (std::size_t i = 0; i < free.size(); ++i) {
    free[i]->set(cluster, free[i]->value(coordinates[i]));
  }
  return cluster;
}

std::vector<double> coordinates_of(const Cluster& cluster, const Free& free) {
  std::vector<double> coordinates;
  for (const Constant* constant : free) {
    coordinates.push_back(constant->coordinate(constant->get(cluster).value()));
  }
  return coordinates;
}

// The root of the pseudo-Huber loss, with the error's sign.
double softened(double error) {
  const double far = error / kOutlier;
  return std::copysign(kOutlier * std::sqrt(2 * (std::sqrt(1 + far * far) - 1)), error);
}

// The logarithms of the times' errors, in the change of the free constants' coordinates plus 1, as
// the solver's steps are relative to these numbers.
struct LogErrors {
  const Cluster& base;
  const Free& free;
  std::span<const Log> logs;
  std::vector<double> measured, start;

  LogErrors(const Cluster& cluster, const Free& constants, std::span<const Log> all)
      : base(cluster),
        free(constants),
        logs(all),
        measured(measured_s(all)),
        start(coordinates_of(cluster, constants)) {}

  [[nodiscard]] std::vector<double> none() const { return std::vector<double>(start.size(), 1); }
  [[nodiscard]] Cluster cluster(std::span<const double> x) const {
    std::vector<double> coordinates = start;
    for (std::size_t i = 0; i < x.size(); ++i) coordinates[i] += x[i] - 1;
    return with(base, free, coordinates);
  }
  [[nodiscard]] Residuals shaped(double (*shape)(double)) const {
    return {measured.size(), [this, shape](std::span<const double> x, std::span<double> errors) {
              const std::vector<double> predicted = predicted_s(cluster(x), logs);
              for (std::size_t i = 0; i < measured.size(); ++i) {
                errors[i] = shape(std::log(predicted[i] / measured[i]));
              }
            }};
  }
};

// The step of derivatives: far above rounding, and small beside the distance between the sizes at
// which protocols change.
constexpr double kStep = 1e-4;

double cost_of(const Cluster& cluster, std::span<const Log> logs) {
  const Free none;
  const LogErrors all(cluster, none, logs);
  const Residuals residuals = all.shaped(softened);
  std::vector<double> errors(residuals.count);
  residuals.at(all.none(), errors);
  return dot(errors, errors);
}

// How the logarithms of the times depend on those of the constants.
std::vector<Column> sensitivity(const Cluster& cluster, const Free& free,
                                std::span<const Log> logs) {
  const LogErrors errors(cluster, free, logs);
  std::vector<Column> slopes = jacobian(errors.shaped([](double error) { return error; }),
                                        errors.none(), Differences::central, kStep);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    for (double& slope : slopes[i]) slope /= free[i]->slope(errors.start[i]);
  }
  return slopes;
}

Free known_in(const Cluster& cluster) {
  Free known;
  for (const Constant& constant : all_constants()) {
    if (constant.get(cluster)) known.push_back(&constant);
  }
  return known;
}

struct Selection {
  Free free;
  std::vector<KeptConstant> kept;
};

// In order, the constants whose effect is large enough beside that of those before them.
Selection select(const Cluster& cluster, const Cluster& base, std::span<const Log> logs) {
  const Free known = known_in(base);
  const std::vector<Column> columns = sensitivity(cluster, known, logs);
  Basis chosen;
  Selection selection;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (norm(chosen.own(columns[i])) < kLeastColumn) {
      const Kept because = norm(columns[i]) < kLeastColumn ? Kept::unused : Kept::not_alone;
      selection.kept.push_back({known[i], known[i]->get(base).value(), because});
      continue;
    }
    chosen.add(columns[i]);
    selection.free.push_back(known[i]);
  }
  return selection;
}

// Variance of the logarithms of the times about the fit, by the error that three quarters of them
// do not exceed: a quarter may be outliers.
double variance_of(const Cluster& cluster, std::size_t constants, std::span<const Log> logs) {
  constexpr double kNormal75 = 1.15;
  const std::vector<double> measured = measured_s(logs);
  std::vector<double> errors = predicted_s(cluster, logs);
  for (std::size_t i = 0; i < errors.size(); ++i) {
    errors[i] = std::abs(std::log(errors[i] / measured[i]));
  }
  const auto quarter = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() * 3 / 4);
  std::ranges::nth_element(errors, quarter);
  const auto times = static_cast<double>(errors.size());
  return std::pow(*quarter / kNormal75, 2) * times / (times - static_cast<double>(constants));
}

// Whether each time of the logs depends as good as not at all on the constant.
bool has_no_effect(const Column& column) {
  constexpr double kNoEffect = 1e-3;
  return norm(column) < kNoEffect;
}

// A constant whose protocol is nowhere the fastest tells only that it is slow enough. It goes back
// towards the base as far as the times allow.
void pull_back(Cluster& cluster, const Cluster& base, const Constant& constant,
               std::span<const Log> logs, double most_cost) {
  constexpr int kHalvings = 40;
  double far = constant.coordinate(constant.get(cluster).value());
  double near = constant.coordinate(constant.get(base).value());
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (far + near) / 2;
    constant.set(cluster, constant.value(middle));
    (cost_of(cluster, logs) <= most_cost ? far : near) = middle;
  }
  constant.set(cluster, constant.value(far));
}

// The free constants of the best fit with their intervals; bounds are pulled back.
std::vector<FittedConstant> conclude(Cluster& cluster, const Cluster& base, const Free& free,
                                     std::span<const Log> logs) {
  constexpr double kNormal95 = 1.96;
  if (free.empty()) return {};
  const std::vector<Column> columns = sensitivity(cluster, free, logs);
  const bool spare = columns[0].size() > columns.size();
  const double variance = spare ? variance_of(cluster, free.size(), logs) : 0;
  std::vector<FittedConstant> fitted;
  for (std::size_t i = 0; i < free.size(); ++i) {
    const Constant& constant = *free[i];
    FittedConstant one{.constant = &constant, .base = constant.get(base).value()};
    one.bound = has_no_effect(columns[i]);
    if (one.bound) {
      const double most_cost = cost_of(cluster, logs) + kChiSquared95 * variance;
      pull_back(cluster, base, constant, logs, most_cost);
    } else if (spare) {
      const double center = constant.coordinate(constant.get(cluster).value());
      const double deviation = std::sqrt(variance) / norm(own_part(columns, i));
      const double half = kNormal95 * deviation / constant.slope(center);
      one.interval = {constant.value(center - half), constant.value(center + half)};
    }
    one.value = constant.get(cluster).value();
    fitted.push_back(one);
  }
  return fitted;
}

}  // namespace

Cluster refit(const Cluster& cluster, std::span<const Constant* const> free,
              std::span<const Log> logs) {
  const Free all(free.begin(), free.end());
  const LogErrors errors(cluster, all, logs);
  if (all.empty() || errors.measured.size() < all.size()) return cluster;
  return errors.cluster(least_squares(errors.shaped(softened), errors.none(),
                                      {.differences = Differences::central,
                                       .step = kStep,
                                       .x_tolerance = 1e-8,
                                       .cost_tolerance = 1e-8,
                                       .first_step = 0.1,
                                       .most_evaluations = 200}));
}

// Puts constants back to the base, the least preferred first, where the times do not contradict it:
// where it lies within a standard error. The scatter is that about the fit of all of them, as that
// about what is left would grow with each constant put back, and so excuse the next one.
Cluster simplify(Cluster cluster, const Cluster& base, std::span<const Log> logs,
                 Selection& selection) {
  const Free all = selection.free;
  const bool spare = all.size() < measured_s(logs).size();
  const double variance = spare ? variance_of(cluster, all.size(), logs) : 0;
  for (std::size_t i = all.size(); i-- > 0;) {
    Free fewer = selection.free;
    std::erase(fewer, all[i]);
    const double in_base = all[i]->get(base).value();
    Cluster simpler = cluster;
    all[i]->set(simpler, in_base);
    simpler = refit(simpler, fewer, logs);
    const double worse = cost_of(simpler, logs) - cost_of(cluster, logs);
    if (spare && worse > kChiSquared68 * variance) continue;
    cluster = std::move(simpler);
    selection.free = std::move(fewer);
    selection.kept.push_back({all[i], in_base, Kept::agrees});
  }
  return cluster;
}

namespace {

// A local minimum of the errors.
struct Minimum {
  Cluster cluster;
  Selection selection;
  double cost = std::numeric_limits<double>::infinity();
};

// Which constants matter depends on the constants: as a protocol gets faster, it wins other sizes.
// The logs select anew after each fit; those not selected return to the base.
Minimum descend(Cluster cluster, const Cluster& base, std::span<const Log> logs) {
  Minimum least{base, {}};
  std::vector<Free> tried;
  for (int round = 0; round < kMostRounds; ++round) {
    Selection selection = select(cluster, base, logs);
    if (std::ranges::find(tried, selection.free) != tried.end()) break;
    tried.push_back(selection.free);
    cluster = refit(with(base, selection.free, coordinates_of(cluster, selection.free)),
                    selection.free, logs);
    const double cost = cost_of(cluster, logs);
    if (cost < least.cost) least = {cluster, std::move(selection), cost};
  }
  return least;
}

}  // namespace

// Another start than the base counts if it ends clearly lower.
Fit fit_constants(const Cluster& base, std::span<const Log> logs) {
  constexpr double kLower = 0.99;
  Minimum best;
  for (const Cluster& start : starts_around(base)) {
    Minimum other = descend(start, base, logs);
    if (other.cost < kLower * best.cost) best = std::move(other);
  }
  Cluster cluster = simplify(std::move(best.cluster), base, logs, best.selection);
  Fit fit{.cluster = std::move(cluster), .fitted = {}, .kept = std::move(best.selection.kept)};
  fit.fitted = conclude(fit.cluster, base, best.selection.free, logs);
  return fit;
}

}  // namespace sim::fit
