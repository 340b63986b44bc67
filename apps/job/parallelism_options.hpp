// How a job is laid over the GPUs and what it runs, from the command line.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/workload/parallelism.hpp"

namespace apps {

// The flags as given. Empty: what the framework that --zero stands for does, see the flags' help.
struct ParallelismOptions {
  int tensor = 1, pipeline = 1, virtual_stages = 1;
  std::optional<int> zero;  // none: as each scheme is defined
  int hybrid_shard = 0, unit_layers = 0, prefetch = -1;
  std::string reshard, backward_prefetch;
  int micro_batch = 1, accumulation = 0;
  std::int64_t global_batch = 0;
  std::string sequence_parallel, recompute, attention, gradient_precision, overlap, bucket_size;
  std::string kernels, loss, precision;
  std::string weight_precision, optimizer, placement;
};

// Names of flags, without dashes, that a command chooses where they are not given.
using ChosenFlags = std::set<std::string_view>;

// The help shows "chosen" for the default of a chosen flag, else what run takes.
void add_parallelism_flags(boost::program_options::options_description& flags,
                           ParallelismOptions& options, const ChosenFlags& chosen = {});
// What no flag says, so that the stage of ZeRO decides: it stands for the software that is trained
// with, Megatron's or, of stage 3, PyTorch's FSDP.
struct OpenSoftware {
  bool attention = true, kernels = true, overlap = true;
};
[[nodiscard]] OpenSoftware open_software(const ParallelismOptions& options);
// The same as --zero `stage` has it: flags and searches alike choose a stage by this.
[[nodiscard]] sim::Parallelism at_stage(sim::Parallelism parallelism, int stage,
                                        const OpenSoftware& open);

// All of it but the accumulation.
[[nodiscard]] sim::Parallelism parallelism_of(const ParallelismOptions& options);
// --accumulation, or what --global-batch leaves for each of `replicas` that a step has in all.
[[nodiscard]] int accumulation_of(const ParallelismOptions& options, int replicas);

// A flag that counts: given, it is at least 1. Not given, the option keeps what it has.
[[nodiscard]] boost::program_options::typed_value<int>* count(const char* flag, int& option);

}  // namespace apps
