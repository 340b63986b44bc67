// SPDX-License-Identifier: Apache-2.0
// Layout and software of a job, from the command line.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "sim/workload/stacks.hpp"

namespace apps {

// The flags as given. Empty: the behaviour of the framework implied by --zero, see the flags' help.
struct ParallelismOptions {
  int tensor = 1, pipeline = 1, virtual_stages = 1;
  int context = 1, context_heads = 1, expert = 1, expert_tensor = 0, dispatch_multiprocessors = 0;
  std::string context_exchange, dispatcher;
  std::optional<int> zero;  // none: each scheme's own
  int hybrid_shard = 0, unit_layers = 0, prefetch = -1;
  std::string reshard, backward_prefetch;
  int micro_batch = 1, accumulation = 0;
  std::int64_t global_batch = 0;
  std::string sequence_parallel, recompute, offload_activations, attention, gradient_precision,
      overlap, bucket_size;
  std::string stack, kernels, loss, precision, cuda_graphs;
  std::string weight_precision, optimizer, optimizer_state, placement, count_ends, stage_layers;
  std::string routing = "balanced";
  double capacity_factor = 0;  // none is given
};

// Names of flags, without dashes, that a command chooses unless they are given.
using ChosenFlags = std::set<std::string_view>;

// The help shows "chosen" as the default of a chosen flag, else run's default.
void add_parallelism_flags(boost::program_options::options_description& flags,
                           ParallelismOptions& options, const ChosenFlags& chosen = {});
// The stage of ZeRO that is given, or that of a given stack.
[[nodiscard]] std::optional<int> stage_of(const ParallelismOptions& options);
// What no flag chooses.
[[nodiscard]] sim::OpenSoftware open_software(const ParallelismOptions& options);

// Everything except the accumulation.
[[nodiscard]] sim::Parallelism parallelism_of(const ParallelismOptions& options);
// --accumulation, or the accumulation that --global-batch implies for `replicas`, the number of
// replicas in a step.
[[nodiscard]] int accumulation_of(const ParallelismOptions& options, int replicas);

// A counting flag: at least 1 if given; otherwise the option keeps its value.
[[nodiscard]] boost::program_options::typed_value<int>* count(const char* flag, int& option);

}  // namespace apps
