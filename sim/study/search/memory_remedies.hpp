// SPDX-License-Identifier: Apache-2.0
// What a search may do to make a setup fit in memory at the expense of speed: ZeRO-3, full
// recomputation, the optimizer's state on hosts.
#pragma once

#include <string>

#include "sim/study/job.hpp"

namespace sim::study {

// A set of remedies as bits: of two sets, the one with the smaller number costs less.
using RemedySet = unsigned;
// "`zero` 3 `recompute` full"; empty if there are none.
[[nodiscard]] std::string remedies_text(RemedySet remedies);

// Those that the setup of one cluster uses, besides what is given.
[[nodiscard]] RemedySet remedies_in(const Job& job, const Setup& setup);

// A setup of several sites with the remedies that it takes to fit; unchanged if none suffice.
struct Fitting {
  Setup setup;
  RemedySet remedies = 0;
  bool fits = false;
};
[[nodiscard]] Fitting made_to_fit(const Job& job, const Setup& setup);

}  // namespace sim::study
