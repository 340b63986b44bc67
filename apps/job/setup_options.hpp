// SPDX-License-Identifier: Apache-2.0
// The options from which a search for a job's fastest setup chooses: they change how a step runs,
// but neither the job (model, sequences per step, pipeline parallelism) nor the computation.
// Options given by flags (Job::given) stay fixed.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/job/job.hpp"

namespace apps {

// Compressed schemes whose papers train language models to the same loss as uncompressed training.
inline constexpr const char* kTrainedSchemes =
    "sdp4bit,qwd,tlq_hs,zeropp,loco,qsdp,fp8_gather,fp8_gradients";

// Every shipped scheme that sends all values uncompressed.
[[nodiscard]] std::vector<sim::Scheme> uncompressed_schemes();

// Bytes on one GPU of the table's sites; and whether every site's GPUs have as many.
[[nodiscard]] sim::MemoryUse memory_of(const Job& job, const Setup& setup, std::size_t table = 0);
[[nodiscard]] double memory_needed(const Job& job, const Setup& setup);
[[nodiscard]] bool fits_memory(const Job& job, const Setup& setup);

// Everything overlaps, and gradients that a scheme does not encode travel as BF16, unless a flag
// says otherwise.
[[nodiscard]] Setup start_of(const Job& job, const sim::Scheme& scheme);

// Changes implied by another stage of ZeRO in a search, which chooses the overlap itself.
[[nodiscard]] inline OpenSoftware chosen_software(const Job& job) {
  return {.attention = job.open.attention, .kernels = job.open.kernels, .overlap = false};
}

// Recomputation choices of the backward pass. A fused core keeps no scores for selective
// recomputation to drop.
[[nodiscard]] std::vector<sim::Recompute> recomputations(const Job& job, const sim::Parallelism& p);

// The ways to shard with the scheme at `p`'s stage of ZeRO: whole groups first, then groups of 2, 4
// and so on of a node's ranks, and of 1, 2, 4 and so on nodes; each also with FP8 gathers if
// products are FP8. Options given by flags stay fixed.
[[nodiscard]] std::vector<sim::Parallelism> sharding_forms(const Job& job,
                                                           const sim::Scheme& scheme,
                                                           const sim::Parallelism& p);

// Setups that differ from `from` in one kind of option, and `from` itself: the scheme, its stage of
// ZeRO with the implied software, and sharding_forms():
[[nodiscard]] std::vector<Setup> other_shardings(const Job& job,
                                                 std::span<const sim::Scheme> schemes,
                                                 const Setup& from);
// Throws InputError if no form of any of the schemes can run, so that there is nothing to search.
void check_choice(const Job& job, std::span<const sim::Scheme> schemes);
// Other micro-batch sizes, with the accumulation that keeps the sequences per step, largest
// micro-batches first.
[[nodiscard]] std::vector<Setup> other_splits(const Job& job, const Setup& from);
// Degrees of tensor parallelism, from 2 on with and without sequence parallelism, with the
// accumulation that keeps the sequences per step; and recomputation choices.
[[nodiscard]] std::vector<Setup> other_tensors(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_recomputes(const Job& job, const Setup& from);
// Overlap, precision of gradients and bucket size, as the flags say or otherwise; ZeRO-3 has units
// of layers instead of buckets, and without overlap there is one bucket.
[[nodiscard]] std::vector<Setup> other_overlaps(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_precisions(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_buckets(const Job& job, const Setup& from);

// The flags that run the setup, besides the job's flags and in place of those with the same names:
// "--zero 3 --overlap all". Empty if the job's suffice.
[[nodiscard]] std::string flags_of(const Job& job, const Setup& setup);

}  // namespace apps
