// SPDX-License-Identifier: Apache-2.0
// gardenhose-fold-steps [COUNT [SEED]]: simulates COUNT random training steps as `run` does, folded
// but where that is approximate, and step by step. Exit code 1 beyond the bars of fold_steps.hpp.
// gardenhose-fold-steps --uneven [COUNT [SEED]]: large steps of ranks that lie unevenly over nodes,
// which `run` unfolds, folded all the same: how far larger ones may be off.
// Prints a CSV row a step, progress on standard error.
#include "tests/schedule/fold_steps.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace sim;

// Half of kMostUnfolded, at least.
bool is_large_and_uneven(const StepPoint& point) {
  const Schedule schedule = plan_of(point, Detail::folded);
  return schedule.approximate && schedule.unfolded_flows > kMostUnfolded / 2 &&
         schedule.unfolded_flows <= kMostUnfolded;
}

}  // namespace

int main(int argc, char** argv) {
  const bool uneven = argc > 1 && std::string_view(argv[1]) == "--uneven";
  const int first = uneven ? 2 : 1;
  const int count = argc > first ? std::atoi(argv[first]) : uneven ? 40 : 600;
  const int seed = argc > first + 1 ? std::atoi(argv[first + 1]) : 1;
  const auto detail = uneven ? std::optional(Detail::folded) : std::nullopt;
  StepDraw random(static_cast<std::uint64_t>(seed), uneven ? 24 : 2);
  std::vector<double> differences;
  fmt::print("folded_s,step_by_step_s,difference,unfolded_flows,step\n");
  while (static_cast<int>(differences.size()) < count) {
    const StepPoint point = random.draw();
    if (uneven && !is_large_and_uneven(point)) continue;
    const StepTimesOfBoth times = times_of(point, detail);
    fmt::print("{:.9g},{:.9g},{:+.5f},{:.0f},\"{}\"\n", times.folded_s, times.step_by_step_s,
               times.difference(), plan_of(point, Detail::folded).unfolded_flows, to_text(point));
    std::fflush(stdout);
    differences.push_back(std::abs(times.difference()));
    std::ranges::sort(differences);
    fmt::print(stderr, "\r{} of {} steps, worst {:.2f} %, nine in ten under {:.3f} %",
               differences.size(), count, 100 * differences.back(),
               100 * differences[differences.size() * 9 / 10]);
  }
  fmt::print(stderr, "\n");
  return uneven || are_within_bars(differences) ? 0 : 1;
}
