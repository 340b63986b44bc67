// Break-even: the network on which a scheme stops paying.
#pragma once

#include <optional>

#include "apps/job.hpp"
#include "sim/report/report.hpp"

namespace apps {

// Simulates both schemes over NIC bandwidths from 1/256 to 256 times the cluster's, halving the
// bracket until it is 1 % wide. A cap of one communicator scales along. Nothing on one node, or
// for a scheme that does not compress. Says on standard error how far it is.
[[nodiscard]] std::optional<sim::BreakEven> find_break_even(const Job& job, const Setup& setup,
                                                            const Setup& baseline);

}  // namespace apps
