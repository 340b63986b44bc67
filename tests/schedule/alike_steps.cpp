// SPDX-License-Identifier: Apache-2.0
// gardenhose-alike-steps [COUNT [SEED [SECONDS]]]: simulates COUNT random steps of equal GPUs on 8 to
// 1024 of them, with one rank for all that do the same, and every rank. Where every rank takes longer
// than SECONDS to simulate, another step is drawn: on tori it may take hours. Prints a CSV row a
// step, and the share that is simulated whole on standard error. Exit code 1 beyond the bars.
#include "tests/schedule/alike_steps.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace sim;
  const int count = argc > 1 ? std::atoi(argv[1]) : 300;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  const Conditions conditions{.wall_limit = Seconds::from_base(argc > 3 ? std::atof(argv[3]) : 30)};
  StepDraw random(static_cast<std::uint64_t>(seed), 2, even_sizes(1024));
  int done = 0, too_long = 0, whole = 0, apart = 0;
  double worst = 0;
  const auto count_step = [&](const StepPoint& point, const AlikeStep& step) {
    fmt::print("{},{},{:.9g},{:.2g},{:.2g},\"{}\"\n", step.ranks, step.classes, step.whole_s,
               step.apart, step.difference, to_text(point));
    std::fflush(stdout);
    ++done;
    whole += step.classes == step.ranks;
    apart += step.apart > kSame;
    if (step.apart <= kSame) worst = std::max(worst, step.difference);
  };
  fmt::print("ranks,classes,step_s,apart,difference,step\n");
  while (done < count) {
    const StepPoint point = random.draw();
    try {
      count_step(point, compare_alike(point, conditions));
    } catch (const OutOfTime&) {
      ++too_long;
    }
    fmt::print(stderr,
               "\r{} of {} steps, worst {:.2g}; {} simulated whole; alike ranks of {} differ; {} "
               "more took too long",
               done, count, worst, whole, apart, too_long);
  }
  fmt::print(stderr, "\n");
  return worst <= kMostApart && whole * 10 < count ? 0 : 1;
}
