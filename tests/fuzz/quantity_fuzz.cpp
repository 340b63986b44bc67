// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "sim/base/quantity_text.hpp"

namespace {

double base_of(sim::Bytes value) { return static_cast<double>(value.count); }
template <class Dimension>
double base_of(sim::Quantity<Dimension> value) {
  return value.base();
}

// What reads is finite and not negative; what does not says why.
template <class T>
void check(std::string_view text) {
  const sim::Parsed<T> parsed = sim::parse_quantity<T>(text);
  if (parsed.value.has_value() != parsed.problem.empty()) std::abort();
  if (!parsed.value) return;
  if (!std::isfinite(base_of(*parsed.value)) || base_of(*parsed.value) < 0) std::abort();
  if (sim::to_text(*parsed.value).empty()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  check<sim::Seconds>(text);
  check<sim::Bandwidth>(text);
  check<sim::Bytes>(text);
  check<sim::FlopRate>(text);
  check<sim::Watts>(text);
  check<sim::DollarRate>(text);
  check<sim::BytePrice>(text);
  return 0;
}
