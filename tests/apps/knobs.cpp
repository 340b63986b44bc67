// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/knobs.hpp"

#include <ostream>

namespace apps_tests {
namespace {

using enum Direction;

// Two nodes of four A100; the same with the scheme that has every setting.
constexpr std::string_view kSmall = "--topology sdp4bit_a100 --model gpt_125m --nodes 2";
constexpr std::string_view kFailing =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --reliability rsc1_a100";
constexpr std::string_view kUnsharded =
    "--topology sdp4bit_a100 --model gpt_125m --zero 0 --scheme data_parallel --overlap none";
constexpr std::string_view kAllNodes = "--topology sdp4bit_a100 --model gpt_125m";
constexpr std::string_view kCompressed =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sdp4bit";
constexpr std::string_view kLowRank =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme power_sgd";
constexpr std::string_view kTwoSchemes =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sharded,sdp4bit";
// Rail-optimised; a leaf of its own for each node, so that traffic between nodes climbs to a spine.
constexpr std::string_view kLeaves =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --set network.nodes_per_leaf=1";
// Two rails, each with leaves of its own, whose uplinks carry an eighth of their NICs.
constexpr std::string_view kTwoRails =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --gpus-per-node 2 "
    "--set network.nodes_per_leaf=1 --set network.oversubscription=8";
// A node without NVLink, whose bridges or whose sockets bound an all_to_all.
constexpr std::string_view kBridges =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --set nvlink.kind=pcie "
    "--set nvlink.gpus_per_bridge=2 --set nvlink.gpus_per_socket=4 "
    "--set nvlink.socket_bandwidth=10TBps";
constexpr std::string_view kSockets =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --set nvlink.kind=pcie "
    "--set nvlink.gpus_per_bridge=2 --set nvlink.gpus_per_socket=4 "
    "--set nvlink.socket_bandwidth=1GBps";
// A GPU whose NIC is on another socket, which is not, or is, among those in use.
constexpr std::string_view kNearNics =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --gpus-per-node 4 "
    "--set network.far_gpus=[7] --set network.far_bandwidth=1GBps";
constexpr std::string_view kFarNic =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --set network.far_gpus=[0] "
    "--set network.far_bandwidth=1GBps";
// Two pods of one leaf of one node.
constexpr std::string_view kPods =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --set network.fabric=fat_tree_3level "
    "--set network.nodes_per_leaf=1 --set network.leaves_per_pod=1 "
    "--set network.pod_oversubscription=8";
// One ring of 16 nodes with all pairs of them.
constexpr std::string_view kTorus =
    "--topology aws_p4d --model gpt_125m --scheme sdp4bit --set network.fabric=torus "
    "--set network.switch_latency=1us --set network.dimensions=[16]";
// Four groups of one router with two links to each other one.
constexpr std::string_view kDragonfly =
    "--topology aws_p4d --model gpt_125m --scheme sdp4bit --set network.fabric=dragonfly "
    "--set network.switch_latency=1us --set network.nodes_per_router=4 "
    "--set network.routers_per_group=1 --set network.global_links=7 --set network.routing=minimal";

// Models of which each has a kind of layers.
constexpr std::string_view kRotary =
    "--topology sdp4bit_a100 --model llama_2_7b --nodes 2 --set model.layers=2";
constexpr std::string_view kNormed =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.query_key_norm=true";
constexpr std::string_view kWindows =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.window=128 "
    "--set model.order=window";
constexpr std::string_view kWindowsAhead =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.window=128 "
    "--set model.order=window --set model.predictions=1";
constexpr std::string_view kLatent =
    "--topology dgx_h100_x16 --model deepseek_v2_lite --nodes 2 --set model.layers=3";
constexpr std::string_view kGrouped =
    "--topology dgx_h100_x16 --model deepseek_v2_lite --nodes 2 --set model.layers=3 "
    "--set model.experts.groups=8";
// Experts on one rank each, two nodes of ranks that hold the same ones.
constexpr std::string_view kExpertsAlike =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused";
constexpr std::string_view kExpertsApart =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 8";
constexpr std::string_view kSkewed =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 4 --routing random";
constexpr std::string_view kDeepep =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 16 --set model.experts.count=16 --dispatcher deepep";
constexpr std::string_view kSplitExperts =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 2 --tp 2 --sequence-parallel on";
constexpr std::string_view kSharedExpert =
    "--topology dgx_h100_x16 --model deepseek_v2_lite --nodes 2 --set model.layers=3 --attention "
    "fused --ep 16";
constexpr std::string_view kManyBatches =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 16 --set model.experts.count=16 --accumulation 8";
// Attention in parts.
constexpr std::string_view kFused =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --attention fused";
constexpr std::string_view kParts =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --attention fused --cp 4";
constexpr std::string_view kMamba =
    "--topology dgx_h100_x16 --model nemotron_3_nano --nodes 2 --set model.layers=2";
constexpr std::string_view kPatches = "--topology dgx_h100_x16 --model dit_xl --nodes 1";
// Fully sharded; and with kernels that FP8 makes faster, two layers of a larger model.
constexpr std::string_view kSharded = "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --zero 3";
constexpr std::string_view kWide =
    "--topology dgx_h100_x16 --model llama_2_7b --set model.layers=2 --nodes 1 --zero 3";
constexpr std::string_view kFp8 =
    "--topology dgx_h100_x16 --model llama_2_7b --set model.layers=2 --nodes 1 --zero 3 "
    "--precision fp8";

// Eight GPUs with protocols and sums in the switch; and two nodes of one GPU each.
constexpr std::string_view kSwitched =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3";
constexpr std::string_view kSimple =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3 --protocol simple";
constexpr std::string_view kLl =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3 --protocol ll";
constexpr std::string_view kLl128 =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3 --protocol ll128";
constexpr std::string_view kNvls =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 0 --scheme data_parallel "
    "--algorithm nvls";
constexpr std::string_view kPairs =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --protocol simple";
constexpr std::string_view kLlPairs =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --protocol ll";
// All pairs of sixteen GPUs; and sums in the network.
constexpr std::string_view kMessages =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --scheme sharded_all_to_all --algorithm "
    "pairwise";
constexpr std::string_view kSharp =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --zero 0 --scheme data_parallel "
    "--set network.sharp_efficiency=0.9 --set network.sharp_latency=20us --algorithm sharp";
constexpr std::string_view kBetweenTwo =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3";
constexpr std::string_view kSimpleBetween =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3 "
    "--protocol simple";
constexpr std::string_view kLlBetween =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3 --protocol ll";
constexpr std::string_view kLl128Between =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3 "
    "--protocol ll128";

// On leaves, scattered, so that every ring crosses their uplinks.
constexpr std::string_view kScattered =
    "--topology roce_a100_2to1 --model gpt_125m --zero 3 --node-placement scattered";
constexpr std::string_view kHashed =
    "--topology roce_a100_2to1 --model gpt_125m --zero 3 --node-placement scattered "
    "--set network.load_balance=ecmp";
constexpr std::string_view kSprayed =
    "--topology roce_a100_2to1 --model gpt_125m --zero 3 --node-placement scattered "
    "--set network.load_balance=adaptive --set network.uplink_efficiency=0.9";

constexpr std::string_view kStep = "/step_time_s";
constexpr std::string_view kCompute = "/compute_s";
constexpr std::string_view kExposed = "/exposed_comm_s";
constexpr std::string_view kBetween = "/wire_bytes_inter_node";
constexpr std::string_view kInside = "/wire_bytes_intra_node";
constexpr std::string_view kParameters = "/parameters";
constexpr std::string_view kFlop = "/flop_per_token", kFlopCausal = "/flop_per_token_causal";
constexpr std::string_view kWeights = "/memory_by_part_bytes/weights";
constexpr std::string_view kActivations = "/memory_by_part_bytes/attention_activations";

constexpr std::string_view kExpertWeights = "/memory_by_part_bytes/expert_weights";
constexpr std::string_view kExpertBytes = "/wire_bytes_by_phase/expert_comm/intra_node";
constexpr std::string_view kExpertBytesBetween = "/wire_bytes_by_phase/expert_comm/inter_node";
constexpr std::string_view kContextBytes = "/wire_bytes_by_phase/context_comm/intra_node";

constexpr Knob kKnobs[] = {
    // Flags: what is simulated.
    {"--topology", kSmall, "dgx_h200_x16", kCompute, down},
    {"--model", kSmall, "gpt_350m", kStep, up},
    {"--scheme", kSmall, "sdp4bit", kBetween, down},
    {"--nodes", kAllNodes, "2", "/gpus", down},
    {"--gpus-per-node", kSmall, "2", "/gpus", down},
    {"--node-placement", "--topology roce_a100_2to1 --model gpt_125m --nodes 8 --zero 3",
     "scattered", kExposed, up},
    {"--traffic",
     "--topology roce_a100_2to1 --model gpt_125m --nodes 8 --zero 3 --node-placement scattered",
     GARDENHOSE_SOURCE_DIR "/tests/apps/neighbours.toml", kExposed, up},
    {"--reliability", kSmall, "llama3_h100", "/goodput", changed},
    {"--tokens", kFailing, "1e12", "/training_days", changed},
    {"--algorithm", kUnsharded, "tree", kExposed, up},
    {"--protocol", kSwitched, "ll", kExposed, up},
    {"--tp", kSmall, "2", kWeights, down},
    {"--pp", kSmall, "2", "/bubble_s", up},
    {"--virtual-stages",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --pp 2 --accumulation 4", "2", "/bubble_s",
     down},
    // Tensor-parallel ranks of different nodes.
    {"--count-ends", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --pp 4 --accumulation 8",
     "head", "/bubble_s", down},
    {"--placement", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --tp 2", "dp-tp-pp",
     "/wire_bytes_by_phase/tensor_comm/inter_node", up},
    // Experts on ranks of their own; the same two flags without any are refused.
    {"--ep", kExpertsAlike, "8", kExpertWeights, down},
    {"--ep", kExpertsAlike, "8", kBetween, down},
    {"--etp", kSplitExperts, "1", kExpertWeights, up},
    {"--dispatcher", kSkewed, "deepep", kExpertBytes, down},
    {"--dispatch-sms", kDeepep, "4", kExposed, up},
    {"--routing", kExpertsApart, "random", kStep, up},
    {"--routing", kSmall, "random", "", fails},
    {"--capacity-factor", kSkewed, "1", kExpertBytes, down},
    {"--capacity-factor", kSmall, "1.5", "", fails},
    {"--overlap", kSharedExpert, "experts", kExposed, down},
    {"--recompute", kExpertsAlike, "experts", "/memory_by_part_bytes/feed_forward_activations",
     down},
    {"--overlap", kManyBatches, "batches", kExposed, down},
    {"--cp", kFused, "2", kActivations, down},
    {"--cp-exchange", kParts, "all_to_all", kContextBytes, down},
    {"--cp-heads", kParts, "2", kContextBytes, down},
    {"--overlap",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --pp 4 --accumulation 8 "
     "--virtual-stages 3",
     "pipeline", kStep, down},
    // What is reduced after each micro-batch; what is gathered for each layer and pass.
    {"--zero", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --accumulation 4", "2", kBetween,
     up},
    {"--zero", kSmall, "3", kBetween, up},
    {"--stage-layers", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --pp 2", "4,8",
     "/step_time_s", up},
    {"--zero", kSmall, "3", kWeights, down},
    {"--hybrid-shard", kSharded, "4", kBetween, down},
    {"--hybrid-shard", kSharded, "4", kWeights, up},
    {"--reshard", kSharded, "off", kBetween, down},
    {"--unit-layers", kSharded, "12", kExposed, up},
    {"--prefetch", kSharded, "0", kExposed, up},
    {"--backward-prefetch", kSharded, "post", kExposed, up},
    {"--micro-batch", kSmall, "2", kActivations, up},
    {"--accumulation", kSmall, "4", kCompute, up},
    {"--global-batch", kSmall, "32", kCompute, up},
    {"--sequence", kSmall, "1024", kCompute, down},
    {"--sequence-parallel", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --tp 2", "on",
     kActivations, down},
    {"--recompute", kSmall, "full", kActivations, down},
    {"--recompute", kSmall, "none", kActivations, up},
    {"--recompute", kSmall, "full", kCompute, up},
    {"--offload-activations", kSmall, "2", kActivations, down},
    {"--offload-activations", kSmall, "all", "/host_memory_per_node_bytes", up},
    {"--offload-activations", kSmall, "all", kExposed, up},
    {"--offload-activations", kSmall, "13", "", fails},
    // Attention that keeps its scores on chip.
    {"--stack", kSmall, "nemo", kCompute, down},
    {"--attention", kSmall, "fused", kCompute, down},
    {"--recompute", kFused, "alternate", kCompute, up},
    {"--recompute",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --attention fused --recompute full",
     "alternate", kCompute, down},
    {"--kernels", kWide, "compiled", kCompute, down},
    {"--kernels", "--topology sdp4bit_a100 --model llama_2_7b --set model.layers=2 --nodes 1",
     "eager", kCompute, up},
    {"--loss", kSmall, "fused", kCompute, down},
    {"--cuda-graphs",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --sequence 256 --host-issue 100us", "on",
     "/host_s", down},
    {"--precision", kWide, "fp8", kCompute, down},
    {"--weight-precision", kFp8, "fp8", kInside, down},
    {"--optimizer", kSmall, "adamw-foreach", "/optimizer_s", up},
    {"--optimizer", kSmall, "muon", "/memory_by_part_bytes/optimizer", down},
    {"--optimizer", kSmall, "muon", "/optimizer_s", up},
    {"--optimizer-state", kSmall, "host", "/memory_by_part_bytes/optimizer", down},
    {"--optimizer-state", kSmall, "host", "/other_s", up},
    {"--gradient-precision", kSmall, "bf16", kBetween, down},
    {"--overlap", kSmall, "gradients", kExposed, down},
    {"--overlap", kSmall, "weights", kExposed, down},
    {"--overlap", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --tp 2", "tensor", kExposed,
     down},
    // One bucket is ready when the last gradient is: nothing is left to overlap with.
    {"--bucket-size",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --overlap gradients --bucket-size 4GiB",
     "60MiB", kExposed, down},
    {"--calibration", kCompressed, "roofline", "/codec_s", changed},
    {"--codec-time", kCompressed, "2", "/codec_s", up},
    {"--host-issue", kSmall, "100us", "/host_s", up},
    {"--host-issue", kSmall, "4x", "/host_s", up},
    {"--step-by-step", kSharded, "", kStep, changed},
    {"--each-kernel", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --perfetto timeline.json",
     "", "timeline.json", up},
    {"--whole", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --perfetto timeline.json", "",
     "timeline.json", up},
    {"--set", kSmall, "gpu.power=800W", "/energy_j", up},
    // Flags: what is reported.
    {"--baseline", kTwoSchemes, "sharded", "/1/speedup", changed},
    {"--tune", kTwoSchemes, "", "/0/step_time_s", down},
    {"--break-even",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sharded,sdp4bit "
     "--baseline sharded",
     "", "/1/pays_at_nic_Bps", changed},
    // Of two cores the answer is that of one.
    {"--jobs",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sharded,sdp4bit "
     "--baseline twin --jobs 1",
     "2", "stdout", same},
    {"--format", kSmall, "csv", "stdout", changed},
    {"--perfetto", kSmall, "timeline.json", "timeline.json", up},
    {"--kineto", kSmall, "trace.json", "trace.json", up},
    {"--month", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --reliability llama3_h100",
     "month.csv", "month.csv", up},
    {"--range", kSmall, "off", "/tokens_per_s_low", changed},
    {"--perfetto-ranks",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --whole --perfetto timeline.json", "1",
     "timeline.json", down},
    {"--require-fit", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set gpu.memory=1GB", "",
     "", fails},
    {"--help", kSmall, "", "stdout", changed},

    // Keys of a cluster.
    {"summary", kSmall, "another", "/sources/cluster", changed},
    {"cluster.nodes", kAllNodes, "8", "/gpus", down},
    {"cluster.gpus_per_node", kSmall, "2", "/gpus", down},
    {"cluster.speed_spread", kSmall, "0.1", kStep, up},
    {"gpu.name", kSmall, "another", "/sources/gpu", changed},
    // The peak stays: half as many SMs, each twice as fast, leave fewer idle in the last wave.
    {"gpu.multiprocessors", kSmall, "54", kCompute, down},
    {"gpu.bf16", kSmall, "100TFLOPs", kCompute, up},
    {"gpu.fp8", kFp8, "1000TFLOPs", kCompute, up},
    {"gpu.fp4",
     "--topology dgx_b200 --model llama_2_7b --set model.layers=2 --nodes 1 --zero 3 --precision "
     "nvfp4",
     "5000TFLOPs", kCompute, up},
    {"gpu.fused_attention", kSharded, "0.9", kCompute, down},
    {"gpu.fp32", kSmall, "100GFLOPs", "/optimizer_s", up},
    {"gpu.memory", kSmall, "1GB", "/fits_memory", changed},
    {"gpu.memory_bandwidth", kSmall, "3TBps", "/optimizer_s", down},
    {"gpu.memory_efficiency", kSmall, "0.5", "/optimizer_s", up},
    {"gpu.launch_latency", kSmall, "20us", kCompute, up},
    {"gpu.price", kSmall, "5USD/h", "/usd_per_million_tokens", up},
    {"gpu.power", kSmall, "800W", "/energy_j", up},
    {"gpu.power_limit", kSmall, "200W", kCompute, up},
    // A GPU's one port into a switch, in place of a link to each of three others.
    {"nvlink.kind", kCompressed, "switched", kExposed, up},
    {"nvlink.bandwidth", kSmall, "1GBps", kExposed, up},
    {"nvlink.gpus_per_bridge", kBridges, "4", kExposed, up},
    {"nvlink.bridge_bandwidth", kBridges, "1GBps", kExposed, up},
    {"nvlink.gpus_per_socket", kSockets, "8", kExposed, down},
    {"nvlink.socket_bandwidth", kSockets, "10TBps", kExposed, down},
    {"network.far_gpus", kNearNics, "[0]", kExposed, up},
    {"network.far_bandwidth", kFarNic, "10GBps", kExposed, down},
    {"nvlink.efficiency", kSmall, "0.01", kExposed, up},
    {"nvlink.latency", kSimple, "1ms", kExposed, up},
    {"nvlink.transport", kSwitched, "nvlink3", kExposed, up},
    {"nvlink.ll_efficiency", kLl, "0.0001", kExposed, up},
    {"nvlink.ll_latency", kLl, "1ms", kExposed, up},
    {"nvlink.ll128_efficiency", kLl128, "0.0001", kExposed, up},
    {"nvlink.ll128_latency", kLl128, "1ms", kExposed, up},
    {"nvlink.nvls_efficiency", kNvls, "0.0001", kExposed, up},
    {"nvlink.nvls_latency", kNvls, "10ms", kExposed, up},
    {"nvlink.nvls_channels", kNvls, "1024", kExposed, up},
    {"nvlink.nvls_chunk_overhead", kNvls, "10MB", kExposed, up},
    {"nvlink.pairs_channel_efficiency", kPairs, "0.0001", kExposed, up},
    {"nvlink.pairs_efficiency", kPairs, "0.0001", kExposed, up},
    {"nvlink.pairs_latency", kPairs, "10ms", kExposed, up},
    {"nvlink.ll_pairs_efficiency", kLlPairs, "0.0001", kExposed, up},
    {"nvlink.ll_pairs_latency", kLlPairs, "10ms", kExposed, up},
    {"nvlink.ll_pairs_channel_efficiency", kLlPairs, "0.00001", kExposed, up},
    {"network.sharp_efficiency", kSharp, "0.01", kExposed, up},
    {"network.sharp_latency", kSharp, "10ms", kExposed, up},
    {"collectives.message", kMessages, "1ms", kExposed, up},
    // Two GPUs have the uplinks of all eight NICs of a fat tree's leaf.
    {"network.fabric", kTwoRails, "fat_tree_2level", kExposed, down},
    {"network.nics_per_node", kSmall, "1", kExposed, up},
    {"network.nic_bandwidth", kSmall, "1Gbps", kExposed, up},
    {"network.efficiency", kSmall, "0.1", kExposed, up},
    {"network.latency", kSimpleBetween, "1ms", kExposed, up},
    {"network.transport", kBetweenTwo, "tcpxo", kExposed, up},
    {"network.ll_efficiency", kLlBetween, "0.0001", kExposed, up},
    {"network.ll_latency", kLlBetween, "1ms", kExposed, up},
    {"network.ll128_efficiency", kLl128Between, "0.0001", kExposed, up},
    {"network.ll128_latency", kLl128Between, "1ms", kExposed, up},
    {"network.gpu_nic", kCompressed, "[0,0,0,0]", kExposed, up},
    {"network.switch_latency", kLeaves, "1ms", kExposed, up},
    {"network.nodes_per_leaf", kTwoRails, "2", kExposed, down},
    {"network.oversubscription", kLeaves, "16", kExposed, up},
    {"network.leaves_per_pod", kPods, "2", kExposed, down},
    {"network.pod_oversubscription", kPods, "16", kExposed, up},
    {"network.load_balance", kScattered, "ecmp", kExposed, up},
    {"network.uplink_bandwidth", kHashed, "800Gbps", kExposed, down},
    {"network.uplink_efficiency", kSprayed, "0.5", kExposed, up},
    {"network.queue_pairs", kHashed, "32", kExposed, down},
    {"network.ecmp_seed", kHashed, "1", kExposed, changed},
    {"network.dimensions", kTorus, "[4,4]", kExposed, down},
    {"network.link_bandwidth", kTorus, "1Gbps", kExposed, up},
    {"network.nodes_per_router", kDragonfly, "16", kExposed, down},
    {"network.routers_per_group", kDragonfly, "4", kExposed, up},
    {"network.groups", kDragonfly, "8", kExposed, up},
    {"network.global_links", kDragonfly, "3", kExposed, up},
    {"network.routing", kDragonfly, "valiant", kExposed, up},
    {"network.node_price", kSmall, "1USD/h", "/usd_per_million_tokens", up},
    {"network.port_price", kSmall, "1USD/h", "/usd_per_million_tokens", up},
    {"network.bandwidth_price", kSmall, "1USD/h/Tbps", "/usd_per_million_tokens", up},
    {"collectives.channels", kSmall, "1", kExposed, up},
    {"collectives.launch", kSimple, "1ms", kExposed, up},
    {"collectives.ll_launch", kLl, "1ms", kExposed, up},
    {"collectives.ll128_launch", kLl128, "1ms", kExposed, up},
    {"collectives.protocol", kSwitched, "ll", kExposed, up},
    {"collectives.algorithm", kUnsharded, "tree", kExposed, up},
    {"fitted.network_efficiency", kSmall, "0.1", kExposed, up},
    {"fitted.communicator_bandwidth", kSmall, "1GBps", kExposed, up},
    {"fitted.compute_efficiency", kSmall, "0.5", kCompute, up},
    {"fitted.host_slowdown", kSmall, "4", "/host_s", up},
    {"fitted.rows",
     "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set fitted.compute_efficiency=0.5",
     "[\"a\"]", "/sources/gpu.compute_efficiency", changed},

    // Keys of a model. "summary" is a cluster's for --set; the file's test has the model's.
    {"model.layers", kSmall, "24", kCompute, up},
    {"model.hidden", kSmall, "1536", kCompute, up},
    {"model.heads", "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.kv_heads=6",
     "6", kCompute, down},
    {"model.head_width", kSmall, "128", kCompute, up},
    {"model.kv_heads", kSmall, "4", kWeights, down},
    {"model.feed_forward", kSmall, "6144", kCompute, up},
    {"model.feed_forward_kind", kSmall, "swiglu", kCompute, up},
    {"model.norm", kSmall, "rms_norm", kWeights, down},
    {"model.query_key_norm", kSmall, "true", kCompute, up},
    // A bias of each score, in place of a rotation of each query and key.
    {"model.positions", "--topology sdp4bit_a100 --model llama_2_7b --nodes 2 --set model.layers=2",
     "alibi", kCompute, up},
    {"model.position_table", kSmall, "4096", kWeights, up},
    {"model.biases", kSmall, "qkv", kWeights, down},
    {"model.dropout", kSmall, "false", kCompute, down},
    {"model.tied_embeddings", kSmall, "false", kWeights, up},
    {"model.vocabulary", kSmall, "100608", "/memory_by_part_bytes/head", up},
    {"model.sequence", kSmall, "1024", kActivations, down},
    {"model.causal", kSmall, "false", kFlopCausal, up},
    {"model.norm_place", kSmall, "both", kCompute, up},
    {"model.blocks", kSmall, "parallel", kParameters, down},
    {"model.head_bias", kSmall, "true", kWeights, up},
    {"model.embedding_norm", kSmall, "true", kParameters, up},
    {"model.attention_cap", kSmall, "true", kCompute, up},
    {"model.logit_cap", kSmall, "true", kCompute, up},
    {"model.logit_scale", kSmall, "true", kCompute, up},
    {"model.sinks", kSmall, "true", kParameters, up},
    {"model.attention_dropout", kSmall, "false", kCompute, down},
    {"model.rotary_share", kRotary, "0.5", kCompute, down},
    {"model.query_key_norm_weights", kNormed, "all_heads", kParameters, up},
    {"model.order", kWindows, "full", kFlopCausal, up},
    {"model.window", kWindows, "256", kFlopCausal, up},
    {"model.window_kind", kWindows, "chunked", kFlopCausal, down},
    {"model.predictions", kSmall, "1", kCompute, up},
    {"model.prediction", kWindowsAhead, "full", kFlopCausal, up},
    // Layers of a kind: latent attention and experts, Mamba-2, patches.
    {"model.latent.rank", kLatent, "256", kParameters, down},
    {"model.latent.query_rank", kLatent, "256", kParameters, down},
    {"model.latent.rope_width", kLatent, "32", kParameters, up},
    {"model.latent.value_width", kLatent, "64", kParameters, down},
    {"model.experts.count", kLatent, "32", kParameters, down},
    {"model.experts.top_k", kLatent, "8", kCompute, up},
    {"model.experts.width", kLatent, "704", kParameters, down},
    {"model.experts.shared_width", kLatent, "1408", kCompute, down},
    {"model.experts.shared_gate", kLatent, "true", kParameters, up},
    {"model.experts.router_bias", kLatent, "true", kParameters, up},
    {"model.experts.latent_width", kLatent, "1024", kParameters, down},
    // Where all experts are on each rank.
    {"model.experts.groups", kLatent, "8", kStep, same},
    {"model.experts.top_groups", kGrouped, "2", kStep, same},
    // Two groups, each of which lies on a node.
    {"model.experts.groups", kDeepep, "2", kExpertBytesBetween, down},
    {"model.experts.top_groups",
     "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
     "--attention fused --ep 16 --set model.experts.count=16 --dispatcher deepep "
     "--set model.experts.groups=2",
     "2", kExpertBytesBetween, up},
    {"model.mamba.heads", kMamba, "32", kParameters, down},
    {"model.mamba.head_width", kMamba, "32", kParameters, down},
    {"model.mamba.state", kMamba, "64", kParameters, down},
    {"model.mamba.groups", kMamba, "4", kParameters, down},
    {"model.mamba.kernel", kMamba, "8", kParameters, up},
    {"model.mamba.chunk", kMamba, "256", kCompute, changed},
    {"model.vision.patch_values", kPatches, "64", kParameters, up},
    {"model.vision.outputs", kPatches, "16", kParameters, down},
    {"model.vision.of_patches", kPatches, "false", kFlop, down},
    {"model.vision.extra_tokens", kPatches, "1", kParameters, up},
    {"model.vision.frequencies", kPatches, "512", kParameters, up},
    {"model.vision.conditions", kPatches, "2002", kParameters, up},

    // Settings of a scheme: a larger group has fewer scales.
    {"scheme.weight_group", kCompressed, "128", kBetween, up},
    {"scheme.intra_group", kCompressed, "1024", kInside, down},
    {"scheme.inter_group", kCompressed, "1024", kBetween, down},
    {"scheme.slices", kCompressed, "1", "/gradient_exchange_s", changed},
    {"scheme.fused_hadamard", kCompressed, "false", "/codec_s", up},
    {"scheme.factor_rank", kLowRank, "8", kBetween, up},
};

}  // namespace

std::span<const Knob> all_knobs() { return kKnobs; }

void PrintTo(const Knob& knob, std::ostream* out) {
  *out << knob.name << " " << knob.value << " after " << knob.base;
}

}  // namespace apps_tests
