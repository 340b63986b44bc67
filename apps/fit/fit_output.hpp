// SPDX-License-Identifier: Apache-2.0
// What fit prints: the constants, why others stay, and how far the times can be trusted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/fit/carry.hpp"
#include "sim/fit/fit.hpp"
#include "sim/fit/times.hpp"
#include "sim/study/fit/diagnosis.hpp"

namespace apps {

// A line of the table of errors.
struct FitErrors {
  std::string_view name, key;
  sim::fit::Errors errors;
};

struct FitAnswer {
  std::vector<sim::fit::Log> logs;  // to which it is fitted
  sim::fit::Fit fit;
  std::vector<FitErrors> errors;
  sim::fit::Carry carry;
  std::vector<std::string> topo;  // what a matrix of nvidia-smi says; empty without one
  std::vector<std::string> misfits;
  sim::study::Diagnosis diagnosis;
};

void print(const std::string& format, const FitAnswer& answer);
// The diagnosis alone, of logs of too few sizes to fit constants to.
void print(const std::string& format, const sim::Cluster& base,
           const std::vector<sim::fit::Log>& logs, const sim::study::Diagnosis& diagnosis);

}  // namespace apps
