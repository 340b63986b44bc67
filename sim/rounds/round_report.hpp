// SPDX-License-Identifier: Apache-2.0
// RoundReport: what simulated rounds between sites mean. The numbers that people, CI and sweeps
// read, each name carrying its unit.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/styled_text.hpp"
#include "sim/report/report.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim {

// One table of sites.
struct SiteReport {
  std::string name;
  int count = 1;
  std::string gpu;
  int gpus = 0;             // of one site
  double inner_step_s = 0;  // alone
  double slowdown = 1;      // of a step beside traffic to other sites
  double sent_bytes = 0;    // of one site in a round, mean
  double received_bytes = 0;
  MemoryUse memory;           // of one GPU, outer state included
  double capacity_bytes = 0;  // of its memory
  bool fits_memory = true;
};

struct RoundReport {
  std::string topology, model, scheme, inner_scheme;
  int sites = 0, gpus = 0;
  std::int64_t global_batch = 0;  // sequences of an inner step, at all sites
  int sequence = 0;
  int inner_steps = 1, fragments = 1, overlap_steps = 0;
  RoundOutcome outcome = RoundOutcome::complete;
  std::vector<std::string> events;
  double round_time_s = 0;  // infinite where the round was aborted
  double tokens_per_s = 0;
  double utilisation = 0;  // share of the round in which a GPU computes, mean over all GPUs
  // From the last step of a round until its last result is there, mean over sites, of the last round
  // that was simulated: what overlap hides, or what is still to be waited for.
  double exchange_after_round_s = 0;
  std::string time_site;          // the site that ends last
  TimeParts time;                 // of a round, of the site that ends last
  double wire_bytes_wan = 0;      // that a site sends in a round, mean
  double bits_per_parameter = 0;  // that a site sends to one other, or to storage
  double compression_ratio_fp32 = 1;
  double compression_ratio_bf16 = 1;
  double egress_usd = 0;              // of all sites and the storage in a round
  double link_usd = 0;                // of leased links in a round
  double usd_per_million_tokens = 0;  // GPUs, links and egress
  double energy_j = 0;                // of all GPUs at their power in a round
  std::vector<LinkUse> busiest_links;
  std::string bound;  // one line: what the round waits for most, at the site that ends last
  std::vector<SiteReport> by_site;
  CodecErrors codec_error;
  std::map<std::string, std::string> sources;
  double speedup = 0;  // in tokens per second over `baseline`
  std::string baseline;
  bool baseline_fits = true;             // in memory
  std::optional<EfficiencyRange> range;  // where it was simulated

  [[nodiscard]] bool ended() const { return outcome != RoundOutcome::aborted; }
  [[nodiscard]] bool fits_memory() const;  // at every site
  // Whose memory is used most, as a share.
  [[nodiscard]] const SiteReport& fullest_site() const;
};

// Sequences of one inner step at all sites.
[[nodiscard]] std::int64_t global_batch(const WideArea& area, const Parallelism& parallelism);

[[nodiscard]] RoundReport summarize(const RoundContext& context, const Scheme& scheme,
                                    const RoundResult& result);

// Of one encode and, where the scheme feeds back what it lost, "sum_of_256" of the sum of 256 steps,
// from the table that gardenhose-codec-error wrote; not known of a wire that has no row there.
[[nodiscard]] CodecErrors codec_errors(const std::filesystem::path& table, const Scheme& scheme);

// Side by side, on pages of at most `width` characters.
[[nodiscard]] StyledText to_table(std::span<const RoundReport> reports, std::size_t width);
[[nodiscard]] std::string to_json(std::span<const RoundReport> reports);
[[nodiscard]] std::string to_csv(std::span<const RoundReport> reports);

}  // namespace sim
