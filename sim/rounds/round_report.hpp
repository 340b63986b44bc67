// SPDX-License-Identifier: Apache-2.0
// The report of simulated rounds between sites.
#pragma once

#include <cstdint>
#include <filesystem>

#include "sim/report/report.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim {

struct JsonDocument;

// Sequences of one inner step at all sites.
[[nodiscard]] std::int64_t global_batch(const RoundContext& context);
// Sequences of a round at one site of the table.
[[nodiscard]] double round_sequences(const RoundContext& context, std::size_t table,
                                     const SiteExchange& exchange);

[[nodiscard]] Report summarize(const RoundContext& context, const Scheme& scheme,
                               const RoundResult& result);

// Of one encode and, where the scheme feeds back what it lost, "sum_of_256" of the sum of 256 steps,
// from the table that gardenhose-codec-error wrote; not known of a wire that has no row there, nor of
// sums that are encoded at every hop.
[[nodiscard]] CodecErrors codec_errors(const JsonDocument& table, const Scheme& scheme);

}  // namespace sim
