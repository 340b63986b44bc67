// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/memory_remedies.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "sim/base/joined.hpp"
#include "sim/study/setup_options.hpp"

namespace sim::study {
namespace {

bool always(const Job&) { return true; }

struct MemoryRemedy {
  const char* field;  // of a job: one that is given is left alone
  const char* text;   // as an error names it
  bool (*is_used)(const Setup&);
  void (*use)(const Job&, Parallelism&);
  bool (*is_open)(const Job&) = always;
};

// Those that cost least first. Schemes that are not defined for ZeRO-1 do not choose ZeRO-3 to save
// memory.
constexpr MemoryRemedy kRemedies[] = {
    {"zero", "`zero` 3",
     [](const Setup& setup) {
       return setup.parallelism.sharding.stage == 3 && setup.scheme.usual_stage() < 3;
     },
     [](const Job& job, Parallelism& p) { p = at_stage(p, 3, job.open); }},
    {"recompute", "`recompute` full",
     [](const Setup& setup) { return setup.parallelism.recompute == Recompute::full; },
     [](const Job&, Parallelism& p) { p.recompute = Recompute::full; }},
    {"optimizer-state", "`optimizer-state` host",
     [](const Setup& setup) { return setup.parallelism.optimizer_state == OptimizerState::host; },
     [](const Job&, Parallelism& p) { p.optimizer_state = OptimizerState::host; }, may_use_hosts}};
constexpr RemedySet kAll = (1U << std::size(kRemedies)) - 1;

std::vector<const MemoryRemedy*> rows_of(RemedySet remedies) {
  std::vector<const MemoryRemedy*> rows;
  for (std::size_t i = 0; i < std::size(kRemedies); ++i) {
    if ((remedies >> i & 1U) != 0) rows.push_back(&kRemedies[i]);
  }
  return rows;
}

bool may_use(const Job& job, RemedySet remedies) {
  return std::ranges::all_of(rows_of(remedies), [&](const MemoryRemedy* one) {
    return !job.given.contains(one->field) && one->is_open(job);
  });
}

}  // namespace

std::string remedies_text(RemedySet remedies) {
  std::vector<const char*> texts;
  for (const MemoryRemedy* one : rows_of(remedies)) texts.push_back(one->text);
  return joined(texts, " ");
}

RemedySet remedies_in(const Job& job, const Setup& setup) {
  RemedySet used = 0;
  for (std::size_t i = 0; i < std::size(kRemedies); ++i) {
    const MemoryRemedy& one = kRemedies[i];
    if (!job.given.contains(one.field) && one.is_used(setup)) used |= 1U << i;
  }
  return used;
}

Fitting made_to_fit(const Job& job, const Setup& setup) {
  for (RemedySet remedies = 0; remedies <= kAll; ++remedies) {
    if (!may_use(job, remedies)) continue;
    Setup changed = setup;
    for (const MemoryRemedy* one : rows_of(remedies)) one->use(job, changed.parallelism);
    if (!problem(job.round(changed), changed.scheme).empty()) continue;
    if (fits_memory(job, changed)) return {std::move(changed), remedies, true};
  }
  return {setup};
}

}  // namespace sim::study
