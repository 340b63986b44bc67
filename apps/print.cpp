#include "apps/print.hpp"

namespace apps {

void print_styled(const sim::StyledText& text) {
  for (const sim::StyledPart& part : text) write_output(sim::printable_lines(part.text));
}

}  // namespace apps
