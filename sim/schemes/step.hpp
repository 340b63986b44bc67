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
// Of a whole stage; none crosses from one chunk of virtual stages to another.
[[nodiscard]] std::vector<Bucket> buckets_of(const Model& model, const Parallelism& parallelism,
                                             int stage);
// Of ZeRO-3: `unit_layers` each, without embedding and head, which follow as one more that lasts
// from the stage's first layer to its last.
[[nodiscard]] std::vector<Bucket> units_of(const Model& model, const Parallelism& parallelism,
                                           int stage);

// A codec's kernel, once it is known how long it takes.
struct CodecKernel {
  std::string label;
  double seconds = 0;
};

// Data-parallel replicas of one tensor-parallel place.
struct DataGroup {
  std::vector<Communicator> shards;    // that hold one set of shards: one, or several if hybrid
  std::vector<Communicator> replicas;  // of one shard: one a place in a hybrid group
  // Where two levels reduce, or a node gathers its own shards:
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
  int shards = 1;                            // ranks over which one set of shards is spread
  std::vector<Communicator> tensor;          // by stage, then replica
  std::vector<DataGroup> data_groups;        // by stage, then tensor-parallel place
  std::vector<std::vector<Bucket>> buckets;  // by stage; of ZeRO-3 its units

  [[nodiscard]] int rank(int stage, int replica, int t) const;
  void for_each_rank(int stage, const std::function<void(int rank)>& visit) const;
  [[nodiscard]] const Communicator& tensor_group(int stage, int replica) const;
  [[nodiscard]] const DataGroup& data_group(int stage, int t) const;
  [[nodiscard]] bool shards_weights() const { return parallelism.sharding.stage == 3; }

  // What brings and decodes the bucket's weights on the rank.
  void note_gathered(int rank, std::size_t bucket, OperationId operation);

  // The last operation of the stream on each rank of the group, for Call::after.
  [[nodiscard]] std::vector<OperationId> last_of(const Communicator& group, Stream stream) const;

  // The next kernel on the rank's compute stream waits for `operation` too.
  void hold_compute(int rank, OperationId operation);
  // On each rank of the group, or of the stage, for what the stream holds by now.
  void hold_group(const Communicator& group, Stream stream);
  void hold_stage(int stage, Stream stream);
  // On each rank of the stage, for the bucket's weights, as noted last.
  void hold_until_gathered(int stage, std::size_t bucket);
  // One operation of kernels that follow each other.
  OperationId compute(int rank, Phase phase, std::string_view label,
                      std::span<const BlockTime> kernels);
  OperationId compute(int rank, Phase phase, std::string_view label, const BlockTime& time) {
    return compute(rank, phase, label, std::span(&time, 1));
  }
  // A memory-bound pass on the compute stream of every rank of the stage.
  void pass(int stage, Phase phase, std::string_view label, double bytes, double flop = 0);
  // One of weights, beside the compute stream.
  void side_pass(int rank, Phase phase, std::string_view label, double bytes);
  // What a kernel beside the compute stream waits for: where that is now, and where weights do not
  // overlap what it waits for.
  [[nodiscard]] std::vector<OperationId> beside_compute(int rank) const;

  [[nodiscard]] CodecKernel timed(const CodecUse& use) const;
  [[nodiscard]] std::vector<CodecKernel> timed(const std::vector<CodecUse>& uses) const;
  // A codec's kernel on the rank's codec stream, or another one.
  OperationId codec(int rank, Phase phase, const CodecKernel& kernel,
                    std::span<const OperationId> after, Stream stream = Stream::codec);

 private:
  [[nodiscard]] double pass_seconds(std::string_view label, double bytes, double flop) const;
  [[nodiscard]] Communicator communicator(std::vector<int> ranks, Uses uses);
  void make_data_group(int stage, int t);
  void split_by_node(DataGroup& group);
  std::vector<double> slowdown_;                    // by rank: of matrix products
  std::vector<std::vector<OperationId>> held_;      // by rank
  std::vector<std::vector<OperationId>> gathered_;  // by rank, then bucket
};

// What happens around a stage's layers, which count from its first one; with virtual stages those
// of a chunk follow those of the chunk before.
struct LayerHooks {
  using Visit = std::function<void(int stage, int layer, int micro_batch)>;
  Visit before_forward, before_backward, after_backward;
};

// The parts of a step, each appending to `step.builder`.
void gather_weights(Step& step);  // of ZeRO-1 and 2: and decode, before the layers that use them
void encode_weights(Step& step);  // of the updated shards
void run_micro_batches(Step& step, const LayerHooks& hooks);
[[nodiscard]] LayerHooks bucket_hooks(Step& step);  // of ZeRO-1 and 2
[[nodiscard]] LayerHooks unit_hooks(Step& step);    // of ZeRO-3
// What the bucket's weights travel as. What products take as it comes is of layers alone: under
// ZeRO-3 embedding and head are then gathered in BF16.
[[nodiscard]] Wire gathered_wire(const Step& step, int stage, std::size_t bucket);
// Whether what is gathered has to be decoded.
[[nodiscard]] bool decodes_weights(const Step& step);
// Of one bucket, once the compute stream holds what `beside` does not let run beside it.
void gather_bucket(Step& step, int stage, std::size_t bucket, bool beside);
// Of a unit, inside each node: WeightExchange::secondary_shards.
void gather_secondary(Step& step, int stage, std::size_t unit);
// Of one bucket of a stage, to its shards; the compute stream is not held.
void reduce_bucket(Step& step, int stage, const Bucket& bucket);
// The compute stream's next kernel waits for what was reduced.
void hold_until_reduced(Step& step, int stage);
void sum_tied_gradients(Step& step);   // of an embedding that two stages hold
void reduce_what_is_left(Step& step);  // of ZeRO-1 without overlap: all
void update_shards(Step& step);
// Muon's part of it, of the stage's matrices (sim/schemes/muon.cpp). `gradient` is the bytes of one
// element of the gradients' shards.
void update_matrices(Step& step, int stage, double gradient);

}  // namespace sim
