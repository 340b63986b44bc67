// What the parts of plan_step() share: the builder, the groups, and kernels on all ranks of a
// stage.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/schedule/builder.hpp"
#include "sim/schedule/collectives.hpp"
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
[[nodiscard]] std::vector<Bucket> buckets_of(const Model& model, const Parallelism& parallelism,
                                             int stage);

// Data-parallel replicas of one shard position: all of them, and split by node for two levels.
struct DataGroup {
  Communicator all;
  std::vector<Communicator> inside;   // one a node
  std::vector<Communicator> between;  // one a place in the node
};

struct Step {
  Step(const StepContext& step_context, const Scheme& step_scheme);

  const StepContext& context;
  const Scheme& scheme;
  const Parallelism& parallelism;
  ScheduleBuilder builder;
  Roofline roofline;
  int data = 1;
  std::vector<Communicator> tensor;          // by stage, then replica
  std::vector<DataGroup> data_groups;        // by stage, then tensor-parallel place
  std::vector<std::vector<Bucket>> buckets;  // by stage

  [[nodiscard]] int rank(int stage, int replica, int t) const;
  void for_each_rank(int stage, const std::function<void(int rank)>& visit) const;
  [[nodiscard]] const Communicator& tensor_group(int stage, int replica) const;
  [[nodiscard]] const DataGroup& data_group(int stage, int t) const;

  // What brings and decodes the bucket's weights on the rank, noted in the buckets' order.
  void note_gathered(int rank, OperationId operation);
  [[nodiscard]] OperationId gathered(int rank, std::size_t bucket) const;

  // The next kernel on the rank's compute stream waits for `operation` too.
  void hold_compute(int rank, OperationId operation);
  OperationId compute(int rank, Phase phase, std::string_view label, const BlockTime& time);
  // A memory-bound pass on the compute stream of every rank of the stage.
  void pass(int stage, Phase phase, std::string_view label, double bytes, double flop = 0);
  // A codec's kernel on the rank's codec stream.
  OperationId codec(int rank, Phase phase, const KernelUse& use,
                    std::span<const OperationId> after);

 private:
  void make_data_group(int stage, int t);
  std::vector<std::vector<OperationId>> held_;      // by rank
  std::vector<std::vector<OperationId>> gathered_;  // by rank, then bucket
};

// The parts of a step, each appending to `step.builder`.
void gather_weights(Step& step);  // and decode, before the layers that use them
void encode_weights(Step& step);  // of the updated shards
void run_micro_batches(Step& step, const std::function<void(int stage, int layer)>& layer_done);
// Of one bucket of a stage; the compute stream is not held.
void reduce_bucket(Step& step, int stage, const Bucket& bucket);
void sum_tied_gradients(Step& step);  // of an embedding that two stages hold
void update_shards(Step& step);

}  // namespace sim
