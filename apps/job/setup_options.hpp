// The options among which a search for the fastest setup of a job chooses: what changes how a step
// is run, and neither the job (model, sequences of a step, tensor and pipeline parallelism) nor what
// is computed.
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

// Everything overlaps, and gradients that a scheme does not encode travel as BF16.
[[nodiscard]] Setup start_of(const Job& job, const sim::Scheme& scheme);

// Setups that differ from `from` in one kind of option, and itself. The scheme, its stage of ZeRO,
// groups that share shards (of one node, 2, 4 and so on), and the FP8 gather where products are FP8:
[[nodiscard]] std::vector<Setup> other_shardings(const Job& job,
                                                 std::span<const sim::Scheme> schemes,
                                                 const Setup& from);
// Throws InputError where no form of any of the schemes can be run: there is nothing to search.
void check_choice(const Job& job, std::span<const sim::Scheme> schemes);
// Micro-batches of other sizes, and the accumulation that leaves the same sequences of a step, the
// largest micro-batches first.
[[nodiscard]] std::vector<Setup> other_splits(const Job& job, const Setup& from);
// What overlaps, gradients' precision and the size of buckets, as the flags say or otherwise; ZeRO-3
// has units of layers instead of buckets, and where nothing overlaps there is one.
[[nodiscard]] std::vector<Setup> other_overlaps(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_precisions(const Job& job, const Setup& from);
[[nodiscard]] std::vector<Setup> other_buckets(const Job& job, const Setup& from);

// The flags that run the setup, in place of the job's of the same names and besides the others:
// "--zero 3 --overlap all". Empty where the job's are enough.
[[nodiscard]] std::string flags_of(const Job& job, const Setup& setup);

}  // namespace apps
