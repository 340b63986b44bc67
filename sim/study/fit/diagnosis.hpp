// SPDX-License-Identifier: Apache-2.0
// Which part of a cluster is slower or faster than its file says, by measured times; or that these
// do not tell, and what would.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/study/fit/likely_fit.hpp"
#include "sim/study/fit/measured_steps.hpp"

namespace sim::study {

enum class Standing {
  as_expected,
  slow,
  fast,
  not_seen,  // the times tell nothing about it
  undecided  // it, or another part that is undecided too
};

struct PartFinding {
  Part part = Part::gpus;
  Standing standing = Standing::not_seen;
  // Its main constant over the base's, and the range in which that likely is (kLikelyShare). Nothing
  // if the times tell nothing about it.
  std::optional<double> share = {};
  std::optional<fit::Interval> likely = {};
  // By what factor the measured steps would be faster if the part were as the base has it.
  double gain = 1;
  // The times alone do not tell it from other parts, but what is known of both before does.
  bool is_by_priors = false;
};

struct Diagnosis {
  std::vector<PartFinding> parts;  // those on which the times depend
  double ratio = 1;                // measured over predicted with the base, geometric mean
  // The measurement that would tell undecided parts apart; empty if none are.
  std::string measure;
};

// `fit` is that of the times. `has_one_node`: some of the times are of a single node.
[[nodiscard]] Diagnosis diagnose(const MeasuredTimes& times, const LikelyFit& fit,
                                 bool has_one_node);

// The same of steps, by their fit.
[[nodiscard]] Diagnosis diagnose(std::span<const MeasuredStep> steps, const LikelyFit& fit,
                                 int jobs);

// What it says, the most important first. A sentence each.
[[nodiscard]] std::vector<std::string> sentences_of(const Diagnosis& diagnosis);

[[nodiscard]] std::string_view name_of(Part part);  // "network"
[[nodiscard]] std::string_view name_of(Standing standing);

}  // namespace sim::study
