// SPDX-License-Identifier: Apache-2.0
// compare: two configurations over the spread of what predictions rest on.
#include "apps/commands.hpp"
#include "apps/compare/compare_output.hpp"

namespace apps {

int compare_command(const Arguments& arguments) {
  auto comparison = parse_comparison(arguments);
  if (!comparison) return 0;
  const std::vector<Doubt> doubts =
      doubts_of(comparison->a, comparison->b, comparison->options.spreads);
  prepare(*comparison);
  print_findings(*comparison, compare(*comparison, doubts));
  return 0;
}

}  // namespace apps
