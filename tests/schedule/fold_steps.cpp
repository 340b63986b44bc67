// gardenhose-fold-steps [COUNT [SEED [FIRST]]]: simulates COUNT random training steps folded, as
// `run` does, and step by step. Prints a CSV row a step, progress on standard error; exit code 1
// when the worst differs by more than 2 %, or the ninth of ten by more than 0.1 %.
#include "tests/schedule/fold_steps.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace sim;
  const int count = argc > 1 ? std::atoi(argv[1]) : 600;
  const int seed = argc > 2 ? std::atoi(argv[2]) : 1;
  const int first = argc > 3 ? std::atoi(argv[3]) : 0;
  fmt::print("point,folded_s,step_by_step_s,difference,flows,step\n");
  StepDraw random(static_cast<std::uint64_t>(seed));
  std::vector<double> differences;
  for (int i = 0; i < first + count; ++i) {
    const StepPoint point = random.draw();
    if (i < first) continue;
    const StepTimesOfBoth times = times_of(point);
    fmt::print("{},{:.9g},{:.9g},{:+.5f},{},\"{}\"\n", i, times.folded_s, times.step_by_step_s,
               times.difference(), times.flows, to_text(point));
    std::fflush(stdout);
    differences.push_back(std::abs(times.difference()));
    std::sort(differences.begin(), differences.end());
    fmt::print(stderr, "\r{} of {} steps, worst {:.2f} %, nine in ten under {:.3f} %",
               i + 1 - first, count, 100 * differences.back(),
               100 * differences[differences.size() * 9 / 10]);
  }
  fmt::print(stderr, "\n");
  return 0;
}
