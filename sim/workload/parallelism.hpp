// Parallelism: how a training job is laid over the GPUs, and what it runs in a step.
//
// Ranks are numbered along one kind of parallelism after the other: by default tensor-parallel first,
// then data-parallel, then by pipeline stage, as Megatron does: rank = (stage * data + replica) *
// tensor + t. The GPUs of a node have consecutive ranks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/compute_efficiency.hpp"
#include "sim/workload/model.hpp"

namespace sim {

enum class Recompute {
  none,
  selective,  // the attention core again in the backward pass (Korthikanti et al. 2205.05198)
  // All but attention and every other matrix product of a layer, which are kept: torchtitan's
  // selective option "op" (arXiv 2410.06511, section 2.1.3). For fused attention only.
  alternate,
  full  // every layer again from its input
};

enum class Attention {
  unfused,  // scores, softmax, dropout and weighted sum as kernels of their own
  fused     // one kernel that keeps the scores on chip (Dao et al. 2205.14135)
};

// Which passes over activations are one kernel.
enum class Kernels {
  megatron,  // Megatron-LM's and Apex' fused norms, rotations, activations and residuals
  eager,     // PyTorch's own, one by one: RMSNorm, rotation and SwiGLU are several each
  compiled   // torch.compile's: as few as Megatron's
};

enum class Loss {
  unfused,  // logits in FP32 too, some passes over them
  fused     // one kernel each way, BF16 logits replaced by their gradient (flash-attn's, Liger's)
};

// Of the matrix products of the linear layers; attention and the output projection stay in BF16.
enum class MatrixPrecision {
  bf16,
  fp8,    // a scale a tensor, found anew at each use (torchao's dynamic scaling)
  mxfp8,  // a scale for 32 elements (OCP MX 1.0)
  nvfp4   // a scale for 16 elements
};
// Bytes of an operand's element, scales included.
[[nodiscard]] double bytes_of(MatrixPrecision precision);
// What the defaults of the compute efficiency go by.
[[nodiscard]] constexpr ProductBits product_bits(MatrixPrecision precision) {
  return precision == MatrixPrecision::bf16 ? ProductBits::sixteen : ProductBits::eight_or_fewer;
}

enum class Optimizer {
  adamw,          // in one kernel: Apex', Megatron's, PyTorch's fused one
  adamw_foreach,  // term by term: PyTorch's default, Composer's decoupled AdamW
  muon,           // of the layers' matrices (sim/workload/muon.hpp); adamw of the rest
};

enum class Precision { bf16, fp32 };
[[nodiscard]] constexpr int bytes_of(Precision precision) {
  return precision == Precision::bf16 ? 2 : 4;
}

// What runs beside the compute stream instead of after it.
struct Overlap {
  bool gradients = false;  // buckets are reduced while the backward pass goes on
  bool weights = false;    // buckets or units are gathered while others compute
  bool pipeline = false;   // stages go on while what they sent is under way
  bool tensor = false;     // backward all_reduces run beside the weights' gradients
};

// A kind of parallelism, as the ranks are numbered along it.
enum class Axis { tensor, data, pipeline };

// What of weights, gradients and optimizer each data-parallel rank holds a shard of only.
struct Sharding {
  // ZeRO's (Rajbhandari et al. 1910.02054): 0 nothing, as in plain data parallelism (PyTorch's DDP),
  // which sums gradients by all_reduce; 1 the optimizer, as Megatron's distributed optimizer; 2
  // the gradients too, reduced after each micro-batch; 3 the weights too, as FSDP: each unit of
  // layers is gathered where it is used and dropped.
  int stage = 1;
  // Consecutive data-parallel ranks that share one set of shards; such groups hold replicas of each
  // other (FSDP's hybrid sharding). 0: all of them are one group.
  int ranks = 0;
  // The rest is of stage 3 only.
  bool reshard_after_forward = true;  // else weights stay until their backward pass: SHARD_GRAD_OP
  int unit_layers = 1;                // layers that are gathered together
  int prefetch = 1;                   // units gathered ahead of the one that computes
  // Backward, the next unit is gathered once the last one's gradients are computed, beside nothing
  // but their reduction: PyTorch's BACKWARD_POST. Else before they are: BACKWARD_PRE.
  bool prefetch_after_backward = false;
};

struct Parallelism {
  int tensor = 1;
  int pipeline = 1;
  int virtual_stages = 1;  // chunks of layers that each pipeline stage holds: interleaved 1F1B
  // The first has neighbouring ranks; the last, the farthest apart.
  std::array<Axis, 3> placement{Axis::tensor, Axis::data, Axis::pipeline};
  bool sequence_parallel = false;
  int micro_batch = 1;   // sequences of one forward pass of a replica
  int accumulation = 1;  // micro-batches of a step and replica
  Recompute recompute = Recompute::selective;
  Attention attention = Attention::unfused;
  Kernels kernels = Kernels::megatron;
  Loss loss = Loss::unfused;
  MatrixPrecision matrices = MatrixPrecision::bf16;
  Optimizer optimizer = Optimizer::adamw;
  bool gathers_matrices = false;  // ZeRO-3 casts weights to `matrices` before it gathers them
  Precision gradients = Precision::fp32;  // of the gradient buffer and of uncompressed wires
  Overlap overlap = {};
  Bytes bucket = 160_MiB;  // of gradients, where something overlaps; else one bucket holds all
  Sharding sharding = {};
};

[[nodiscard]] int data_parallel(const Cluster& cluster, const Parallelism& parallelism);
// Data-parallel ranks over which one set of shards is spread: 1 where nothing is sharded.
[[nodiscard]] int shard_ranks(const Cluster& cluster, const Parallelism& parallelism);
// Nodes over which the replicas of one tensor-parallel place of a stage are spread.
[[nodiscard]] int replica_nodes(const Cluster& cluster, const Parallelism& parallelism);
// Sequences of a step over all replicas.
[[nodiscard]] std::int64_t global_batch(const Cluster& cluster, const Parallelism& parallelism);

// One line for each thing that keeps the job from the cluster or the model: "--tp: 3 does not divide
// the 16 heads of gpt_1.3b; ...". Empty where there is none.
[[nodiscard]] std::string problems(const Cluster& cluster, const Model& model,
                                   const Parallelism& parallelism);
// Throws them as an InputError.
void check(const Cluster& cluster, const Model& model, const Parallelism& parallelism);

// A rank's place in the job.
struct Place {
  int stage = 0;
  int replica = 0;
  int tensor = 0;
};
[[nodiscard]] int rank_of(const Cluster& cluster, const Parallelism& parallelism,
                          const Place& place);

// Parameters that a rank of the stage holds, by layer first to last and what stands around them.
struct StageParameters {
  double layer = 0;     // of each of its layers
  double matrices = 0;  // of `layer`: in weight matrices
  int layers = 0;
  double embedding = 0;  // word and position embeddings of the first stage
  double head = 0;       // output projection and final norm of the last stage
  [[nodiscard]] double total() const { return layer * layers + embedding + head; }
};
[[nodiscard]] StageParameters stage_parameters(const Model& model, const Parallelism& parallelism,
                                               int stage);

}  // namespace sim
