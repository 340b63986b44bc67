// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster file.
#include "sim/topology/cluster.hpp"

namespace sim {
namespace {

constexpr TomlKey kClusterKeys[] = {
    {"summary", "string", "", "One-line description, shown by `gardenhose list topologies`."},
    {"cluster.nodes", "whole number from 1 to 65536", "", "Nodes in the cluster."},
    {"cluster.gpus_per_node", "whole number from 1 to 1024", "", "GPUs in each node."},
    {"cluster.speed_spread", "number above 0 and at most 1", "0",
     "Standard deviation of the speed of matrix products across GPUs, divided by the mean. If "
     "omitted, all GPUs are equally fast.",
     "0.02"},
    {"gpu.name", "string", "",
     "The GPU's name as CUDA reports it. A calibration applies if its `gpu` has the same value."},
    {"gpu.multiprocessors", "whole number from 1 to 1024", "",
     "Streaming multiprocessors (SMs). The channels of a collective occupy some of them."},
    {"gpu.bf16", "rate of floating-point operations above 0", "",
     "Peak rate of the tensor cores in BF16, dense."},
    {"gpu.fp8", "rate of floating-point operations above 0", "none: FP8 and MXFP8 are unavailable",
     "Peak rate of the tensor cores in FP8 and MXFP8, dense."},
    {"gpu.fp4", "rate of floating-point operations above 0", "none: NVFP4 is unavailable",
     "Peak rate of the tensor cores in NVFP4, dense."},
    {"gpu.fused_attention", "number above 0 and at most 1",
     "none: fused attention runs at the rate of other matrix products",
     "Fraction of the BF16 peak that fused causal attention achieves, forward and backward."},
    {"gpu.fp32", "rate of floating-point operations above 0", "",
     "Peak FP32 rate of the vector units, which run the optimizer.", "67 TFLOPs"},
    {"gpu.memory", "size above 0", "", "Memory capacity."},
    {"gpu.memory_bandwidth", "bandwidth above 0", "",
     "Memory bandwidth from the data sheet, reads plus writes.", "3350 GBps"},
    {"gpu.memory_efficiency", "number above 0 and at most 1", "",
     "Fraction of `memory_bandwidth` that copying large buffers achieves.", "0.9"},
    {"gpu.launch_latency", "time", "",
     "Gap between the end of one kernel and the start of the next on the same stream.", "2 us"},
    {"gpu.price", "price per hour", "",
     "Price of one GPU, including its share of the node and of everything that is billed with the "
     "node."},
    {"gpu.power", "power", "", "Power of one GPU under load."},
    {"nvlink.kind", "one of switched, full_mesh", "",
     "`switched`: each GPU has one port of `bandwidth` into a non-blocking switch. `full_mesh`: "
     "each ordered pair of GPUs has its own link of `bandwidth`; at most 8 GPUs."},
    {"nvlink.bandwidth", "bandwidth above 0", "",
     "Bandwidth per direction of a GPU's port (`switched`) or of a pair's link (`full_mesh`).",
     "450 GBps"},
    {"nvlink.efficiency", "number above 0 and at most 1", "",
     "Fraction of `bandwidth` that a collective on large buffers achieves.", "0.9"},
    {"nvlink.latency", "time", "",
     "Latency of one step of a collective between two GPUs in a node."},
    {"network.fabric", "one of single_switch, rail_optimized, fat_tree_2level, fat_tree_3level", "",
     "`single_switch`: all NICs on one non-blocking switch. `rail_optimized`: the r-th NICs of "
     "`nodes_per_leaf` nodes share a leaf switch, and spines join the leaves. `fat_tree_2level`: "
     "all NICs of `nodes_per_leaf` nodes share a leaf switch, and spines join the leaves. "
     "`fat_tree_3level`: pods of `leaves_per_pod` leaves, joined by core switches."},
    {"network.nics_per_node", "whole number from 1 to 1024", "", "NICs in each node."},
    {"network.nic_bandwidth", "bandwidth above 0", "", "Bandwidth of one NIC, per direction."},
    {"network.efficiency", "number above 0 and at most 1", "",
     "Fraction of `nic_bandwidth` that a collective on large buffers achieves.", "0.9"},
    {"network.latency", "time", "",
     "Latency of one step of a collective between two nodes on the same switch."},
    {"network.gpu_nic", "list of whole numbers",
     "GPU g uses NIC g * nics_per_node / gpus_per_node, rounded down",
     "NIC of each GPU in a node, counted from 0: one entry per GPU."},
    {"network.switch_latency", "time", "required unless the fabric is single_switch",
     "Latency that each further switch on the path adds."},
    {"network.nodes_per_leaf", "whole number from 1 to 65536",
     "required unless the fabric is single_switch",
     "Nodes per leaf switch; must divide the number of nodes or be at least as large."},
    {"network.oversubscription", "number from 1 to 1000",
     "required unless the fabric is single_switch",
     "Ratio of a leaf's downlink capacity (to its nodes) to its uplink capacity (to the spines); 1 "
     "is non-blocking."},
    {"network.leaves_per_pod", "whole number from 1 to 65536", "required with fat_tree_3level",
     "Leaf switches per pod."},
    {"network.pod_oversubscription", "number from 1 to 1000", "required with fat_tree_3level",
     "Ratio of a pod's downlink capacity (to its leaves) to its uplink capacity (to the core "
     "switches)."},
    {"network.node_price", "price per hour", "none",
     "Price of the network per node, regardless of its number of NICs, on top of `gpu.price`."},
    {"network.port_price", "price per hour", "none",
     "Price of one NIC, including its cable and its share of the switches, on top of `gpu.price`."},
    {"network.bandwidth_price", "price of bandwidth", "none",
     "Price of a NIC's bandwidth, on top of `port_price`."},
    {"collectives.channels", "whole number from 1 to 1024", "",
     "Channels per communicator. Each channel is a ring and occupies one SM."},
    {"collectives.launch", "time", "",
     "Fixed cost of one collective, regardless of its size and number of ranks."},
    {"collectives.algorithm", "one of ring, tree", "ring",
     "Algorithm of all_reduce. `tree`: NCCL's double binary tree over the nodes, with a chain of "
     "the GPUs inside each node. The other collectives do not depend on this key."},
    {"fitted.network_efficiency", "number above 0 and at most 1", "1",
     "Additional factor applied to the bandwidth after `network.efficiency`; fitted to "
     "measurements."},
    {"fitted.communicator_bandwidth", "bandwidth above 0", "no limit",
     "Measured limit on the bandwidth at which one communicator can send out of a node."},
    {"fitted.compute_efficiency", "number above 0 and at most 1",
     "the efficiency of published runs on this kind of GPU",
     "Measured fraction of the roofline that operators achieve."},
    {"fitted.rows", "list of strings", "none: the constants are treated as if set by hand",
     "Names (as in `gardenhose validate`) of the published rows to which these constants were "
     "fitted."},
};

}  // namespace

std::span<const TomlKey> cluster_keys() { return kClusterKeys; }

}  // namespace sim
