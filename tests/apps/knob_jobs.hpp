// SPDX-License-Identifier: Apache-2.0
// Jobs with which knobs are turned, and the figures of their reports that these move.
#pragma once

#include <string_view>

namespace apps_tests::knob_jobs {

// Two nodes of four A100; the same with the scheme that has every setting.
inline constexpr std::string_view kSmall = "--topology sdp4bit_a100 --model gpt_125m --nodes 2";
inline constexpr std::string_view kFailing =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --reliability rsc1_a100";
inline constexpr std::string_view kUnsharded =
    "--topology sdp4bit_a100 --model gpt_125m --zero 0 --scheme data_parallel --overlap none";
inline constexpr std::string_view kAllNodes = "--topology sdp4bit_a100 --model gpt_125m";
inline constexpr std::string_view kCompressed =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sdp4bit";
// By hosts, with a core for each GPU.
inline constexpr std::string_view kOnHosts =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sdp4bit --host-codecs "
    "amd_epyc_milan --set host.cores=8";
inline constexpr std::string_view kLowRank =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme power_sgd";
inline constexpr std::string_view kTwoSchemes =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --scheme sharded,sdp4bit";
// Rail-optimised; a leaf of its own for each node, so that traffic between nodes climbs to a spine.
inline constexpr std::string_view kLeaves =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --set network.nodes_per_leaf=1";
// Two rails, each with leaves of its own, whose uplinks carry an eighth of their NICs.
inline constexpr std::string_view kTwoRails =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --gpus-per-node 2 "
    "--set network.nodes_per_leaf=1 --set network.oversubscription=8";
// A node without NVLink, whose bridges or whose sockets bound an all_to_all.
inline constexpr std::string_view kBridges =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --set nvlink.kind=pcie "
    "--set nvlink.gpus_per_bridge=2 --set nvlink.gpus_per_socket=4 "
    "--set nvlink.socket_bandwidth=10TBps";
inline constexpr std::string_view kSockets =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --set nvlink.kind=pcie "
    "--set nvlink.gpus_per_bridge=2 --set nvlink.gpus_per_socket=4 "
    "--set nvlink.socket_bandwidth=1GBps";
// A GPU whose NIC is on another socket, which is not, or is, among those in use.
inline constexpr std::string_view kNearNics =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --gpus-per-node 4 "
    "--set network.far_gpus=[7] --set network.far_bandwidth=1GBps";
inline constexpr std::string_view kFarNic =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --set network.far_gpus=[0] "
    "--set network.far_bandwidth=1GBps";
// Two pods of one leaf of one node.
inline constexpr std::string_view kPods =
    "--topology dgx_a100_x16 --model gpt_125m --nodes 2 --set network.fabric=fat_tree_3level "
    "--set network.nodes_per_leaf=1 --set network.leaves_per_pod=1 "
    "--set network.pod_oversubscription=8";
// One ring of 16 nodes with all pairs of them.
inline constexpr std::string_view kTorus =
    "--topology aws_p4d --model gpt_125m --scheme sdp4bit --set network.fabric=torus "
    "--set network.switch_latency=1us --set network.dimensions=[16]";
// Four groups of one router with two links to each other one.
inline constexpr std::string_view kDragonfly =
    "--topology aws_p4d --model gpt_125m --scheme sdp4bit --set network.fabric=dragonfly "
    "--set network.switch_latency=1us --set network.nodes_per_router=4 "
    "--set network.routers_per_group=1 --set network.global_links=7 --set network.routing=minimal";

// Models of which each has a kind of layers.
inline constexpr std::string_view kRotary =
    "--topology sdp4bit_a100 --model llama_2_7b --nodes 2 --set model.layers=2";
inline constexpr std::string_view kNormed =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.query_key_norm=true";
inline constexpr std::string_view kWindows =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.window=128 "
    "--set model.order=window";
inline constexpr std::string_view kWindowsAhead =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --set model.window=128 "
    "--set model.order=window --set model.predictions=1";
inline constexpr std::string_view kLatent =
    "--topology dgx_h100_x16 --model deepseek_v2_lite --nodes 2 --set model.layers=3";
inline constexpr std::string_view kGrouped =
    "--topology dgx_h100_x16 --model deepseek_v2_lite --nodes 2 --set model.layers=3 "
    "--set model.experts.groups=8";
// Experts on one rank each, two nodes of ranks that hold the same ones.
inline constexpr std::string_view kExpertsAlike =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused";
inline constexpr std::string_view kExpertsApart =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 8";
inline constexpr std::string_view kSkewed =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 4 --routing random";
inline constexpr std::string_view kDeepep =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 16 --set model.experts.count=16 --dispatcher deepep";
inline constexpr std::string_view kSplitExperts =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 2 --tp 2 --sequence-parallel on";
inline constexpr std::string_view kSharedExpert =
    "--topology dgx_h100_x16 --model deepseek_v2_lite --nodes 2 --set model.layers=3 --attention "
    "fused --ep 16";
inline constexpr std::string_view kManyBatches =
    "--topology dgx_h100_x16 --model mixtral_8x7b --nodes 2 --set model.layers=2 --sequence 4096 "
    "--attention fused --ep 16 --set model.experts.count=16 --accumulation 8";
// Attention in parts.
inline constexpr std::string_view kFused =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --attention fused";
inline constexpr std::string_view kParts =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --attention fused --cp 4";
inline constexpr std::string_view kMamba =
    "--topology dgx_h100_x16 --model nemotron_3_nano --nodes 2 --set model.layers=2";
inline constexpr std::string_view kPatches = "--topology dgx_h100_x16 --model dit_xl --nodes 1";
// Fully sharded; and with kernels that FP8 makes faster, two layers of a larger model.
inline constexpr std::string_view kSharded =
    "--topology sdp4bit_a100 --model gpt_125m --nodes 2 --zero 3";
inline constexpr std::string_view kWide =
    "--topology dgx_h100_x16 --model llama_2_7b --set model.layers=2 --nodes 1 --zero 3";
inline constexpr std::string_view kFp8 =
    "--topology dgx_h100_x16 --model llama_2_7b --set model.layers=2 --nodes 1 --zero 3 "
    "--precision fp8";

// Eight GPUs with protocols and sums in the switch; and two nodes of one GPU each.
inline constexpr const char* kByNccl =
    "--topology dgx_h100_x16 --model gpt_350m --nodes 2 --tp 16 --sequence 96 --nccl 2.28";
inline constexpr std::string_view kSwitched =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3";
inline constexpr std::string_view kSimple =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3 --protocol simple";
inline constexpr std::string_view kLl =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3 --protocol ll";
inline constexpr std::string_view kLl128 =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 3 --protocol ll128";
inline constexpr std::string_view kNvls =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --zero 0 --scheme data_parallel "
    "--algorithm nvls";
inline constexpr std::string_view kPairs =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --protocol simple";
inline constexpr std::string_view kLlPairs =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 1 --scheme sdp4bit --protocol ll";
// All pairs of sixteen GPUs; and sums in the network.
inline constexpr std::string_view kMessages =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --scheme sharded_all_to_all --algorithm "
    "pairwise";
inline constexpr std::string_view kSharp =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --zero 0 --scheme data_parallel "
    "--set network.sharp_efficiency=0.9 --set network.sharp_latency=20us --algorithm sharp";
inline constexpr std::string_view kBetweenTwo =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3";
inline constexpr std::string_view kSimpleBetween =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3 "
    "--protocol simple";
inline constexpr std::string_view kLlBetween =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3 --protocol ll";
inline constexpr std::string_view kLl128Between =
    "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --gpus-per-node 1 --zero 3 "
    "--protocol ll128";

// On leaves, scattered, so that every ring crosses their uplinks.
inline constexpr std::string_view kScattered =
    "--topology roce_a100_2to1 --model gpt_125m --zero 3 --node-placement scattered";
inline constexpr std::string_view kHashed =
    "--topology roce_a100_2to1 --model gpt_125m --zero 3 --node-placement scattered "
    "--set network.load_balance=ecmp";
inline constexpr std::string_view kSprayed =
    "--topology roce_a100_2to1 --model gpt_125m --zero 3 --node-placement scattered "
    "--set network.load_balance=adaptive --set network.uplink_efficiency=0.9";

inline constexpr std::string_view kStep = "/step_time_s";
inline constexpr std::string_view kCompute = "/compute_s";
inline constexpr std::string_view kExposed = "/exposed_comm_s";
inline constexpr std::string_view kBetween = "/wire_bytes_inter_node";
inline constexpr std::string_view kInside = "/wire_bytes_intra_node";
inline constexpr std::string_view kParameters = "/parameters";
inline constexpr std::string_view kFlop = "/flop_per_token", kFlopCausal = "/flop_per_token_causal";
inline constexpr std::string_view kWeights = "/memory_by_part_bytes/weights";
inline constexpr std::string_view kActivations = "/memory_by_part_bytes/attention_activations";

inline constexpr std::string_view kExpertWeights = "/memory_by_part_bytes/expert_weights";
inline constexpr std::string_view kExpertBytes = "/wire_bytes_by_phase/expert_comm/intra_node";
inline constexpr std::string_view kExpertBytesBetween =
    "/wire_bytes_by_phase/expert_comm/inter_node";
inline constexpr std::string_view kContextBytes = "/wire_bytes_by_phase/context_comm/intra_node";

}  // namespace apps_tests::knob_jobs
