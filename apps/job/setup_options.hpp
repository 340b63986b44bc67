// The options among which a search for the fastest setup of a job chooses: what changes how a step
// is run, and neither the job (model, sequences of a step, pipeline parallelism) nor what is
// computed. What a flag says (Job::given) is not chosen.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/job/job.hpp"

namespace apps {

// Compressed schemes whose papers train language models with them to the loss of uncompressed
// training.
inline constexpr const char* kTrainedSchemes =
    "sdp4bit,qwd,tlq_hs,zeropp,loco,qsdp,fp8_gather,fp8_gradients";

// Every scheme that ships and sends all values as they are.
[[nodiscard]] std::vector<sim::Scheme> uncompressed_schemes();

// Bytes of a GPU.
[[nodiscard]] double memory_needed(const Job& job, const Setup& setup);

// Everything overlaps, and gradients that a scheme does not encode travel as BF16, unless a flag says
// otherwise.
[[nodiscard]] Setup start_of(const Job& job, const sim::Scheme& scheme);

// What another stage of ZeRO changes in a search, which chooses itself what overlaps.
[[nodiscard]] inline OpenSoftware chosen_software(const Job& job) {
  return {.attention = job.open.attention, .kernels = job.open.kernels, .overlap = false};
}

// What the backward pass may compute again. A fused core keeps no scores that selective recomputation
// would leave out.
[[nodiscard]] std::vector<sim::Recompute> recomputations(const Job& job, const sim::Parallelism& p);

// The ways to shard by the scheme at the stage of ZeRO that `p` has: whole groups first, then groups
// of 2, 4 and so on of a node's ranks, and of 1, 2, 4 and so on nodes; each with FP8 gathers too,
// where products are FP8. What a flag says is not chosen.
[[nodiscard]] std::vector<sim::Parallelism> sharding_forms(const Job& job,
                                                           const sim::Scheme& scheme,
                                                           const sim::Parallelism& p);

// Setups that differ from `from` in one kind of option, and itself. The scheme, its stage of ZeRO with
// the software that it stands for, and sharding_forms():
[[nodiscard]] std::vector<Setup> other_shardings(const Job& job,
                                                 std::span<const sim::Scheme> schemes,
                                                 const Setup& from);
// Throws InputError where no form of any of the schemes can be run: there is nothing to search.
void check_choice(const Job& job, std::span<const sim::Scheme> schemes);
// Micro-batches of other sizes, and the accumulation that leaves the same sequences of a step, the
// largest micro-batches first.
[[nodiscard]] std::vector<Setup> other_splits(const Job& job, const Setup& from);
// Degrees of tensor parallelism, from 2 on with and without sequence parallelism, and as much
// accumulation as leaves the sequences of a step; and what the backward pass computes again.
[[nodiscard]] std::vector<Setup> other_tensors(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_recomputes(const Job& job, const Setup& from);
// What overlaps, gradients' precision and the size of buckets, as the flags say or otherwise; ZeRO-3
// has units of layers instead of buckets, and where nothing overlaps there is one.
[[nodiscard]] std::vector<Setup> other_overlaps(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_precisions(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_buckets(const Job& job, const Setup& from);

// The flags that run the setup, in place of the job's of the same names and besides the others:
// "--zero 3 --overlap all". Empty where the job's are enough.
[[nodiscard]] std::string flags_of(const Job& job, const Setup& setup);

}  // namespace apps
