// SPDX-License-Identifier: Apache-2.0
// The constants of a job that measured steps can tell: those of its cluster, and a rest that is
// outside the model.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/study/job.hpp"
#include "sim/study/search/spread.hpp"

namespace sim::study {

// What of a job a constant tells about.
enum class Part { gpus, host, network, links, delays, rest };

struct JobConstant {
  std::string_view key;   // in the cluster's file; "rest_s" for the rest, which it does not have
  std::string_view text;  // "compute efficiency"
  Part part = Part::gpus;
  bool is_seconds = false;  // else a share or a factor
  bool more_is_slower = false;
  double least = 1e-9, most = 1;
  // Multiples of the base at which a fit starts as well, where nothing follows from the base: what
  // hides behind computing takes no time until it is slow.
  std::span<const double> starts = {};
  // What the job has, 0 for none; nothing where the GPU's calibration gives it instead.
  std::optional<double> (*get)(const Job&) = nullptr;
  void (*set)(Job&, double) = nullptr;  // null for the rest, which is added to the time
  // How far it may be off before anything is measured. Null for the rest.
  Spread (*prior)(const Job&) = nullptr;
};

// Most useful first.
[[nodiscard]] std::span<const JobConstant> job_constants();
[[nodiscard]] inline bool is_rest(const JobConstant& constant) { return constant.set == nullptr; }

}  // namespace sim::study
