// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/session.hpp"

#include <cstdio>

namespace calibrate {

Time time_of(Session& session, const std::function<void(std::size_t, cudaStream_t)>& launch) {
  const auto timing = session.benchmark.time(launch, session.budget.next_s());
  return {.median_s = timing.median_s, .spread_s = timing.spread_s, .launches = timing.launches};
}

void report(const Session& session, const std::string& what, double seconds,
            const std::string& rate) {
  const Budget& budget = session.budget;
  std::fprintf(stderr, "[%4zu left, %4.0f s, %4.0f s to go] %-62s %11.2f us %16s\n", budget.left(),
               budget.elapsed_s(), budget.remaining_s(), what.c_str(), seconds * 1e6, rate.c_str());
}

std::string rate_text(double bytes, double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f GB/s", bytes / seconds / 1e9);
  return text;
}

std::size_t free_bytes() {
  std::size_t free = 0, total = 0;
  codecs::cuda::check(cudaMemGetInfo(&free, &total));
  return free;
}

}  // namespace calibrate
