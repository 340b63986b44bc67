// SPDX-License-Identifier: Apache-2.0
// gardenhose-alike-steps [COUNT [SEED]]: simulates COUNT random steps of equal GPUs on 8 to 1024 of
// them, with one rank for all that do the same, and every rank. Prints a CSV row a step, and the share
// that is simulated whole on standard error. Exit code 1 beyond the bars.
#include "tests/schedule/alike_steps.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace sim;
  const int count = argc > 1 ? std::atoi(argv[1]) : 300;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  StepDraw random(static_cast<std::uint64_t>(seed), 2, even_sizes(1024));
  int whole = 0, apart = 0;
  double worst = 0;
  fmt::print("ranks,classes,step_s,apart,difference,step\n");
  for (int done = 1; done <= count; ++done) {
    const StepPoint point = random.draw();
    const AlikeStep step = compare_alike(point);
    fmt::print("{},{},{:.9g},{:.2g},{:.2g},\"{}\"\n", step.ranks, step.classes, step.whole_s,
               step.apart, step.difference, to_text(point));
    std::fflush(stdout);
    whole += step.classes == step.ranks;
    apart += step.apart > kSame;
    if (step.apart <= kSame) worst = std::max(worst, step.difference);
    fmt::print(stderr,
               "\r{} of {} steps, worst {:.2g}; {} simulated whole; alike ranks of {} differ", done,
               count, worst, whole, apart);
  }
  fmt::print(stderr, "\n");
  return worst <= kMostApart && whole * 10 < count ? 0 : 1;
}
