// plan_step(): one training step of a scheme as a schedule.
//
//   gather weights ► forward/backward of every micro-batch ► reduce gradients ► norm, clip, update
//
// The step starts where the last one ended: the shards are updated (and encoded), so the gather
// that belongs to them stands first, where it may overlap the forward pass. What overlaps follows
// from streams and dependencies alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/cluster/cluster.hpp"
#include "sim/schedule/communicator.hpp"
#include "sim/schedule/schedule.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/workload/calibration.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Flows of a step whose collectives are not folded where ranks lie unevenly over nodes.
inline constexpr double kMostUnfolded = 200'000;

struct StepContext {
  const Cluster& cluster;
  const Model& model;
  const Calibration& calibration;
  Parallelism parallelism;
  // None: folded, and step by step where that is approximate and would be less than kMostUnfolded.
  std::optional<Detail> detail = {};
  bool each_kernel = false;  // of a layer is an operation of its own; else a block of them is one
};

// What keeps the job, or the scheme with it, from being run: a line each, empty where nothing does.
// Takes microseconds, so that all that is to be simulated can be looked at before the first
// simulation.
[[nodiscard]] std::string problems(const StepContext& context, const Scheme& scheme);

// Throws InputError where there are problems().
[[nodiscard]] Schedule plan_step(const StepContext& context, const Scheme& scheme);

// What the scheme's codecs keep on a GPU: wires on their way, residuals, second shards, factors.
[[nodiscard]] CodecMemory codec_memory(const StepContext& context, const Scheme& scheme);

// Where the time of each kernel of the scheme's codecs comes from: "encode int8_g128_sr: ...".
[[nodiscard]] std::vector<std::string> codec_sources(const StepContext& context,
                                                     const Scheme& scheme);

}  // namespace sim
