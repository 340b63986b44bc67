// SPDX-License-Identifier: Apache-2.0
// plan_step(): one training step of a scheme as a schedule.
//
//   gather weights ► forward/backward of every micro-batch ► reduce gradients ► norm, clip, update
//
// The step starts where the last one ended: the shards are updated (and encoded), so their gather
// comes first, where it may overlap the forward pass. Overlap follows from streams and dependencies
// alone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/collectives/communicator.hpp"
#include "sim/schedule/schedule.hpp"
#include "sim/schedule/wiring.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// What is known of the groups of earlier steps: sim/program/known_groups.hpp.
class KnownGroups;
[[nodiscard]] std::shared_ptr<KnownGroups> no_groups_yet();

struct StepContext {
  const Cluster& cluster;
  const Model& model;
  const Calibration& calibration;
  Parallelism parallelism;
  // None: folded, unless that is approximate and the step by step schedule has less than
  // kMostUnfolded flows.
  std::optional<Detail> detail = {};
  bool each_kernel = false;       // each kernel of a layer is an operation; else each block of them
  bool whole = false;             // every rank is simulated, those that do the same too
  bool each_micro_batch = false;  // plan_few_periods() leaves none out
  KnownGroups* known = nullptr;   // for further steps; or none
};

// Why the job, or the scheme with it, cannot run: one line per problem, empty if there is none.
// Takes microseconds, so that all jobs can be checked before the first simulation.
[[nodiscard]] std::string problems(const StepContext& context, const Scheme& scheme);

struct PlannedStep {
  Schedule schedule;
  Wiring wiring;
};
// One of the ranks that do the same stands for all (Schedule::alike), unless `context.whole`. Throws
// InputError if there are problems().
[[nodiscard]] PlannedStep plan_step(const StepContext& context, const Scheme& scheme);
// The same with fewer micro-batches, if the step has many: periods of the stages' order are left out
// (Schedule::left_out), and simulate_step() repeats others in their place. `longer_than` is a plan whose
// periods did not repeat. Plans the whole step where leaving out does not pay, beside the traffic of
// other jobs, step by step, and where every rank, kernel or micro-batch is asked for.
[[nodiscard]] PlannedStep plan_few_periods(const StepContext& context, const Scheme& scheme,
                                           const Schedule* longer_than = nullptr);

// The same with the fewest periods that least_time() takes (sim/schedule/least_time.hpp): not to be
// simulated.
[[nodiscard]] PlannedStep plan_for_bound(const StepContext& context, const Scheme& scheme);

// GPU memory of the scheme's codecs: wires in flight, residuals, secondary shards, factors.
[[nodiscard]] CodecMemory codec_memory(const StepContext& context, const Scheme& scheme);

}  // namespace sim
