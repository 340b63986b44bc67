// SPDX-License-Identifier: Apache-2.0
// Report: what a simulated step, or simulated rounds between sites, mean. The numbers that people,
// CI and sweeps read, each name carrying its unit.
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/reliability/goodput.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/parameters.hpp"

namespace sim {

// Where the time of the rank that ends last goes. The parts sum to the time of the step or round.
struct TimeParts {
  double compute_s = 0;       // forward, backward and recomputed operators
  double exposed_comm_s = 0;  // bytes or latency under way, and nothing on the GPU
  double codec_s = 0;         // encoding and decoding that no operator hides
  double host_s = 0;          // waiting for the host to issue the next kernel
  double bubble_s = 0;        // waiting for another rank, or for nothing to do
  double optimizer_s = 0;     // norm, clip, update, casts
  double other_s = 0;         // passes over whole buffers: zeroing, scaling, copying
  // exposed_comm_s by the phase that is waited for.
  std::map<Phase, double> exposed_by_phase_s = {};
};

// A kind of link, by the one that is busiest.
struct LinkUse {
  std::string link;  // as the wiring names it, "nic_out_3"
  std::string kind;  // "nic_out"
  LinkRole role = LinkRole::other;
  std::string set_by;  // the key that its rate follows, "network.nic_bandwidth"
  double busy = 0;     // what it carried over what it could have carried
  int as_busy = 0;     // links of the kind that are as busy, this one included
};
// Of a schedule that was played over these links, most busy first.
[[nodiscard]] std::vector<LinkUse> busiest_links(const Schedule& schedule, const Wiring& wiring,
                                                 const Timeline& timeline);

// The NIC bandwidth below which a scheme beats its baseline, between `pays_at` (it does) and
// `loses_at` (it does not). 0 and infinity stand for the ends of what was searched.
struct BreakEven {
  double pays_at_Bps = 0;
  double loses_at_Bps = 0;
  double nic_bandwidth_Bps = 0;  // of the cluster as it is
  // Where it likely is (as LikelyRange); the same ends.
  double low_Bps = 0, high_Bps = 0;
};

// Where a step stands among those that it is reported with, by speed and by codec error.
struct ParetoPlace {
  bool sends_plain = false;          // its scheme sends values as they are: there is no codec
  std::optional<double> error = {};  // relative L2 of what arrives; nothing: not measured, no codec
  bool on_front = false;             // none of the others is both faster and of a smaller error
};

// Relative L2 by distribution; without a value where it is not known.
using CodecErrors = std::map<std::string, std::optional<double>>;

// The likely range of an answer: in eight cases of ten (sim/study/search/likely_range.hpp).
struct LikelyRange {
  double tokens_per_s_low = 0, tokens_per_s_high = 0;
  double usd_per_million_tokens_low = 0, usd_per_million_tokens_high = 0;
};

struct LikelyRatio {
  double low = 0, high = 0;
};

// How far the logarithm of the time moves when one group of constants is off by its spread: `network` when
// it is faster, `slower_network` when it is slower.
struct Sensitivity {
  double compute = 0, network = 0, codecs = 0;
  double slower_host = 0, faster_host = 0;
  double slower_network = 0;
};

// Whether one setup trains faster than another, as far as predictions can tell
// (sim/study/search/verdict.hpp).
enum class Verdict { win, tie, loss };
[[nodiscard]] constexpr const char* verdict_name(Verdict verdict) {
  return verdict == Verdict::win ? "win" : verdict == Verdict::loss ? "loss" : "tie";
}

// What only a step of one cluster has.
struct StepFigures {
  std::string calibration;
  int data = 1;                              // data-parallel replicas
  double tflops_per_gpu = 0;                 // model FLOP, full attention, no recomputation
  double mfu = 0;                            // of the BF16 peak
  WireBytes wire;                            // that it sends
  std::map<Phase, WireBytes> wire_by_phase;  // of the phases that send
  double gradient_exchange_s = 0;  // from the first pass over the gradients to the summed shard
  double host_memory_bytes = 0;    // of one node: the optimizer's state and activations on hosts
};

// One table of sites.
struct SiteReport {
  std::string name;
  int count = 1;
  std::string gpu;
  int gpus = 0;       // of one site
  std::string setup;  // fields of its own, "tp 8"; none where it trains as the job says
  std::string inner_scheme;
  Parallelism parallelism;
  std::int64_t sequences = 0;  // of an inner step
  int inner_steps = 1;         // of a round
  double tokens = 0;           // that one site adds to a round, mean; none where they are lost
  double inner_step_s = 0;     // alone
  double slowdown = 1;         // of a step beside traffic to other sites
  double sent_bytes = 0;       // of one site in a round, mean
  double received_bytes = 0;
  MemoryUse memory;           // of one GPU, outer state included
  double capacity_bytes = 0;  // of its memory
  bool fits_memory = true;
  double host_memory_bytes = 0;  // of one node: outer state, optimizer's and activations on hosts
};

// What only rounds between sites have.
struct RoundFigures {
  std::string inner_scheme;
  int sites = 0;
  // Of the scheme: sites may have numbers of inner steps of their own.
  int inner_steps = 1, across_every = 1, fragments = 1, overlap_steps = 0;
  std::string outcome;              // "complete", "partial" or "aborted"
  std::vector<std::string> events;  // what kept a round from being complete
  // From its start, when sites go on without those that they have not heard; infinite: never.
  double cutoff_s = std::numeric_limits<double>::infinity();
  double handed_in_s = std::numeric_limits<double>::infinity();  // RoundLength::handed_in_s
  double utilisation = 0;  // share of the round in which a GPU computes, mean over all GPUs
  double tokens = 0;       // of the round
  // From the last step of a round until its last result is there, mean over sites and rounds: what
  // overlap hides, or what is still to be waited for.
  double exchange_after_round_s = 0;
  std::string time_site;          // the site that ends last
  double bits_per_parameter = 0;  // that a site sends to one other, or to storage
  double egress_usd = 0;          // of all sites, storage and syncer in a round
  double link_usd = 0;            // of leased links in a round
  std::vector<SiteReport> by_site;
  std::string fullest_site;  // whose memory is used most, as a share
};

// What a month brings to sites that come and go (sim/reliability/membership.hpp): means of many
// months. Ranges are likely ones, of a month and of the speed with all sites, as independent errors.
struct MembershipFigures {
  int sites = 0;
  double members = 0;  // of them, whose work a round counts
  double tokens_per_s = 0, tokens_per_s_low = 0, tokens_per_s_high = 0;
  double expected_tokens_per_s = 0;  // by plain arithmetic
  double kept_share = 0;             // of the tokens per second with all sites
  double lost_share = 0;             // of the steps, with sites that left before the round's end
  double waited_share = 0;           // of the time, for sites that had left
  double idle_share = 0;             // of the time, with too few sites
  // Where outer state is saved: of the steps, those undone since the last checkpoint; of the time,
  // writing checkpoints.
  std::optional<double> undone_share, saved_share;
  double leaves_per_day = 0;          // of all sites
  double usd_per_million_tokens = 0;  // sites that are away cost nothing
  double egress_usd_per_s = 0;        // part of that, of the sites that take part
  std::vector<double> months;         // tokens per second of each, the same for all that is trained
  std::optional<TokenTarget> target;
};

// Of the model: parameters, and FLOP of a step for each token (model_flop()), with whole attention and
// with its causal half.
struct ModelSize {
  ParametersByPart parameters;
  double flop_per_token = 0, flop_per_token_causal = 0;
};
[[nodiscard]] ModelSize size_of(const Model& model);

struct Report {
  std::string topology, model, scheme;
  int gpus = 0;
  std::string node_placement;     // placement_name()
  Parallelism parallelism;        // what was run
  std::int64_t global_batch = 0;  // sequences of a step, at all sites
  ModelSize model_size;
  int sequence = 0;
  double time_s = 0;  // of the step or the round; infinite where the round was aborted
  double tokens_per_s = 0;
  TimeParts time;                     // of a round: at the site that ends last
  double host_issue_s = 0;            // that the busiest host takes to issue the kernels of a step
  double wire_bytes_wan = 0;          // that a site sends in a round, mean
  double compression_ratio_fp32 = 1;  // of the data-parallel exchange: FP32 rings over what is sent
  double compression_ratio_bf16 = 1;
  double energy_j = 0;                 // of all GPUs at their power
  double usd_per_million_tokens = 0;   // GPUs, network, leased links and egress
  MemoryUse memory;                    // of one GPU, at the fullest site
  bool fits_memory = true;             // at every site
  std::vector<LinkUse> busiest_links;  // most busy first, one of a kind
  std::string bound;                   // one line: what the step or round waits for most
  CodecErrors codec_error;
  std::map<std::string, std::string> sources;  // of every input constant
  double speedup = 0;                          // over `baseline`; 0 where there is none
  std::optional<LikelyRatio> speedup_range;
  std::optional<Verdict> verdict;  // over `baseline`, if there is one and one of the two fits
  std::optional<Sensitivity> sensitivity;
  std::string baseline;
  bool baseline_fits = true;  // in memory
  // Flags that a search for the fastest ones chose, for this step and for its baseline, where one
  // did, as the command writes them; "" where those given are the fastest.
  std::optional<std::string> flags;
  std::optional<std::string> baseline_flags;
  std::optional<BreakEven> break_even;
  std::optional<ParetoPlace> pareto;            // where several steps are reported
  std::optional<LikelyRange> range;             // where it was simulated
  std::optional<GoodputFigures> goodput;        // where it was asked for
  std::optional<MembershipFigures> membership;  // where sites come and go
  std::optional<StepFigures> step;              // one of these two
  std::optional<RoundFigures> round;

  [[nodiscard]] bool ended() const { return std::isfinite(time_s); }
  // Where sites come and go, what is kept.
  [[nodiscard]] double trained_tokens_per_s() const {
    return membership ? membership->tokens_per_s : tokens_per_s;
  }
  // Of a job that fails, or of sites that come and go.
  [[nodiscard]] std::optional<TokenTarget> target() const {
    return goodput ? goodput->target : membership ? membership->target : std::nullopt;
  }
  [[nodiscard]] bool both_fit() const { return fits_memory && baseline_fits; }
};

// Plays a step to its end. Where the periods of plan_few_periods() do not repeat, plans the step anew
// with more of them, or whole. Throws InputError if it does not end.
[[nodiscard]] Timeline simulate_step(const StepContext& context, const Scheme& scheme,
                                     PlannedStep& step);
// Of the schedule as it was played over the wiring.
[[nodiscard]] Report summarize(const StepContext& context, const Scheme& scheme,
                               const Schedule& schedule, const Wiring& wiring,
                               const Timeline& timeline);

// One line: what a step or a round of so many seconds waits for most. `whole` is what it is of, and
// `waits` what its bubbles are called.
[[nodiscard]] std::string bound_of(const TimeParts& parts, double seconds,
                                   std::span<const LinkUse> busiest, const std::string& whole,
                                   const char* waits);

// The rank whose operation ends last, the first of several.
[[nodiscard]] int last_rank(const Schedule& schedule, const Timeline& timeline);
// The time that the schedule's last rank spends, part by part; or any rank, within an interval.
[[nodiscard]] TimeParts time_parts(const Schedule& schedule, const Timeline& timeline);
struct Interval {
  double start_s = 0, end_s = 0;
};
[[nodiscard]] TimeParts time_parts(const Schedule& schedule, const Timeline& timeline, int rank,
                                   const Interval& within);

}  // namespace sim
