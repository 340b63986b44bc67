// SPDX-License-Identifier: Apache-2.0
#include "apps/job/parallelism_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/arguments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::chosen;
using sim::InputError;

sim::Overlap overlap_of(const std::string& text) {
  sim::Overlap overlap;
  for (const std::string& part : split(text)) {
    if (part == "none") continue;
    bool known = part == "all";
    for (const auto& [name, what] : sim::kOverlaps) {
      if (part == name || (part == "all" && sim::kAllOverlaps.*what)) overlap.*what = known = true;
    }
    if (!known) {
      throw InputError(
          fmt::format("--overlap: '{}' is not one of: none, gradients, weights, tensor, pipeline, "
                      "experts, batches, all",
                      part));
    }
  }
  return overlap;
}

std::vector<int> stage_layers_of(const std::string& text) {
  const auto layers = sim::parse_stage_layers(text);
  if (layers) return *layers;
  throw InputError(
      fmt::format("--stage-layers: '{}' is not a list of numbers of layers; write e.g. 13*4,5,4",
                  sim::printable(text)));
}

int offloaded_of(const std::string& text) {
  if (const auto layers = sim::parse_offloaded(text)) return *layers;
  throw InputError(
      fmt::format("--offload-activations: '{}' is not one of: none, all, a number of layers",
                  sim::printable(text)));
}

template <class Integer>
po::typed_value<Integer>* at_least(Integer least, const char* flag, Integer& option) {
  return po::value(&option)->notifier([flag, least](Integer given) {
    if (given < least) throw InputError(fmt::format("{}: {} is less than {}", flag, given, least));
  });
}

sim::Sharding sharding_of(const ParallelismOptions& o, const sim::Overlap& overlap,
                          const sim::Stack& stack) {
  const int stage = stage_of(o).value_or(1);
  sim::Sharding sharding{.stage = stage,
                         .ranks = o.hybrid_shard,
                         .prefetch_after_backward = stage == 3 && stack.prefetch_after_backward};
  const auto of_stage_3 = [&](const char* flag, bool given) {
    if (given && sharding.stage < 3) throw InputError(fmt::format("{}: needs --zero 3", flag));
    return given;
  };
  if (of_stage_3("--reshard", !o.reshard.empty())) {
    sharding.reshard_after_forward =
        chosen<bool>("--reshard", o.reshard, {{"off", false}, {"on", true}});
  }
  if (of_stage_3("--backward-prefetch", !o.backward_prefetch.empty())) {
    sharding.prefetch_after_backward =
        chosen<bool>("--backward-prefetch", o.backward_prefetch, {{"pre", false}, {"post", true}});
  }
  if (of_stage_3("--unit-layers", o.unit_layers > 0)) sharding.unit_layers = o.unit_layers;
  if (of_stage_3("--prefetch", o.prefetch >= 0)) {
    if (!overlap.weights) {
      throw InputError("--prefetch: needs --overlap weights, to gather ahead");
    }
    sharding.prefetch = o.prefetch;
  }
  return sharding;
}

sim::ExpertRouting routing_of(const ParallelismOptions& o) {
  sim::ExpertRouting routing = sim::parse_routing(o.routing, "--routing");
  routing.capacity = o.capacity_factor;
  return routing;
}

// What the help says of flags that are not given.
class Defaults {
 public:
  explicit Defaults(const ChosenFlags& chosen) : chosen_(chosen) {}

  [[nodiscard]] std::string of(const char* flag, const char* usual) const {
    return chosen_.contains(flag) ? "chosen" : usual;
  }
  // A flag's text with its default behind it.
  [[nodiscard]] std::string text(const char* flag, const char* what, const char* usual) const {
    return fmt::format("{} (default: {})", what, of(flag, usual));
  }

 private:
  const ChosenFlags& chosen_;
};

void add_sharding_flags(po::options_description_easy_init& add, ParallelismOptions& o,
                        const Defaults& defaults) {
  add("zero", po::value<int>()->notifier([&o](int stage) {
    if (stage < 0 || stage > 3) {
      throw InputError(fmt::format("--zero: {} is not a ZeRO stage; write 0, 1, 2 or 3", stage));
    }
    o.zero = stage;
  }),
      defaults
          .text("zero",
                "ZeRO stage, i.e. the state that data-parallel ranks shard. 0: nothing (plain data "
                "parallelism); 1: optimizer states (Megatron's distributed optimizer); 2: also "
                "gradients; 3: also weights (FSDP)",
                "the stack's, else 1, or the scheme's first stage if it is not defined for 1")
          .c_str());
  add("hybrid-shard", count("--hybrid-shard", o.hybrid_shard),
      defaults
          .text("hybrid-shard",
                "hybrid sharding: data-parallel ranks that share one set of shards, e.g. the ranks "
                "of one node; each group holds a replica",
                "all ranks")
          .c_str());
  add("reshard", po::value(&o.reshard),
      defaults
          .text("reshard",
                "on|off: free gathered weights after the forward pass; off is SHARD_GRAD_OP", "on")
          .c_str());
  add("unit-layers", count("--unit-layers", o.unit_layers),
      "layers that ZeRO-3 gathers together (default: 1)");
  add("prefetch", at_least(0, "--prefetch", o.prefetch),
      "units that ZeRO-3 gathers ahead of the current one (default: 1)");
  add("backward-prefetch", po::value(&o.backward_prefetch),
      "pre|post: in the backward pass, gather the next unit before or after computing the "
      "gradients of the current one (default: the stack's)");
}

void add_layout_flags(po::options_description_easy_init& add, ParallelismOptions& o,
                      const Defaults& defaults) {
  const auto one = [&](const char* flag) { return defaults.of(flag, "1"); };
  const auto text = [&](const char* flag, const char* usual) { return defaults.of(flag, usual); };
  add("tp", count("--tp", o.tensor)->default_value(1, one("tp")),
      "tensor parallelism: ranks that share each layer");
  add("pp", count("--pp", o.pipeline)->default_value(1, one("pp")),
      "pipeline parallelism: stages, in a 1F1B schedule");
  add("cp", count("--cp", o.context)->default_value(1, one("cp")),
      "context parallelism: ranks that share each sequence");
  add("cp-exchange",
      po::value(&o.context_exchange)->default_value("ring", text("cp-exchange", "ring")),
      "how they attend to all of it: ring: keys and values go round beside attention; all_gather: "
      "they are gathered before; all_to_all: heads are exchanged for tokens (Ulysses)");
  add("cp-heads", count("--cp-heads", o.context_heads)->default_value(1, one("cp-heads")),
      "neighbours that exchange heads inside the ring or gather of the others");
  add("ep", count("--ep", o.expert)->default_value(1, one("ep")),
      "expert parallelism: ranks of a stage that hold other experts; tp x cp x dp ranks are etp x "
      "ep x edp, and edp of them hold the same experts");
  add("etp", count("--etp", o.expert_tensor),
      "ranks that split each expert (default: as many as --tp)");
  add("dispatcher",
      po::value(&o.dispatcher)->default_value("all_to_all", text("dispatcher", "all_to_all")),
      "how rows go to experts and back: all_to_all: NCCL's, a row for each of a token's experts; "
      "deepep, hybridep: once to each node, forwarded over NVLink; deepep-low-latency: straight to "
      "each expert");
  add("dispatch-sms", count("--dispatch-sms", o.dispatch_multiprocessors),
      "SMs that deepep or hybridep is given (default: the library's)");
  add("virtual-stages",
      count("--virtual-stages", o.virtual_stages)->default_value(1, one("virtual-stages")),
      "layer chunks per pipeline stage, for an interleaved 1F1B schedule");
  add("count-ends", po::value(&o.count_ends)->default_value("none"),
      "none|embedding|head|both: which ends count as a layer when layers are divided among "
      "pipeline stages; the first stages get the layers that are left over");
  add("stage-layers", po::value(&o.stage_layers),
      "layers of each virtual stage in order, e.g. 13*4,5,4 (default: as many in each where layers "
      "are alike and dense, else divided by their FLOP, the logits included)");
  add("placement",
      po::value(&o.placement)->default_value("tp-dp-pp", text("placement", "tp-dp-pp")),
      "order of ranks: tp, dp and pp in any order, and cp, else behind tp; ranks of the group "
      "named "
      "first are placed on neighbouring GPUs; experts divide the ranks of a stage from neighbours "
      "on");
  add("micro-batch", count("--micro-batch", o.micro_batch)->default_value(1, one("micro-batch")),
      "sequences per micro-batch");
  add("accumulation", count("--accumulation", o.accumulation),
      defaults
          .text("accumulation", "gradient accumulation: micro-batches per step per replica", "1")
          .c_str());
  add("global-batch", at_least<std::int64_t>(1, "--global-batch", o.global_batch),
      "sequences per step (replaces --accumulation)");
  add("sequence-parallel",
      po::value(&o.sequence_parallel)->default_value("off", text("sequence-parallel", "off")),
      "on|off: sequence parallelism: split norms and dropout across the tensor-parallel ranks");
  add("recompute",
      po::value(&o.recompute)->default_value("selective", text("recompute", "selective")),
      "activation recomputation: none; selective: core attention; alternate: everything except "
      "attention and every second matrix product; projections: everything except the projections "
      "to queries, keys and values; experts: blocks of experts alone; full: every layer");
  add("offload-activations", po::value(&o.offload_activations)->default_value("none"),
      "none|all|LAYERS: layers of each virtual stage, the first ones, whose activations go to the "
      "hosts' memory after the forward pass and come back before the backward one, over the link "
      "of gpu.host_bandwidth and beside kernels; e.g. 16");
}

void add_routing_flags(po::options_description_easy_init& add, ParallelismOptions& o) {
  add("routing", po::value(&o.routing)->default_value(o.routing),
      "how tokens spread over a model's experts: balanced: the same rows for each; random: each "
      "token chooses uniformly; cyclic: the next experts each time; power_law:EXPONENT, e.g. "
      "power_law:1.2: the density of experts' "
      "popularity, as AIConfigurator draws it; or a file with the load of each expert, one a line");
  add("capacity-factor", po::value(&o.capacity_factor)->notifier([](double given) {
    if (given >= 1 && std::isfinite(given)) return;
    throw InputError(
        fmt::format("--capacity-factor: {} is not a number of at least 1; leave it "
                    "out where no row is dropped",
                    given));
  }),
      "rows of an expert at most so many times the mean; a router drops further ones (default: "
      "none is dropped)");
}

void add_software_flags(po::options_description_easy_init& add, ParallelismOptions& o,
                        const Defaults& defaults) {
  const auto text = [&](const char* flag, const char* usual) { return defaults.of(flag, usual); };
  add("stack", po::value(&o.stack),
      "training software, which sets the defaults of --attention, --kernels, --loss, --optimizer, "
      "--overlap, --backward-prefetch and --zero, and what casts to FP8 and NVFP4 launch: "
      "megatron, "
      "nemo, torch-eager, torch-compile, composer, deepspeed or maxtext; `list stacks` describes "
      "them (default: megatron; with --zero 3, torch-eager)");
  add("attention", po::value(&o.attention),
      "unfused: attention materialises its scores in memory; flash1|flash2|flash3|flash4|cudnn: "
      "one "
      "kernel, FlashAttention of a generation or cuDNN's; fused|sdpa: the usual one on the GPU, "
      "and "
      "the one that PyTorch takes (default: the stack's)");
  add("kernels", po::value(&o.kernels),
      "megatron|eager|compiled: kernels for element-wise operations on activations: Megatron's, "
      "PyTorch's or "
      "torch.compile's (default: the stack's)");
  add("cuda-graphs", po::value(&o.cuda_graphs)->default_value("off"),
      "on|off: CUDA graphs: the host issues all kernels of a block of a layer as one");
  add("loss", po::value(&o.loss),
      "unfused|fused: fused computes the loss in one kernel over BF16 logits (default: the "
      "stack's)");
  add("precision", po::value(&o.precision)->default_value("bf16"),
      "bf16|fp8|mxfp8|nvfp4: precision of the linear layers' matrix products; the topology's [gpu] "
      "table must give a rate for it");
  add("weight-precision",
      po::value(&o.weight_precision)->default_value("bf16", text("weight-precision", "bf16")),
      "bf16|fp8: precision of the weights that ZeRO-3 gathers; fp8 needs --precision fp8");
  add("optimizer", po::value(&o.optimizer),
      "optimizer. adamw: one fused kernel; adamw-foreach: one kernel per elementwise operation, "
      "PyTorch's default; muon: Muon for the layers' matrices, AdamW for the rest (default: the "
      "stack's)");
  add("optimizer-state", po::value(&o.optimizer_state)->default_value("gpu"),
      "gpu|host: where the optimizer's state is between updates. host: in the hosts' memory; each "
      "step copies it to the GPUs and back, over the link of gpu.host_bandwidth. With "
      "--host-codecs, hosts update AdamW instead: gradients go to them, and new weights come back. "
      "A search (--tune, --baseline best, map, plan) moves it there if nothing fits otherwise");
  add("gradient-precision",
      po::value(&o.gradient_precision)->default_value("fp32", text("gradient-precision", "fp32")),
      "fp32|bf16: precision of uncompressed reductions and of the gradient buffer (ZeRO-3's shards "
      "stay FP32)");
  add("overlap", po::value(&o.overlap),
      defaults
          .text("overlap",
                "communication to overlap with compute: none, all, or any of gradients, weights, "
                "tensor, pipeline, experts (rows to experts beside shared experts) and batches (a "
                "forward and a backward pass of two micro-batches at once, not part of all), "
                "separated by commas",
                "the stack's")
          .c_str());
  add("bucket-size",
      po::value(&o.bucket_size)->default_value("160 MiB", text("bucket-size", "160 MiB")),
      "gradient bytes per bucket, if any communication overlaps");
}

// Null if none is given.
const sim::Stack* stack_named(const ParallelismOptions& o) {
  if (o.stack.empty()) return nullptr;
  std::vector<std::string_view> names;
  for (const sim::Stack* stack : sim::all_stacks()) {
    if (stack->name == o.stack) return stack;
    names.push_back(stack->name);
  }
  sim::refuse_name("--stack", o.stack, names);
}

// "tp-dp-pp" in any order.
sim::Placement placement_of(const std::string& text) {
  if (const auto placement = sim::placement_of(text)) return *placement;
  if (const auto placement = sim::placement_of(text, sim::kPlacedWithContext)) return *placement;
  std::vector<std::string> names;
  for (const sim::Placement& one : sim::all_placements()) names.push_back(sim::to_text(one));
  sim::refuse_name("--placement", text, std::vector<std::string_view>(names.begin(), names.end()));
}

void read_precision(const ParallelismOptions& o, sim::Parallelism& p) {
  p.matrices = chosen("--precision", o.precision, sim::kMatrixPrecisions);
  p.gradients = chosen("--gradient-precision", o.gradient_precision, sim::kPrecisions);
  p.gathers_matrices =
      chosen<bool>("--weight-precision", o.weight_precision, {{"bf16", false}, {"fp8", true}});
  if (!p.gathers_matrices) return;
  if (stage_of(o).value_or(1) < 3)
    throw InputError("--weight-precision: fp8 needs --zero 3, which gathers weights");
  if (p.matrices != sim::MatrixPrecision::fp8) {
    throw InputError(
        "--weight-precision: fp8 needs --precision fp8, whose products read FP8 weights");
  }
}

}  // namespace

po::typed_value<int>* count(const char* flag, int& option) { return at_least(1, flag, option); }

void add_parallelism_flags(po::options_description& flags, ParallelismOptions& o,
                           const ChosenFlags& chosen) {
  const Defaults defaults(chosen);
  auto add = flags.add_options();
  add_layout_flags(add, o, defaults);
  add_routing_flags(add, o);
  add_sharding_flags(add, o, defaults);
  add_software_flags(add, o, defaults);
}

std::optional<int> stage_of(const ParallelismOptions& o) {
  if (o.zero || o.stack.empty()) return o.zero;
  return stack_named(o)->zero;
}

sim::OpenSoftware open_software(const ParallelismOptions& o) {
  return {.attention = o.attention.empty(),
          .kernels = o.kernels.empty(),
          .overlap = o.overlap.empty(),
          .stack = stack_named(o)};
}

sim::Parallelism parallelism_of(const ParallelismOptions& o) {
  sim::Parallelism p;
  p.tensor = o.tensor;
  p.context = o.context;
  p.context_exchange = chosen("--cp-exchange", o.context_exchange, sim::kContextExchanges);
  p.context_heads = o.context_heads;
  p.expert = o.expert;
  p.expert_tensor = o.expert_tensor;
  p.dispatch_multiprocessors = o.dispatch_multiprocessors;
  p.dispatcher = chosen("--dispatcher", o.dispatcher, sim::kDispatchers);
  p.pipeline = o.pipeline;
  p.virtual_stages = o.virtual_stages;
  p.counted_ends = chosen("--count-ends", o.count_ends, sim::kCountedEnds);
  if (!o.stage_layers.empty()) p.stage_layers = stage_layers_of(o.stage_layers);
  p.placement = placement_of(o.placement);
  p.routing = routing_of(o);
  p.micro_batch = o.micro_batch;
  p.sequence_parallel =
      chosen<bool>("--sequence-parallel", o.sequence_parallel, {{"off", false}, {"on", true}});
  p.recompute = chosen("--recompute", o.recompute, sim::kRecomputes);
  p.offloaded_layers = offloaded_of(o.offload_activations);
  const sim::OpenSoftware open = open_software(o);
  if (!open.attention) p.attention = chosen("--attention", o.attention, sim::kAttentions);
  if (!open.kernels) p.kernels = chosen("--kernels", o.kernels, sim::kKernels);
  if (!open.overlap) p.overlap = overlap_of(o.overlap);
  const int stage = stage_of(o).value_or(1);
  const sim::Stack& stack = stack_of(stage, open);
  p = at_stage(p, stage, open);
  p.cuda_graphs = chosen<bool>("--cuda-graphs", o.cuda_graphs, {{"off", false}, {"on", true}});
  p.loss = o.loss.empty() ? stack.loss : chosen("--loss", o.loss, sim::kLosses);
  p.optimizer =
      o.optimizer.empty() ? stack.optimizer : chosen("--optimizer", o.optimizer, sim::kOptimizers);
  p.optimizer_state = chosen("--optimizer-state", o.optimizer_state, sim::kOptimizerStates);
  read_precision(o, p);
  p.sharding = sharding_of(o, p.overlap, stack);
  p.bucket = quantity_of<sim::Bytes>("--bucket-size", o.bucket_size, "160 MiB");
  if (p.bucket.count < 1) throw InputError("--bucket-size: is 0; write at least 1 B");
  return p;
}

int accumulation_of(const ParallelismOptions& o, int replicas) {
  if (o.accumulation != 0 && o.global_batch != 0) {
    throw InputError("--global-batch: conflicts with --accumulation; specify only one of them");
  }
  if (o.global_batch == 0) return o.accumulation == 0 ? 1 : o.accumulation;
  const std::int64_t pass = std::int64_t{o.micro_batch} * replicas;
  if (o.global_batch < pass || o.global_batch % pass != 0) {
    throw InputError(fmt::format(
        "--global-batch: {} is not a multiple of {} sequences (micro-batch {} x {} replicas)",
        o.global_batch, pass, o.micro_batch, replicas));
  }
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(o.global_batch / pass, kMost));
}

}  // namespace apps
