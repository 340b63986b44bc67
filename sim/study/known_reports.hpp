// SPDX-License-Identifier: Apache-2.0
// KnownReports: reports of the steps that were last simulated, for a process that is asked about one
// scheme after the other, each beside the same baseline.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "sim/base/latest.hpp"
#include "sim/report/report.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// From any thread.
class KnownReports {
 public:
  struct Known {
    Report report;  // as simulate() has it
    std::size_t operations = 0;
  };
  // Of one cluster.
  [[nodiscard]] std::shared_ptr<const Known> of(const Job& job, const Setup& setup);

 private:
  // All that a report follows from.
  struct Step {
    Cluster cluster;
    Model model;
    Calibration calibration;
    Parallelism parallelism;
    std::optional<Detail> detail;
    bool each_kernel, whole, each_micro_batch;
    Scheme scheme;
    bool operator==(const Step&) const = default;
  };
  struct KnownStep {
    Step step;
    Known known;
  };

  Latest<KnownStep> last_{4};  // as many as shipped schemes have baselines
};

}  // namespace sim::study
