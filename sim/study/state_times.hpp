// SPDX-License-Identifier: Apache-2.0
// How long sites load and save the state of a training: the weights in FP32 and the outer momentum, or
// where sites exchange gradients the weights and Adam's moments.
#pragma once

#include <cstddef>

#include "sim/schemes/scheme.hpp"
#include "sim/study/job.hpp"

namespace sim::study {

// Of a site of the table that comes back: from the storage, or from the other site that sends it
// soonest.
[[nodiscard]] double load_s(const Job& job, const SiteExchange& exchange, std::size_t table);

// To and from the storage of the checkpoints ([membership]), which there are.
[[nodiscard]] double save_s(const Job& job, const SiteExchange& exchange, std::size_t table);
[[nodiscard]] double restore_s(const Job& job, const SiteExchange& exchange, std::size_t table);
// What the site pays for the traffic of a checkpoint that it writes.
[[nodiscard]] double save_usd(const Job& job, const SiteExchange& exchange, std::size_t table);

}  // namespace sim::study
