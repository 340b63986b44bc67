// SPDX-License-Identifier: Apache-2.0
// The table of a fit's constants: those that were fitted, then those that were kept, by why.
#pragma once

#include <string>

#include "sim/base/text_table.hpp"

namespace apps {

// Why constants are kept, of an enumeration of the fit's own.
template <class Because>
struct KeptReason {
  Because because;
  const char* key;   // in JSON
  const char* text;  // of people
};

// `fit` has `fitted` and `kept` constants; value_text() and interval_text() stand beside their types.
template <class Fit, class Because, std::size_t n>
[[nodiscard]] sim::TextTable constants_table(const Fit& fit,
                                             const KeptReason<Because> (&reasons)[n]) {
  sim::TextTable table{.align = "<<<<"};
  table.rows.push_back(sim::heading_row({"constant", "fitted", "95 % interval", "base"}));
  for (const auto& one : fit.fitted) {
    table.rows.push_back({std::string(one.constant->key), value_text(*one.constant, one.value),
                          interval_text(one), value_text(*one.constant, one.base)});
  }
  for (const KeptReason<Because>& reason : reasons) {
    bool first = true;
    for (const auto& one : fit.kept) {
      if (one.because != reason.because) continue;
      if (first) table.rows.insert(table.rows.end(), {{}, {reason.text}});
      first = false;
      table.rows.push_back(
          {std::string(one.constant->key), "-", "-", value_text(*one.constant, one.base)});
    }
  }
  return table;
}

}  // namespace apps
