// Numbers and lists as sentences have them.
#pragma once

#include <string>
#include <vector>

namespace apps {

// "206 763": a whole number, its digits in groups of three from 10 000 on.
[[nodiscard]] std::string grouped(double value);
// "200 000 to 214 000", to three digits.
[[nodiscard]] std::string rounded_range(double low, double high);
// "a, b and c".
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace apps
