// SPDX-License-Identifier: Apache-2.0
// What fit prints of measured steps and of a trace with its job.
#pragma once

#include <string>
#include <vector>

#include "sim/study/fit/diagnosis.hpp"
#include "sim/study/fit/measured_steps.hpp"

namespace apps {

struct StepFitAnswer {
  std::string file;
  std::vector<sim::study::MeasuredStep> steps, held;  // fitted to, and left out to be predicted
  sim::study::LikelyFit fit;
  sim::study::Diagnosis diagnosis;
  std::vector<std::string> misfits;
  std::vector<double> held_base_s, held_fit_s;
};

struct TraceFitAnswer {
  std::vector<std::string> files;
  sim::trace::Summary measured;
  std::string gpu;  // the cluster's
  sim::study::TraceFit fit;
  std::vector<std::string> misfits;
};

void print(const std::string& format, const StepFitAnswer& answer);
void print(const std::string& format, const TraceFitAnswer& answer);

}  // namespace apps
