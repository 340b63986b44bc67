// SPDX-License-Identifier: Apache-2.0
// lay_out(): one training step of a scheme as a program.
//
//   gather weights ► forward/backward of every micro-batch ► reduce gradients ► norm, clip, update
//
// The step starts where the last one ended: the shards are updated (and encoded), so their gather
// comes first, where it may overlap the forward pass. Overlap follows from streams and dependencies
// alone.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/program/plan_step.hpp"
#include "sim/program/program.hpp"
#include "sim/workload/layer_kinds.hpp"
#include "sim/workload/stages.hpp"

namespace sim {

// Consecutive layers of a stage whose weights and gradients travel together, and the embedding and
// head that lie beside them. Buckets are in the order of the forward pass.
struct Bucket {
  double parameters = 0;
  double in_layers = 0;  // of these
  double experts = 0;    // besides these, on ranks of their own
  int first_place = 0;   // Stages::chunk_starts()
  int last_place = 0;
  int layers = 0;
  KindCounts kinds = {};  // of these layers
  bool embedding = false;
  bool head = false;
  Weights group = Weights::dense;
  // What of it ranks of the group hold, as a bucket.
  [[nodiscard]] Bucket of(Weights held) const;
};
[[nodiscard]] Bucket whole_stage(const Model& model, const Parallelism& parallelism,
                                 const Stages& stages, int stage);
// Buckets of a whole stage; none crosses from one chunk of virtual stages to another.
[[nodiscard]] std::vector<Bucket> buckets_of(const Model& model, const Parallelism& parallelism,
                                             int stage);
// Units of ZeRO-3: `unit_layers` each. Embedding and head form one more unit, the last, which lives
// from the stage's first layer to its last.
[[nodiscard]] std::vector<Bucket> units_of(const Model& model, const Parallelism& parallelism,
                                           int stage);

// What exchanges among the ranks that hold the same of a group of parameters depend on. Made in
// microseconds, also where no step is laid out.
struct StepSizes {
  StepSizes(const StepContext& step_context, const Scheme& step_scheme,
            Weights weights = Weights::dense);

  const StepContext& context;
  const Scheme& scheme;
  const Parallelism& parallelism;
  Weights group;
  const WeightExchange& weights;  // the scheme's for the group
  const GradientExchange& gradients;
  int data = 1;    // ranks that hold the same weights
  int shards = 1;  // over which one set of shards is spread
  int nodes = 1;   // on which such ranks lie
  [[nodiscard]] int places() const { return data / nodes; }  // on each node
  [[nodiscard]] bool has_shards() const { return parallelism.sharding.stage > 0; }
  [[nodiscard]] bool shards_weights() const { return parallelism.sharding.stage == 3; }
};

// Sizes of each group of parameters that the job has.
[[nodiscard]] std::vector<StepSizes> sizes_by_group(const StepContext& context,
                                                    const Scheme& scheme);

// How a bucket of the group's is reduced; without parts where there is nothing to reduce.
[[nodiscard]] Communication reduction_of(const StepSizes& shape, int stage, const Bucket& bucket);

// The wire of gathered weights. Codes that products take directly are for layers alone: under ZeRO-3,
// embedding and head (`ends`) are then gathered in BF16.
[[nodiscard]] Wire gathered_wire(const StepSizes& shape, bool ends);
// Whether gathered weights have to be decoded.
[[nodiscard]] bool decodes_weights(const StepSizes& shape);
// The kernel that encodes a rank's shard of so many updated weights before they are gathered, and
// the one that decodes gathered weights.
[[nodiscard]] CodecUse shard_encode(const StepSizes& shape, double elements);
// Gathers weights. With `beside` at once; else after earlier work on the stream that makes the wire.
[[nodiscard]] Communication gather_of(const StepSizes& shape, double parameters, bool ends,
                                      bool beside);
// Gathers them inside each node: WeightExchange::secondary_shards.
[[nodiscard]] Communication secondary_gather(const StepSizes& shape, double parameters);
[[nodiscard]] bool keeps_secondary(const StepSizes& shape);

// Of the activations of one micro-batch in BF16 between two layers, over all tensor-parallel ranks.
[[nodiscard]] double bytes_between_layers(const StepSizes& shape);
// Of all launches, one after another.
[[nodiscard]] double kernel_seconds(const StepContext& context, const Kernel& kernel);
// `times` are the program's.
[[nodiscard]] BlockTime time_of(const StepContext& context, const Roofline& roofline,
                                const MemoryPass& pass, const std::vector<BlockTime>& times);

// A step in the making. Each call appends instructions for all ranks of a stage.
struct StepLayOut : StepSizes {
  StepLayOut(const StepContext& step_context, const Scheme& step_scheme);

  std::vector<StepSizes> groups;      // of parameters: dense, and experts where they lie apart
  std::vector<StageParameters> held;  // of a rank, by stage
  Roofline roofline;
  std::vector<std::vector<Bucket>> buckets;  // by stage; of ZeRO-3 its units
  std::vector<const Axis*> block_axes;       // along which blocks of layers communicate
  Program program;
  int period = -1;  // of the instructions that are added

  [[nodiscard]] const StageParameters& held_by(int stage) const {
    return held[static_cast<std::size_t>(stage)];
  }

  void add(int stage, decltype(Instruction::what) what);
  void pass(int stage, Pass pass, double bytes, double flop = 0, Phase phase = Phase::memory_pass) {
    add(stage, MemoryPass{pass, phase, bytes, flop});
  }
  void timed_pass(int stage, Pass pass, Phase phase, const BlockTime& time) {
    add(stage, MemoryPass{.pass = pass,
                          .phase = phase,
                          .time = static_cast<std::uint32_t>(program.times.size())});
    program.times.push_back(time);
  }
  void hold(int stage, StreamSet streams) { add(stage, Hold{streams}); }
  // The same each time for one key: the name of what is exchanged, the stage and the bucket.
  using Key = std::tuple<std::string_view, int, std::size_t>;
  std::uint32_t communication(const Key& key, const std::function<Communication()>& make);
  [[nodiscard]] const Bucket& bucket(int stage, std::size_t index) const {
    return buckets[static_cast<std::size_t>(stage)][index];
  }
  [[nodiscard]] const StepSizes& sizes(Weights of) const {
    return of == Weights::dense ? groups.front() : groups.back();
  }
  // Of a group's part of a bucket, in Program::buckets.
  [[nodiscard]] std::size_t bucket_id(std::size_t index, Weights of) const {
    return index * groups.size() + (of == Weights::experts ? 1 : 0);
  }
  // The next kernel waits for the weights of all groups.
  void hold_weights(int stage, std::size_t index);
  // Kernels beside the compute stream start after its last operation and, if weights do not overlap,
  // after whatever holds it.
  [[nodiscard]] Start beside_compute() const {
    return {{Stream::compute}, !parallelism.overlap.weights};
  }

 private:
  std::map<Key, std::uint32_t> known_;
};

// Called around the layer at each of a stage's places (Stages::chunk_starts()), or the embedding or head that is
// there alone; with virtual stages, the places of a chunk follow those of the chunk before.
struct LayerHooks {
  using Visit = std::function<void(int stage, int place, int micro_batch)>;
  Visit before_forward, before_backward, after_backward;
};

// The parts of a step, in order.
void begin_step(StepLayOut& step);
void run_micro_batches(StepLayOut& step, const LayerHooks& hooks);
void reduce_what_is_left(StepLayOut& step);
void update(StepLayOut& step);

[[nodiscard]] LayerHooks layer_hooks(StepLayOut& step);
[[nodiscard]] LayerHooks bucket_hooks(StepLayOut& step);  // for ZeRO-1 and 2
[[nodiscard]] LayerHooks unit_hooks(StepLayOut& step);    // for ZeRO-3
void gather_weights(StepLayOut& step);  // ZeRO-1 and 2: gathers and decodes, before the layers
void encode_weights(StepLayOut& step);  // of the updated shards
// One group's part of a bucket.
void gather_bucket(StepLayOut& step, const StepSizes& sizes, int stage, std::size_t index,
                   bool beside);
// Reduces one bucket of a stage to its shards, without holding the compute stream.
void reduce_bucket(StepLayOut& step, int stage, std::size_t index);
// The compute stream's next kernel waits for the reductions.
void hold_until_reduced(StepLayOut& step, int stage);
void sum_tied_gradients(StepLayOut& step);  // of an embedding held by two stages
void reduce_buckets(StepLayOut& step);      // ZeRO-1 without overlap: all
void update_shards(StepLayOut& step);
// The part of update_shards() that Muon does, for a group's matrices of the stage
// (sim/program/muon.cpp). `gradient` is the bytes per element of the gradients' shards.
void update_matrices(StepLayOut& step, int stage, const GroupParameters& held, double gradient);

// What the scheme changes of the job: what it does not let overlap, what products take as it comes.
[[nodiscard]] Parallelism as_the_scheme_runs_it(Parallelism p, const Scheme& scheme);
// `context.parallelism` is as_the_scheme_runs_it().
[[nodiscard]] Program lay_out(const StepContext& context, const Scheme& scheme);
// With one micro-batch, which has every kernel and every collective of a step. The parallelism is
// as given.
[[nodiscard]] Program lay_out_once(StepContext context, const Scheme& scheme);

}  // namespace sim
