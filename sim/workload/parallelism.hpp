// SPDX-License-Identifier: Apache-2.0
// Parallelism: how a training job is laid out over the GPUs, and what a step runs.
//
// Ranks are numbered along one kind of parallelism after another: by default tensor-parallel first,
// then data-parallel, then by pipeline stage, as in Megatron: rank = (stage * data + replica) *
// tensor + t. The GPUs of a node have consecutive ranks.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "sim/base/units.hpp"
#include "sim/layout/factoring.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/workload/model.hpp"
#include "sim/workload/routing.hpp"
#include "sim/workload/stack_date.hpp"

namespace sim {

enum class Recompute {
  none,
  selective,  // recomputes the attention core in the backward pass (Korthikanti et al. 2205.05198)
  // Recomputes all but attention and every other matrix product of a layer, which are kept:
  // torchtitan's selective option "op" (arXiv 2410.06511, section 2.1.3). Only with fused
  // attention.
  alternate,
  // Recomputes all but the projections to queries, keys and values, which are kept, and the last
  // product, which nothing needs: MaxText's policy save_qkv_proj.
  projections,
  // Recomputes each block of experts from its input, what goes to them and back included, and keeps the
  // rest of a layer: Megatron-LM's modules "layernorm" and "moe".
  experts,
  full  // recomputes every layer from its input
};

enum class Attention {
  unfused,  // scores, softmax, dropout and weighted sum as separate kernels
  // One kernel that keeps the scores on chip (Dao et al. 2205.14135): whichever is usual on the GPU,
  // whichever PyTorch's scaled_dot_product_attention takes there, FlashAttention of a generation, or
  // cuDNN's.
  fused,
  sdpa,
  flash1,
  flash2,
  flash3,
  flash4,
  cudnn
};
[[nodiscard]] constexpr bool is_fused(Attention attention) {
  return attention != Attention::unfused;
}

// The passes over activations that are fused into one kernel.
enum class Kernels {
  megatron,  // Megatron-LM's and Apex' fused norms, rotations, activations and residuals
  eager,     // PyTorch's own, one by one: RMSNorm, rotation and SwiGLU take several each
  compiled   // torch.compile's: as few as Megatron's
};

enum class Loss {
  unfused,  // also keeps FP32 logits, with several passes over them
  fused     // one kernel each way, BF16 logits replaced by their gradient (flash-attn's, Liger's)
};

// Precision of the linear layers' matrix products; attention and the output projection stay in
// BF16.
enum class MatrixPrecision {
  bf16,
  fp8,    // one scale per tensor, computed at each use (torchao's dynamic scaling)
  mxfp8,  // one scale per 32 elements (OCP MX 1.0)
  nvfp4,  // one scale per 16 elements
  // FP8 with one scale per row of each product's operands (torchao's recipe `rowwise`)
  fp8_rowwise,
  // The same, but for the weights' gradients, which are BF16 (`rowwise_with_gw_hp`)
  fp8_rowwise_gw_hp
};
[[nodiscard]] constexpr bool scales_rows(MatrixPrecision precision) {
  return precision == MatrixPrecision::fp8_rowwise ||
         precision == MatrixPrecision::fp8_rowwise_gw_hp;
}
// At whose rates its products and casts are timed: no table of rows' scales is published.
[[nodiscard]] constexpr MatrixPrecision timed_as(MatrixPrecision precision) {
  return scales_rows(precision) ? MatrixPrecision::fp8 : precision;
}
// Bytes per element of an operand, scales included.
[[nodiscard]] double bytes_of(MatrixPrecision precision);
// The precision classes of the default compute efficiencies.
[[nodiscard]] constexpr ProductBits product_bits(MatrixPrecision precision) {
  return precision == MatrixPrecision::bf16 ? ProductBits::sixteen : ProductBits::eight_or_fewer;
}

// What casts to the precision of matrix products launch besides reading BF16 and writing codes.
struct Casts {
  bool own_amax = true;       // FP8's scale takes a pass of its own before
  bool own_transpose = true;  // and the transposed copy one after; else the cast writes both
  auto operator<=>(const Casts&) const = default;
};

enum class Optimizer {
  adamw,          // in one kernel: Apex's, Megatron's, PyTorch's fused one
  adamw_foreach,  // term by term: PyTorch's default, Composer's decoupled AdamW
  muon,           // for the layers' matrices (sim/workload/muon.hpp), adamw for the rest
};

// Where the optimizer's state is between updates: of AdamW the moments, and the FP32 weights if the
// model has BF16 ones besides.
enum class OptimizerState {
  gpu,
  // In the hosts' memory: for each update it goes to the GPU a piece at a time, and back; or hosts
  // update (sim/times/host_update.hpp).
  host
};

enum class Precision { bf16, fp32 };
[[nodiscard]] constexpr int bytes_of(Precision precision) {
  return precision == Precision::bf16 ? 2 : 4;
}

// What the optimizer keeps of each parameter.
enum class OptimizerPrecision {
  fp32,          // weights and moments
  bf16_moments,  // FP32 weights, BF16 moments (DeepSeek-V3, 2412.19437, section 3.3.3)
  // Nothing in FP32: it updates the model's BF16 weights, and its moments have their precision, as
  // with PyTorch's AdamW of a model that was loaded in BF16.
  bf16
};
// Of the weights that it updates, and of each moment.
[[nodiscard]] constexpr Precision updated_weights(OptimizerPrecision precision) {
  return precision == OptimizerPrecision::bf16 ? Precision::bf16 : Precision::fp32;
}
[[nodiscard]] constexpr Precision moments(OptimizerPrecision precision) {
  return precision == OptimizerPrecision::fp32 ? Precision::fp32 : Precision::bf16;
}

// How rows reach the experts that their router chose.
enum class Dispatcher : std::uint8_t {
  all_to_all,          // NCCL's, of a row for each of a token's experts
  deepep,              // DeepEP's normal kernels: once to each node, then to each rank there
  deepep_low_latency,  // a row for each of a token's experts, straight
  hybridep             // as deepep, by TMA
};

// How ranks that have parts of the same sequences attend to all of them.
enum class ContextExchange : std::uint8_t {
  ring,  // keys and values go round, beside the core of those that are there (Liu et al. 2310.01889)
  all_gather,  // of keys and values, before the core
  all_to_all   // of heads for tokens, before and after the core (Jacobs et al. 2309.14509)
};

// What overlaps with the compute stream.
struct Overlap {
  bool gradients = false;  // buckets are reduced during the backward pass
  bool weights = false;    // buckets or units are gathered while others compute
  bool pipeline = false;   // stages continue while their messages are in flight
  bool tensor = false;     // backward all_reduces run beside the weights' gradients
  bool experts = false;    // rows go to experts beside what every token passes
  // What a forward pass exchanges, beside a backward pass of another micro-batch, and the other way
  // round: a stage begins more forward passes before its first backward one, one more without a
  // pipeline. Where rows go to experts.
  bool batches = false;
  auto operator<=>(const Overlap&) const = default;
};
// What costs no memory: all but pairs of passes.
inline constexpr Overlap kAllOverlaps{
    .gradients = true, .weights = true, .pipeline = true, .tensor = true, .experts = true};

// What counts as a layer, besides layers, where they are divided among pipeline stages.
enum class CountedEnds { none, embedding, head, both };

// The parts of weights, gradients and optimizer that are sharded over data-parallel ranks.
struct Sharding {
  // ZeRO's stage (Rajbhandari et al. 1910.02054): 0 nothing, plain data parallelism (PyTorch's
  // DDP), which sums gradients by all_reduce; 1 the optimizer, as Megatron's distributed optimizer;
  // 2 the gradients too, reduced after each micro-batch; 3 the weights too, as FSDP: each unit of
  // layers is gathered for its use and then dropped.
  int stage = 1;
  // Consecutive data-parallel ranks that share one set of shards; such groups are replicas of each
  // other (FSDP's hybrid sharding). 0: all ranks form one group.
  int ranks = 0;
  // Stage 3 only from here on.
  bool reshard_after_forward = true;  // else weights stay until their backward pass: SHARD_GRAD_OP
  int unit_layers = 1;                // layers gathered together
  int prefetch = 1;                   // units gathered ahead of the computing one
  // In the backward pass, the next unit is gathered after the current one's gradients are computed,
  // beside nothing but their reduction: PyTorch's BACKWARD_POST. Otherwise before they are
  // computed: BACKWARD_PRE.
  bool prefetch_after_backward = false;
  // Gradients of all micro-batches are summed whole on each rank, in the precision in which they are
  // reduced, and reduced with the last one: PyTorch's no_sync, set_requires_gradient_sync(False).
  // Otherwise each micro-batch's are reduced at once, and their shards summed.
  bool reduces_once = false;
  // The shards of the weights lie in the hosts' memory, and each is copied to the GPU before it is
  // gathered: FSDP's CPU offload, DeepSpeed's offload_param. Secondary shards stay on the GPUs.
  bool weights_on_hosts = false;
  auto operator<=>(const Sharding&) const = default;
};

struct Stack;  // sim/workload/stacks.hpp
class Stages;  // sim/workload/stages.hpp

struct Parallelism {
  int tensor = 1;
  int pipeline = 1;
  int virtual_stages = 1;  // chunks of layers per pipeline stage: interleaved 1F1B
  CountedEnds counted_ends = CountedEnds::none;
  std::vector<int> stage_layers =
      {};           // layers of each virtual stage; empty: as Stages divides them
  int context = 1;  // parts of each sequence; zigzag, so that all attend to as many tokens
  ContextExchange context_exchange = ContextExchange::ring;
  int context_heads =
      1;           // of these parts, neighbours that exchange heads for tokens inside the ring
  int expert = 1;  // ranks that hold other experts
  int expert_tensor = 0;  // ranks that split each expert; 0: as many as dense weights
  Dispatcher dispatcher = Dispatcher::all_to_all;
  int dispatch_multiprocessors = 0;  // that the dispatcher is given; 0: its own number
  std::array<SizedAxis, kMostAxes - 4> more_axes = {};    // of dense weights; unused: null
  std::array<SizedAxis, kMostAxes - 3> expert_axes = {};  // further ones of experts; unused: null
  // Where axes::context is not placed it follows axes::tensor.
  Placement placement{&axes::tensor, &axes::data, &axes::pipeline};
  ExpertRouting routing = {};  // balanced where the model has no experts
  bool sequence_parallel = false;
  int micro_batch = 1;   // sequences per forward pass of a replica
  int accumulation = 1;  // micro-batches per step and replica
  Recompute recompute = Recompute::selective;
  // Of each virtual stage, layers whose activations the hosts keep (sim/workload/offloading.hpp).
  int offloaded_layers = 0;
  Attention attention = Attention::unfused;
  Kernels kernels = Kernels::megatron;
  Loss loss = Loss::unfused;
  // Each pass of a layer's block is one CUDA graph: the host issues it as one kernel.
  bool cuda_graphs = false;
  int loss_metrics = 0;           // computed over the logits of each micro-batch besides the loss
  bool power_throttling = false;  // products at the rate that the GPU's power limit leaves them
  Casts casts = {};
  MatrixPrecision matrices = MatrixPrecision::bf16;
  Optimizer optimizer = Optimizer::adamw;
  OptimizerState optimizer_state = OptimizerState::gpu;
  OptimizerPrecision optimizer_precision = OptimizerPrecision::fp32;
  bool gathers_matrices = false;          // ZeRO-3 casts weights to `matrices` before gathering
  Precision gradients = Precision::fp32;  // of the gradient buffer and of uncompressed wires
  Overlap overlap = {};
  Bytes bucket = 160_MiB;  // of gradients, with overlap; else one bucket holds all
  Sharding sharding = {};
  const Stack* stack = nullptr;  // that filled in the software; null: given field by field
  StackDate stack_date = {};     // at which it did (sim/workload/stack_history.hpp)
  auto operator<=>(const Parallelism&) const = default;  // an order for maps, without a meaning
};

// Of the weights that the optimizer updates: under ZeRO-3 the model's shards, whose gradients have
// the same precision; else copies besides the model's BF16 weights, unless these are updated.
[[nodiscard]] constexpr int updated_weight_bytes(const Parallelism& p) {
  return bytes_of(updated_weights(p.optimizer_precision));
}
[[nodiscard]] constexpr int moment_bytes(const Parallelism& p) {
  return bytes_of(moments(p.optimizer_precision));
}
// Whether the optimizer keeps copies of the weights, besides the model's.
[[nodiscard]] constexpr bool copies_weights(const Parallelism& p) {
  return p.sharding.stage < 3 && p.optimizer_precision != OptimizerPrecision::bf16;
}
// Ranks that split each expert.
[[nodiscard]] constexpr int expert_tensor(const Parallelism& p) {
  return p.expert_tensor > 0 ? p.expert_tensor : p.tensor;
}
// All that a virtual stage has, as a number of offloaded layers.
inline constexpr int kAllLayers = std::numeric_limits<int>::max();
// Searches divide sequences into parts of at least so many tokens: shorter ones leave kernels small.
inline constexpr int kLeastPartOfSequence = 8192;
// Ranks of a context-parallel group that exchange heads for tokens, and such groups in a ring or gather.
[[nodiscard]] constexpr int head_ranks(const Parallelism& p) {
  return p.context_exchange == ContextExchange::all_to_all ? p.context : p.context_heads;
}
[[nodiscard]] constexpr int ring_ranks(const Parallelism& p) { return p.context / head_ranks(p); }
// Whether ZeRO-3's whole gradients stay from one micro-batch to the next.
[[nodiscard]] constexpr bool accumulates_whole(const Parallelism& p) {
  return p.sharding.stage == 3 && p.sharding.reduces_once && p.accumulation > 1;
}
[[nodiscard]] constexpr bool weights_on_hosts(const Parallelism& p) {
  return p.sharding.stage == 3 && p.sharding.weights_on_hosts;
}
// Whether experts lie on other ranks than dense weights do, so that rows have to go to them.
[[nodiscard]] constexpr bool dispatches(const Parallelism& p) {
  return p.expert > 1 || expert_tensor(p) != p.tensor;
}

// Whether forward and backward passes run in pairs.
[[nodiscard]] constexpr bool pairs_passes(const Parallelism& p) {
  return p.overlap.batches && dispatches(p);
}
// Tensor-parallel, data-parallel, pipeline and context-parallel ranks, then more axes.
[[nodiscard]] Layout layout_of(const Cluster& cluster, const Parallelism& parallelism);
[[nodiscard]] Factoring factoring_of(const Cluster& cluster, const Parallelism& parallelism);
// Replicas of the model: parts of the job that compute with other samples.
[[nodiscard]] int replicas(const Cluster& cluster, const Parallelism& parallelism);
// Ranks that hold the same weights of a group of parameters.
[[nodiscard]] int holders(const Cluster& cluster, const Parallelism& parallelism,
                          Weights group = Weights::dense);
// Whether each place of the model has as many holders on every node that has any.
[[nodiscard]] bool has_even_holders(const Cluster& cluster, const Parallelism& parallelism,
                                    Weights group = Weights::dense);
// Holders of the same weights that share one set of shards: 1 without sharding.
[[nodiscard]] int shard_ranks(const Cluster& cluster, const Parallelism& parallelism,
                              Weights group = Weights::dense);
// Most nodes that a tensor-parallel group spans.
[[nodiscard]] int tensor_nodes(const Cluster& cluster, const Parallelism& parallelism);
// Nodes of the ranks that hold the same weights as the first one.
[[nodiscard]] int holder_nodes(const Cluster& cluster, const Parallelism& parallelism,
                               Weights group = Weights::dense);
// Whether the backward pass computes a layer's last product again, and sums it over tensor-parallel
// ranks, although its own kernels read nothing of that.
[[nodiscard]] bool recomputes_last(const Parallelism& parallelism);
// Exchanges of tensor-parallel ranks that are repeated with what is recomputed of a layer.
[[nodiscard]] int recomputed_exchanges(const Parallelism& parallelism);
// With sequence parallelism, blocks of a layer (feed-forward, then attention) whose input is gathered
// once more in the backward pass, for the gradients of their first weights. Megatron keeps each
// rank's part of it (Korthikanti et al. 2205.05198, section 4.2.2). PyTorch's DTensor keeps what was
// gathered and repeats the gather only where it is recomputed.
[[nodiscard]] int inputs_gathered_again(const Parallelism& parallelism);
// Whether ranks split sequences by PyTorch's DTensor: Stack::dtensor.
[[nodiscard]] bool splits_by_dtensor(const Parallelism& parallelism);
// Whether the gathered inputs stay from the forward to the backward pass.
[[nodiscard]] bool keeps_gathered_inputs(const Parallelism& parallelism);
// Sequences of a step over all replicas.
[[nodiscard]] std::int64_t global_batch(const Cluster& cluster, const Parallelism& parallelism);

// One line per reason why the job cannot run on the cluster or with the model: "`tp`: 3 does not
// divide the 16 heads of gpt_1.3b; ...". Empty if there is none.
[[nodiscard]] std::string problems(const Cluster& cluster, const Model& model,
                                   const Parallelism& parallelism);
// Throws them as one InputError.
void check(const Cluster& cluster, const Model& model, const Parallelism& parallelism);

// Parameters of one layer on a rank, and those in weight matrices.
struct RankLayer {
  double parameters = 0;
  double matrices = 0;
  double routed = 0;           // of `parameters`: of experts to choose from
  double routed_matrices = 0;  // of these and of `matrices`
};
[[nodiscard]] RankLayer rank_layer(const Model& model, const Parallelism& parallelism,
                                   LayerKind kind = {});

// Parameters of a rank of the stage, in its layers and outside of them.
struct StageParameters {
  double layers = 0;
  double matrices = 0;  // of `layers`: in weight matrices
  double routed = 0;    // of `layers`: of experts to choose from
  double routed_matrices = 0;
  double largest = 0;          // of its layers, the one with most
  double largest_experts = 0;  // of these, in its experts to choose from
  double embedding = 0;        // word and position embeddings of the first stage
  double head = 0;             // output projection and final norm of the last stage
  [[nodiscard]] double total() const { return layers + embedding + head; }
};
[[nodiscard]] StageParameters stage_parameters(const Model& model, const Parallelism& parallelism,
                                               int stage);
// The same for who asks for several of its stages.
[[nodiscard]] StageParameters stage_parameters(const Model& model, const Parallelism& parallelism,
                                               const Stages& stages, int stage);
// What of these the same ranks hold, of a group of parameters. Without dispatch experts lie as dense
// weights do, and are of their group.
struct GroupParameters {
  Weights group = Weights::dense;
  double parameters = 0;
  double matrices = 0;
};
[[nodiscard]] std::vector<GroupParameters> by_group(const Parallelism& parallelism,
                                                    const StageParameters& held);
// Parameters that a rank has a shard of, each group's over its own holders.
[[nodiscard]] double shard_parameters(const Cluster& cluster, const Parallelism& parallelism,
                                      const StageParameters& held);

}  // namespace sim
