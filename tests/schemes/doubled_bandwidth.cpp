// SPDX-License-Identifier: Apache-2.0
// gardenhose-doubled-bandwidth [FIRST] [COUNT]: simulates random steps twice, the second time with
// one bandwidth doubled. Prints a CSV row for each; exit code 1 when one is slower by more than the
// tolerance.
#include "tests/schemes/doubled_bandwidth.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

int main(int count, char** arguments) {
  using namespace sim;
  const std::uint64_t first = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : 0;
  const std::uint64_t steps = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 200;
  int slower = 0;
  fmt::print("number,before_s,doubled_s,difference,what\n");
  for (std::uint64_t number = first; number < first + steps; ++number) {
    const RandomStep step = random_step(number);
    const double before_s = step.seconds(false);
    const double doubled_s = step.seconds(true);
    const double difference = doubled_s / before_s - 1;
    fmt::print("{},{:.9g},{:.9g},{:+.5f},{}\n", number, before_s, doubled_s, difference,
               described(step));
    std::fflush(stdout);
    if (difference > kSlowerTolerance) ++slower;
  }
  fmt::print(stderr, "{} of {} are slower by more than {:.0f} %\n", slower, steps,
             100 * kSlowerTolerance);
  return slower > 0 ? 1 : 0;
}
