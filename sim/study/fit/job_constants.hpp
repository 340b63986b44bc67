// SPDX-License-Identifier: Apache-2.0
// The constants of a job that measured steps can tell: those of its cluster, and a rest that is
// outside the model.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/study/job.hpp"

namespace sim::study {

struct JobConstant {
  std::string_view key;     // in the cluster's file; "rest_s" for the rest, which it does not have
  std::string_view text;    // "compute efficiency"
  bool is_seconds = false;  // else a share or a factor
  double most = 1;
  // A multiple of the base at which a fit may start, where nothing follows from the base: GPUs do not
  // wait for a host that is fast enough, but may for the one that was measured.
  double far = 1;
  // What the job has, 0 for none; nothing where the GPU's calibration gives it instead.
  std::optional<double> (*get)(const Job&) = nullptr;
  void (*set)(Job&, double) = nullptr;  // null for the rest, which is added to the time
};

// Most useful first.
[[nodiscard]] std::span<const JobConstant> job_constants();
[[nodiscard]] inline bool is_rest(const JobConstant& constant) { return constant.set == nullptr; }

}  // namespace sim::study
