// SPDX-License-Identifier: Apache-2.0
// compare: two configurations over the spread of what predictions rest on.
#include "apps/commands.hpp"
#include "apps/compare/compare_output.hpp"
#include "apps/compare/spreads.hpp"
#include "apps/progress.hpp"

namespace apps {
namespace {

using sim::study::Findings;

Findings findings_of(const sim::study::Comparison& comparison,
                     const std::vector<sim::study::Doubt>& doubts) {
  Progress progress("simulating pairs", comparison.repetitions);
  return compare(comparison, doubts, progress.watch().step);
}

}  // namespace

int compare_command(const Arguments& arguments) {
  auto comparison = parse_comparison(arguments);
  if (!comparison) return 0;
  const std::vector<sim::study::Doubt> doubts =
      doubts_of(comparison->a.run, comparison->b.run, spreads_of(comparison->options.spreads));
  prepare(*comparison);
  const sim::study::Comparison question = comparison->question();
  Findings findings = findings_of(question, doubts);
  Progress progress("searching for what flips the decision", 0);
  find_flips(question, findings, progress.watch());
  print_findings(*comparison, findings);
  return 0;
}

}  // namespace apps
