// SPDX-License-Identifier: Apache-2.0
// The options from which a search for a job's fastest setup chooses: they change how a step runs,
// but neither the job (model, sequences per step, pipeline parallelism) nor the computation.
// Given options (Job::given) stay fixed.
#pragma once

#include <span>
#include <vector>

#include "sim/study/job.hpp"

namespace sim::study {

// Every shipped scheme that sends all values uncompressed.
[[nodiscard]] std::vector<Scheme> uncompressed_schemes();

// Bytes on one GPU of the table's sites; and whether every site's GPUs have as many.
[[nodiscard]] MemoryUse memory_of(const Job& job, const Setup& setup, std::size_t table = 0);
[[nodiscard]] double memory_needed(const Job& job, const Setup& setup);
[[nodiscard]] bool fits_memory(const Job& job, const Setup& setup);

// Whether a search may move the optimizer's state to hosts where nothing fits otherwise: if nothing
// says where it is, and all GPUs have a link to a host.
[[nodiscard]] bool may_use_hosts(const Job& job);

// Everything overlaps, and gradients that a scheme does not encode travel as BF16, unless
// given otherwise.
[[nodiscard]] Setup start_of(const Job& job, const Scheme& scheme);

// Changes implied by another stage of ZeRO in a search, which chooses the overlap itself.
[[nodiscard]] inline OpenSoftware chosen_software(const Job& job) {
  return {.attention = job.open.attention,
          .kernels = job.open.kernels,
          .overlap = false,
          .stack = job.open.stack,
          .date = job.open.date};
}

// Recomputation choices of the backward pass. A fused core keeps no scores for selective
// recomputation to drop.
[[nodiscard]] std::vector<Recompute> recomputations(const Job& job, const Parallelism& p);

// The ways to shard with the scheme at `p`'s stage of ZeRO: whole groups first, then groups of 2, 4
// and so on of a node's ranks, and of 1, 2, 4 and so on nodes; each also with FP8 gathers if
// products are FP8. Given options stay fixed.
[[nodiscard]] std::vector<Parallelism> sharding_forms(const Job& job, const Scheme& scheme,
                                                      const Parallelism& p);

// Setups that differ from `from` in one kind of option, and `from` itself: the scheme, its stage of
// ZeRO with the implied software, and sharding_forms():
[[nodiscard]] std::vector<Setup> other_shardings(const Job& job, std::span<const Scheme> schemes,
                                                 const Setup& from);
// Throws InputError if no form of any of the schemes can run, so that there is nothing to search.
void check_choice(const Job& job, std::span<const Scheme> schemes);
// Other micro-batch sizes, with the accumulation that keeps the sequences per step, largest
// micro-batches first.
[[nodiscard]] std::vector<Setup> other_splits(const Job& job, const Setup& from);
// Degrees of tensor parallelism, from 2 on with and without sequence parallelism, with the
// accumulation that keeps the sequences per step; and recomputation choices.
[[nodiscard]] std::vector<Setup> other_tensors(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_recomputes(const Job& job, const Setup& from);
// Overlap, precision of gradients and bucket size, as given or otherwise; ZeRO-3 has units
// of layers instead of buckets, and without overlap there is one bucket.
[[nodiscard]] std::vector<Setup> other_overlaps(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_precisions(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_buckets(const Job& job, const Setup& from);

}  // namespace sim::study
