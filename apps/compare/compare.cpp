// compare: two configurations over the spread of what predictions rest on.
#include "apps/commands.hpp"
#include "apps/compare/compare_output.hpp"

namespace apps {

int compare_command(const Arguments& arguments) {
  const auto comparison = parse_comparison(arguments);
  if (!comparison) return 0;
  print_findings(*comparison, compare(*comparison));
  return 0;
}

}  // namespace apps
