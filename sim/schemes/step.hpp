// SPDX-License-Identifier: Apache-2.0
// Shared by the parts of plan_step(): the builder, the groups, and kernels on all ranks of a stage.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/collectives/collectives.hpp"
#include "sim/schedule/builder.hpp"
#include "sim/schemes/plan_step.hpp"
#include "sim/workload/roofline.hpp"

namespace sim {

// Consecutive layers of a stage whose weights and gradients travel together. Buckets are in the
// order of the forward pass.
struct Bucket {
  double parameters = 0;
  int first_layer = 0;
  int last_layer = 0;
};
// Buckets of a whole stage; none crosses from one chunk of virtual stages to another.
[[nodiscard]] std::vector<Bucket> buckets_of(const Model& model, const Parallelism& parallelism,
                                             int stage);
// Units of ZeRO-3: `unit_layers` each. Embedding and head form one more unit, the last, which lives
// from the stage's first layer to its last.
[[nodiscard]] std::vector<Bucket> units_of(const Model& model, const Parallelism& parallelism,
                                           int stage);

// A codec's kernel and its time.
struct CodecKernel {
  std::string label;
  double seconds = 0;
};

// The groups of an axis along which ranks exchange after each block of a layer.
struct BlockGroups {
  const Axis* axis = nullptr;
  std::vector<std::vector<Communicator>> of_stage;
};

// Ranks that hold the same weights: replicas of one tensor-parallel place.
struct DataGroup {
  std::vector<Communicator> shards;    // that share one set of shards; several if hybrid
  std::vector<Communicator> replicas;  // of one shard: one per place in a hybrid group
  // For reductions on two levels, or nodes that gather their own shards:
  std::vector<Communicator> inside;   // one per node
  std::vector<Communicator> between;  // one per place in the node
};

struct Step {
  Step(const StepContext& step_context, const Scheme& step_scheme);

  const StepContext& context;
  const Scheme& scheme;
  const Parallelism& parallelism;
  Topology topology;
  Layout layout;
  ScheduleBuilder builder;
  Roofline roofline;
  int data = 1;
  int shards = 1;                                // ranks over which one set of shards is spread
  std::vector<std::vector<int>> ranks;           // by stage
  std::vector<BlockGroups> blocks;               // of axes with several ranks
  std::vector<std::vector<DataGroup>> replicas;  // by stage
  std::vector<std::vector<Bucket>> buckets;      // by stage; of ZeRO-3 its units

  void for_each_rank(int stage, const std::function<void(int rank)>& visit) const;
  [[nodiscard]] const std::vector<DataGroup>& data_groups(int stage) const {
    return replicas[static_cast<std::size_t>(stage)];
  }
  [[nodiscard]] bool shards_weights() const { return parallelism.sharding.stage == 3; }

  // The operation that brings and decodes the bucket's weights on the rank.
  void note_gathered(int rank, std::size_t bucket, OperationId operation);

  // The stream's last operation on each rank of the group, for Call::after.
  [[nodiscard]] std::vector<OperationId> last_of(const Communicator& group, Stream stream) const;

  // Also makes the next kernel on the rank's compute stream wait for `operation`.
  void hold_compute(int rank, OperationId operation);
  // The same on each rank of the group or stage, for everything in the stream so far.
  void hold_group(const Communicator& group, Stream stream);
  void hold_stage(int stage, Stream stream);
  // The same on each rank of the stage, for the bucket's weights as last noted.
  void hold_until_gathered(int stage, std::size_t bucket);
  // One operation for consecutive kernels.
  OperationId compute(int rank, Phase phase, std::string_view label,
                      std::span<const BlockTime> kernels);
  OperationId compute(int rank, Phase phase, std::string_view label, const BlockTime& time) {
    return compute(rank, phase, label, std::span(&time, 1));
  }
  // A memory-bound pass on the compute stream of every rank of the stage.
  void pass(int stage, Phase phase, std::string_view label, double bytes, double flop = 0);
  // A memory-bound pass over weights, beside the compute stream.
  void side_pass(int rank, Phase phase, std::string_view label, double bytes);
  // Dependencies of a kernel beside the compute stream: that stream's last operation and, if
  // weights do not overlap, whatever holds the stream.
  [[nodiscard]] std::vector<OperationId> beside_compute(int rank) const;

  [[nodiscard]] CodecKernel timed(const CodecUse& use);
  [[nodiscard]] std::vector<CodecKernel> timed(const std::vector<CodecUse>& uses);
  // A codec's kernel on the rank's codec stream, or on `stream`.
  OperationId codec(int rank, Phase phase, const CodecKernel& kernel,
                    std::span<const OperationId> after, Stream stream = Stream::codec);

 private:
  [[nodiscard]] double pass_seconds(std::string_view label, double bytes, double flop) const;
  [[nodiscard]] Communicator communicator(std::vector<int> members, const Uses& uses);
  void make_block_groups();
  [[nodiscard]] DataGroup make_data_group(const std::vector<int>& members);
  void split_by_node(DataGroup& group);
  std::vector<double> slowdown_;                    // by rank, for matrix products
  std::vector<std::vector<OperationId>> held_;      // by rank
  std::vector<std::vector<OperationId>> gathered_;  // by rank, then bucket
};

// Called around a stage's layers, which count from its first one; with virtual stages, the layers
// of a chunk follow those of the chunk before.
struct LayerHooks {
  using Visit = std::function<void(int stage, int layer, int micro_batch)>;
  Visit before_forward, before_backward, after_backward;
};

// The parts of a step, each appending to `step.builder`.
void gather_weights(Step& step);  // ZeRO-1 and 2: gathers and decodes, before the layers
void encode_weights(Step& step);  // of the updated shards
void run_micro_batches(Step& step, const LayerHooks& hooks);
[[nodiscard]] LayerHooks bucket_hooks(Step& step);  // for ZeRO-1 and 2
[[nodiscard]] LayerHooks unit_hooks(Step& step);    // for ZeRO-3
// The wire of the bucket's weights. Codes that products take directly are for layers alone: under
// ZeRO-3, embedding and head are then gathered in BF16.
[[nodiscard]] Wire gathered_wire(const Step& step, int stage, std::size_t bucket);
// Whether gathered weights have to be decoded.
[[nodiscard]] bool decodes_weights(const Step& step);
// Gathers one bucket; without `beside`, only after earlier work on the stream that makes its wire.
void gather_bucket(Step& step, int stage, std::size_t bucket, bool beside);
// Gathers a unit inside each node: WeightExchange::secondary_shards.
void gather_secondary(Step& step, int stage, std::size_t unit);
// Reduces one bucket of a stage to its shards, without holding the compute stream.
void reduce_bucket(Step& step, int stage, const Bucket& bucket);
// The compute stream's next kernel waits for the reductions.
void hold_until_reduced(Step& step, int stage);
void sum_tied_gradients(Step& step);   // of an embedding held by two stages
void reduce_what_is_left(Step& step);  // ZeRO-1 without overlap: everything
void update_shards(Step& step);
// The part of update_shards() that Muon does, for the stage's matrices (sim/schemes/muon.cpp).
// `gradient` is the bytes per element of the gradients' shards.
void update_matrices(Step& step, int stage, double gradient);

}  // namespace sim
