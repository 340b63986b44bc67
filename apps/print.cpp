#include "apps/print.hpp"

namespace apps {

void print_styled(const sim::StyledText& text) {
  for (const sim::StyledPart& part : text) write_output(sim::printable_lines(part.text));
}

void print_answer(const std::string& sentence) {
  if (!sentence.empty()) print_styled({{sentence, sim::Style::heading}, {"\n\n"}});
}

}  // namespace apps
