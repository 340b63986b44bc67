// SPDX-License-Identifier: Apache-2.0
// A job's failures and restarts, event by event: what the closed forms of renewal.hpp are checked by,
// and how much one run may differ from the next.
#pragma once

#include <cstdint>

#include "sim/reliability/month.hpp"
#include "sim/reliability/renewal.hpp"

namespace sim {

struct SimulatedJob {
  TimeShares shares;  // of the time simulated
  std::int64_t interruptions = 0;
};

// Of a job that saves each `interval_s` of training, over `time_s`. Times between failures are
// exponential, repairs take `repair_s` each, all at once. The same seed gives the same failures, as
// far as the job meets them. What happens is added to `month` if there is one.
[[nodiscard]] SimulatedJob simulate_job(const Renewal& job, double interval_s, double time_s,
                                        std::uint64_t seed, Month* month = nullptr);

}  // namespace sim
