// SPDX-License-Identifier: Apache-2.0
// The rows of layout and software. A stack (sim/workload/stacks.hpp) decides what is usual of some.
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "sim/workload/parallelism_fields.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "sim/workload/stack_history.hpp"

namespace sim {
namespace {

using P = Parallelism;
using Row = ParallelismField;

constexpr std::string_view kOfStack = "the stack's";
constexpr EnumName<bool> kOnOff[]{{"off", false}, {"on", true}};
constexpr EnumName<bool> kBackwardPrefetches[]{{"pre", false}, {"post", true}};
constexpr EnumName<bool> kGradientSyncs[]{{"micro-batch", false}, {"step", true}};
constexpr EnumName<bool> kWeightPrecisions[]{{"bf16", false}, {"fp8", true}};

std::string_view below_stage_3(const P& p) { return p.sharding.stage < 3 ? "needs `zero` 3" : ""; }
std::string_view gathers_nothing_ahead(const P& p) {
  if (p.sharding.stage < 3 || p.overlap.weights) return below_stage_3(p);
  return "needs `overlap` weights, to gather ahead";
}

template <auto parse, auto member>
void read_parsed(const Row& row, const std::string& text, P& into) {
  const auto value = parse(text);
  if (!value) refuse(row, fmt::format("'{}' {}", printable(text), row.beyond));
  into.*member = *value;
}

std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const Placement& one : all_placements()) names.push_back(to_text(one));
  return names;
}

void read_placement(const Row&, const std::string& text, P& into) {
  const auto placement = placement_of(text);
  if (placement) return static_cast<void>(into.placement = *placement);
  const std::vector<std::string> names = placement_names();
  refuse_name("`placement`", text, std::vector<std::string_view>(names.begin(), names.end()));
}

void read_overlap(const Row& row, const std::string& text, P& into) {
  into.overlap = {};
  for (std::size_t start = 0; start <= text.size();) {
    const std::string part = text.substr(start, text.find(',', start) - start);
    start += part.size() + 1;
    bool known = part == "none" || part == "all";
    for (const auto& [name, what] : kOverlaps) {
      if (part == name || (part == "all" && kAllOverlaps.*what)) into.overlap.*what = known = true;
    }
    if (!known)
      refuse(row, fmt::format("'{}' is not one of: none, gradients, weights, tensor, pipeline, "
                              "experts, batches, all",
                              part));
  }
}

std::vector<std::string> overlap_names() {
  std::vector<std::string> names{"none", "all"};
  for (const auto& one : kOverlaps) names.emplace_back(one.name);
  return names;
}

// Those of today, then each from its first release on and from each release that changed it.
std::vector<std::string> stack_names() {
  std::vector<std::string> names;
  for (const Stack* stack : all_stacks()) names.emplace_back(stack->name);
  for (const Stack* stack : all_stacks()) {
    names.push_back(stack_name(*stack, stack->first));
    for (const StackChange& change : stack_changes()) {
      if (has_changed(change, *stack)) names.push_back(stack_name(*stack, change.since));
    }
  }
  return names;
}

void read_weight_precision(const Row& row, const std::string& text, P& into) {
  into.gathers_matrices = chosen("`weight-precision`", text, kWeightPrecisions);
  if (!into.gathers_matrices) return;
  if (into.sharding.stage < 3) refuse(row, "fp8 needs `zero` 3, which gathers weights");
  if (into.matrices == MatrixPrecision::fp8) return;
  refuse(row, "fp8 needs `precision` fp8, whose products read FP8 weights");
}

void read_bucket(const Row& row, const std::string& text, P& into) {
  const auto bytes = parse_quantity<Bytes>(text, row.usual.words);
  if (!bytes.value) refuse(row, bytes.problem);
  if (bytes.value->count < 1) refuse(row, "is 0; write at least 1 B");
  into.bucket = *bytes.value;
}

std::string bucket_text(const Row&, const P& p) {
  const std::int64_t bytes = p.bucket.count, mebi = 1 << 20;
  return bytes % mebi == 0 ? fmt::format("{}MiB", bytes / mebi) : fmt::format("{}B", bytes);
}

constexpr Row kRows[] = {
    number_field<&P::tensor>("tp", "tensor parallelism: ranks that share each layer")
        .with<&Row::first_day>(true),
    number_field<&P::pipeline>("pp", "pipeline parallelism: stages, in a 1F1B schedule")
        .with<&Row::before>("virtual-stages")
        .with<&Row::first_day>(true),
    number_field<&P::context>("cp", "context parallelism: ranks that share each sequence"),
    choice_field<kContextExchanges, &P::context_exchange>(
        "cp-exchange",
        "how they attend to all of it: ring: keys and values go round beside attention; "
        "all_gather: they are gathered before; all_to_all: heads are exchanged for tokens "
        "(Ulysses)"),
    number_field<&P::context_heads>(
        "cp-heads", "neighbours that exchange heads inside the ring or gather of the others"),
    number_field<&P::expert>(
        "ep",
        "expert parallelism: ranks of a stage that hold other experts; tp x cp x dp ranks are etp "
        "x ep x edp, and edp of them hold the same experts"),
    number_field<&P::expert_tensor>("etp", "ranks that split each expert", "as many as `tp`"),
    choice_field<kDispatchers, &P::dispatcher>(
        "dispatcher",
        "how rows go to experts and back: all_to_all: NCCL's, a row for each of a token's "
        "experts; deepep, hybridep: once to each node, forwarded over NVLink; "
        "deepep-low-latency: straight to each expert"),
    number_field<&P::dispatch_multiprocessors>(
        "dispatch-sms", "SMs that deepep or hybridep is given", "the library's"),
    number_field<&P::virtual_stages>(
        "virtual-stages", "layer chunks per pipeline stage, for an interleaved 1F1B schedule"),
    choice_field<kCountedEnds, &P::counted_ends>(
        "count-ends",
        "none|embedding|head|both: which ends count as a layer when layers are divided among "
        "pipeline stages; the first stages get the layers that are left over"),
    {.name = "stage-layers",
     .meaning = "layers of each virtual stage in order, e.g. 13*4,5,4",
     .usual = left_out("as many in each where layers are alike and dense, else divided by their "
                       "FLOP, the logits included"),
     .beyond = "is not a list of numbers of layers; write e.g. 13*4,5,4",
     .read = read_parsed<parse_stage_layers, &P::stage_layers>,
     .write = [](const Row&, const P& p) { return stage_layers_text(p.stage_layers); }},
    {.name = "placement",
     .meaning = "order of ranks: tp, dp and pp in any order, and cp, else behind tp; ranks of the "
                "group named first are placed on neighbouring GPUs; experts divide the ranks of a "
                "stage from neighbours on",
     .read = read_placement,
     .write = [](const Row&, const P& p) { return to_text(p.placement); },
     .choices = placement_names},
    number_field<&P::micro_batch>("micro-batch", "sequences per micro-batch")
        .with<&Row::before>("attention"),
    number_field<&P::accumulation>("accumulation",
                                   "gradient accumulation: micro-batches per step per replica", "1")
        .with<&Row::before>("attention"),
    {.name = "global-batch",
     .meaning = "sequences per step (replaces `accumulation`)",
     .usual = {},
     .kind = Row::Kind::long_count,
     .range = kFromOne,
     .beyond = "is less than 1",
     .read = [](const Row& row, const std::string& text,
                P&) { static_cast<void>(number_of<std::int64_t>(row, text)); },
     .first_day = true},
    choice_field<kOnOff, &P::sequence_parallel>(
        "sequence-parallel",
        "on|off: sequence parallelism: split norms and dropout across the tensor-parallel ranks")
        .with<&Row::before>("attention"),
    choice_field<kRecomputes, &P::recompute>(
        "recompute",
        "activation recomputation: none; selective: core attention; alternate: everything except "
        "attention and every second matrix product; projections: everything except the "
        "projections to queries, keys and values; experts: blocks of experts alone; full: every "
        "layer")
        .with<&Row::before>("attention"),
    {.name = "offload-activations",
     .meaning =
         "none|all|LAYERS: layers of each virtual stage, the first ones, whose activations go to "
         "the hosts' memory after the forward pass and come back before the backward one, over "
         "the link of gpu.host_bandwidth and beside kernels; e.g. 16",
     .beyond = "is not one of: none, all, a number of layers",
     .read = read_parsed<parse_offloaded, &P::offloaded_layers>,
     .write = [](const Row&, const P& p) { return offloaded_text(p.offloaded_layers); },
     .before = "attention"},
    {.name = "routing",
     .meaning =
         "how tokens spread over a model's experts: balanced: the same rows for each; random: "
         "each token chooses uniformly; cyclic: the next experts each time; power_law:EXPONENT, "
         "e.g. power_law:1.2: the density of experts' popularity, as AIConfigurator draws it; or "
         "a file with the load of each expert, one a line",
     .read = [](const Row&, const std::string& text,
                P& into) { into.routing = parse_routing(text, "`routing`"); },
     .write = [](const Row&, const P& p) { return to_text(p.routing); }},
    number_field<&P::routing, &ExpertRouting::capacity>(
        "capacity-factor",
        "rows of an expert at most so many times the mean; a router drops further ones",
        "none is dropped", kFromOne,
        "is not a number of at least 1; leave it out where no row is dropped"),
    number_field<&P::sharding, &Sharding::stage>(
        "zero",
        "ZeRO stage, i.e. the state that data-parallel ranks shard. 0: nothing (plain data "
        "parallelism); 1: optimizer states (Megatron's distributed optimizer); 2: also gradients; "
        "3: also weights (FSDP)",
        "the stack's, else 1, or the scheme's first stage if it is not defined for 1",
        from_to(0, 3), "is not a ZeRO stage; write 0, 1, 2 or 3")
        .with<&Row::first_day>(true),
    number_field<&P::sharding, &Sharding::ranks>(
        "hybrid-shard",
        "hybrid sharding: data-parallel ranks that share one set of shards, e.g. the ranks of one "
        "node; each group holds a replica",
        "all ranks"),
    choice_field<kOnOff, &P::sharding, &Sharding::reshard_after_forward>(
        "reshard", "on|off: free gathered weights after the forward pass; off is SHARD_GRAD_OP",
        "on")
        .with<&Row::misfit>(below_stage_3),
    number_field<&P::sharding, &Sharding::unit_layers>("unit-layers",
                                                       "layers that ZeRO-3 gathers together", "1")
        .with<&Row::misfit>(below_stage_3),
    number_field<&P::sharding, &Sharding::prefetch>(
        "prefetch", "units that ZeRO-3 gathers ahead of the current one", "1",
        from_to(0, kFromOne.highest), "is less than 0")
        .with<&Row::misfit>(gathers_nothing_ahead),
    choice_field<kBackwardPrefetches, &P::sharding, &Sharding::prefetch_after_backward>(
        "backward-prefetch",
        "pre|post: in the backward pass, gather the next unit before or after computing the "
        "gradients of the current one",
        kOfStack)
        .with<&Row::misfit>(below_stage_3),
    choice_field<kGradientSyncs, &P::sharding, &Sharding::reduces_once>(
        "gradient-sync",
        "micro-batch|step: when ZeRO-3 reduces gradients: micro-batch: each micro-batch's, so that "
        "only shards stay; step: once a step, so that whole gradients stay on each rank (PyTorch's "
        "no_sync and set_requires_gradient_sync(False))",
        "micro-batch")
        .with<&Row::misfit>(below_stage_3),
    choice_field<kOnOff, &P::sharding, &Sharding::weights_on_hosts>(
        "offload-weights",
        "on|off: ZeRO-3's shards of the weights are in the hosts' memory: each is copied to the "
        "GPU, over the link of gpu.host_bandwidth, before it is gathered (FSDP's CPU offload, "
        "DeepSpeed's offload_param); needs `optimizer-state` host",
        "off")
        .with<&Row::misfit>(below_stage_3),
    {.name = "stack",
     .meaning =
         "training software, which sets the defaults of `attention`, `kernels`, `loss`, "
         "`optimizer`, `overlap`, `backward-prefetch` and `zero`, and what casts to FP8 and NVFP4 "
         "launch: megatron, nemo, torch-eager, torch-compile, composer, deepspeed, maxtext "
         "or transformers; `list stacks` describes them. NAME@DATE is a stack as it was released "
         "by a date, e.g. composer@2023-10 or megatron@2021; a date after all known changes is "
         "today's, also one in the future",
     .usual = left_out("megatron; with `zero` 3, torch-eager"),
     .read = [](const Row&, const std::string&, P&) {},  // parallelism_of() begins with it
     .choices = stack_names},
    choice_field<kAttentions, &P::attention>(
        "attention",
        "unfused: attention materialises its scores in memory; flash1|flash2|flash3|flash4|cudnn: "
        "one kernel, FlashAttention of a generation or cuDNN's; fused|sdpa: the usual one on the "
        "GPU, and the one that PyTorch takes",
        kOfStack),
    choice_field<kKernels, &P::kernels>(
        "kernels",
        "megatron|eager|compiled: kernels for element-wise operations on activations: Megatron's, "
        "PyTorch's or torch.compile's",
        kOfStack),
    choice_field<kOnOff, &P::cuda_graphs>(
        "cuda-graphs",
        "on|off: CUDA graphs: the host issues all kernels of a block of a layer as one"),
    choice_field<kOnOff, &P::power_throttling>(
        "power-throttling",
        "on|off: power throttling: matrix products and attention run at the rate that the GPU's "
        "power limit leaves them, which falls where a step waits less for its network; only for "
        "H100 and H200, whose kernels' power is known"),
    choice_field<kLosses, &P::loss>(
        "loss", "unfused|fused: fused computes the loss in one kernel over BF16 logits", kOfStack),
    choice_field<kMatrixPrecisions, &P::matrices>(
        "precision",
        "bf16|fp8|mxfp8|nvfp4|fp8-rowwise|fp8-rowwise-gw-hp: precision of the linear layers' "
        "matrix "
        "products; the topology's [gpu] table must give a rate for it. fp8 has one scale per "
        "tensor, fp8-rowwise one per row (torchao's recipe `rowwise`); with -gw-hp, the weights' "
        "gradients are BF16 products"),
    choice_field<kWeightPrecisions, &P::gathers_matrices>(
        "weight-precision",
        "bf16|fp8: precision of the weights that ZeRO-3 gathers; fp8 needs `precision` fp8")
        .with<&Row::read>(read_weight_precision)
        .with<&Row::before>("overlap"),
    choice_field<kOptimizers, &P::optimizer>(
        "optimizer",
        "optimizer. adamw: one fused kernel; adamw-foreach: one kernel per elementwise operation, "
        "PyTorch's default; muon: Muon for the layers' matrices, AdamW for the rest",
        kOfStack),
    choice_field<kOptimizerStates, &P::optimizer_state>(
        "optimizer-state",
        "gpu|host: where the optimizer's state is between updates. host: in the hosts' memory; "
        "each step copies it to the GPUs and back, over the link of gpu.host_bandwidth. With "
        "`host-codecs`, hosts update AdamW instead: gradients go to them, and new weights come "
        "back. A search (`tune`, `baseline` best, map, plan) moves it there if nothing fits "
        "otherwise"),
    choice_field<kOptimizerPrecisions, &P::optimizer_precision>(
        "optimizer-precision",
        "precision of what the optimizer keeps. fp32: weights and moments; bf16-moments: FP32 "
        "weights and BF16 moments; bf16: nothing in FP32: it updates the model's BF16 weights, as "
        "in pure BF16 training (with `zero` 3, gradients' shards are BF16 too)"),
    choice_field<kPrecisions, &P::gradients>(
        "gradient-precision",
        "fp32|bf16: precision of uncompressed reductions and of the gradient buffer (ZeRO-3's "
        "shards have the precision of the weights that the optimizer updates)"),
    {.name = "overlap",
     .meaning =
         "communication to overlap with compute: none, all, or any of gradients, weights, tensor, "
         "pipeline, experts (rows to experts beside shared experts) and batches (a forward and a "
         "backward pass of two micro-batches at once, not part of all), separated by commas",
     .usual = left_out(kOfStack),
     .read = read_overlap,
     .write = [](const Row&, const P& p) { return to_text(p.overlap); },
     .choices = overlap_names},
    {.name = "bucket-size",
     .meaning = "gradient bytes per bucket, if any communication overlaps",
     .usual = {.words = "160 MiB", .is_value = true},
     .read = read_bucket,
     .write = bucket_text},
};

}  // namespace

ParallelismFields parallelism_fields() { return kRows; }

}  // namespace sim
