// SPDX-License-Identifier: Apache-2.0
#include "sim/report/pareto.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace sim {
namespace {

bool takes_part(const Report& report) {
  return report.fits_memory && (report.pareto->sends_plain || report.pareto->error);
}

// Below every measured error, which is at least 0, where there is no codec.
double error_of(const Report& report) {
  return report.pareto->sends_plain ? -1 : *report.pareto->error;
}

bool beats(const Report& one, const Report& other) {
  const double error = error_of(one), others = error_of(other);
  if (error > others || one.tokens_per_s < other.tokens_per_s) return false;
  return error < others || one.tokens_per_s > other.tokens_per_s;
}

}  // namespace

ParetoPlace pareto_place(const Scheme& scheme, const Report& report) {
  const auto measured = [&](const char* name) {
    const auto found = report.codec_error.find(name);
    return found == report.codec_error.end() ? std::nullopt : found->second;
  };
  ParetoPlace place{.sends_plain = scheme.sends_plain()};
  // Of activations there is no measured error.
  if (place.sends_plain || !scheme.activations.is_plain()) return place;
  auto of_weights = measured("weights_lr_6e-4");
  if (!of_weights) of_weights = measured("weights_normal");
  const auto of_gradients = measured("normal");
  if (!scheme.weights.is_plain() && !of_weights) return place;
  if (!scheme.gradients.is_plain() && !of_gradients) return place;
  place.error = std::max(of_weights.value_or(0), of_gradients.value_or(0));
  return place;
}

void mark_pareto_front(std::span<Report> reports) {
  for (const Report& report : reports) {
    require(report.pareto.has_value(), "whoever asks for the front says who sends plain values");
  }
  for (Report& report : reports) {
    report.pareto->on_front =
        takes_part(report) && std::ranges::none_of(reports, [&](const Report& other) {
          return takes_part(other) && beats(other, report);
        });
  }
}

}  // namespace sim
