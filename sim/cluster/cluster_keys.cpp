// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster file.
#include "sim/cluster/cluster.hpp"

namespace sim {
namespace {

constexpr TomlKey kClusterKeys[] = {
    {"summary", "text", "", "One line for `gardenhose list topologies`."},
    {"cluster.nodes", "whole number from 1 to 65536", "", "Nodes in the cluster."},
    {"cluster.gpus_per_node", "whole number from 1 to 1024", "", "GPUs in each node."},
    {"cluster.speed_spread", "number above 0, at most 1", "0",
     "Standard deviation of the speed of matrix products from GPU to GPU, divided by the mean. "
     "Without the key all GPUs are equally fast."},
    {"gpu.name", "text", "",
     "The GPU's name as CUDA reports it. A calibration applies where its `gpu` is this name."},
    {"gpu.multiprocessors", "whole number from 1 to 1024", "",
     "Streaming multiprocessors (SMs). The channels of a collective occupy some of them."},
    {"gpu.bf16", "rate of floating-point operations above 0", "",
     "Peak of the tensor cores in BF16, dense."},
    {"gpu.fp8", "rate of floating-point operations above 0", "none: FP8 and MXFP8 are refused",
     "Peak of the tensor cores in FP8 and MXFP8, dense."},
    {"gpu.fp4", "rate of floating-point operations above 0", "none: NVFP4 is refused",
     "Peak of the tensor cores in NVFP4, dense."},
    {"gpu.fused_attention", "number above 0, at most 1",
     "none: fused attention runs as any other matrix product",
     "Share of the BF16 peak that fused attention reaches, causal, forward and backward."},
    {"gpu.fp32", "rate of floating-point operations above 0", "",
     "Peak of the vector units in FP32. The optimizer runs on them."},
    {"gpu.memory", "size above 0", "", "Memory capacity."},
    {"gpu.memory_bandwidth", "bandwidth above 0", "",
     "Memory bandwidth of the data sheet, reads plus writes."},
    {"gpu.memory_efficiency", "number above 0, at most 1", "",
     "Share of `memory_bandwidth` that a copy of large buffers reaches."},
    {"gpu.launch_latency", "time", "",
     "Gap between the end of one kernel and the start of the next on the same stream."},
    {"gpu.price", "price per hour", "",
     "Price of one GPU, including its share of the node and whatever else the hosting price "
     "covers."},
    {"gpu.power", "power", "", "Power of one GPU under load."},
    {"nvlink.kind", "one of switched, full_mesh", "",
     "`switched`: each GPU has one port of `bandwidth` into a non-blocking switch. `full_mesh`: "
     "each ordered pair of GPUs has its own link of `bandwidth`; at most 8 GPUs."},
    {"nvlink.bandwidth", "bandwidth above 0", "",
     "Per direction: of a GPU's port (`switched`) or of a pair's link (`full_mesh`)."},
    {"nvlink.efficiency", "number above 0, at most 1", "",
     "Share of `bandwidth` that a collective of large buffers reaches."},
    {"nvlink.latency", "time", "",
     "Latency of one step of a collective between two GPUs of a node."},
    {"network.fabric", "one of single_switch, rail_optimized, fat_tree_2level, fat_tree_3level", "",
     "`single_switch`: all NICs on one non-blocking switch. `rail_optimized`: NIC r of "
     "`nodes_per_leaf` nodes on one leaf, leaves joined by spines. `fat_tree_2level`: all NICs of "
     "`nodes_per_leaf` nodes on one leaf, leaves joined by spines. `fat_tree_3level`: pods of "
     "`leaves_per_pod` such leaves, joined by core switches."},
    {"network.nics_per_node", "whole number from 1 to 1024", "", "NICs in each node."},
    {"network.nic_bandwidth", "bandwidth above 0", "", "Bandwidth of one NIC, per direction."},
    {"network.efficiency", "number above 0, at most 1", "",
     "Share of `nic_bandwidth` that a collective of large buffers reaches."},
    {"network.latency", "time", "",
     "Latency of one step of a collective between two nodes on the same switch."},
    {"network.gpu_nic", "list of whole numbers",
     "GPU g uses NIC g * nics_per_node / gpus_per_node, rounded down",
     "The NIC of each GPU of a node, counted from 0: one entry per GPU."},
    {"network.switch_latency", "time", "needed unless the fabric is single_switch",
     "Latency of each further switch on the way."},
    {"network.nodes_per_leaf", "whole number from 1 to 65536",
     "needed unless the fabric is single_switch",
     "Nodes on one leaf switch. It divides the number of nodes or is at least as large."},
    {"network.oversubscription", "number from 1 to 1000",
     "needed unless the fabric is single_switch",
     "Capacity of a leaf towards its nodes divided by its capacity towards the spines; 1 is "
     "non-blocking."},
    {"network.leaves_per_pod", "whole number from 1 to 65536", "needed with fat_tree_3level",
     "Leaf switches in one pod."},
    {"network.pod_oversubscription", "number from 1 to 1000", "needed with fat_tree_3level",
     "Capacity of a pod towards its leaves divided by its capacity towards the core switches."},
    {"network.node_price", "price per hour", "none",
     "Price of the network per node, whatever the number of its NICs, on top of `gpu.price`."},
    {"network.port_price", "price per hour", "none",
     "Price of one NIC with its cable and its share of the switches, on top of `gpu.price`."},
    {"network.bandwidth_price", "price of bandwidth", "none",
     "Price of a NIC's bandwidth, on top of `port_price`."},
    {"collectives.channels", "whole number from 1 to 1024", "",
     "Channels of one communicator: a ring each, on an SM each."},
    {"collectives.launch", "time", "",
     "Fixed cost of one collective, whatever its size and number of ranks."},
    {"fitted.network_efficiency", "number above 0, at most 1", "1",
     "Measured share of the bandwidth that `network.efficiency` leaves."},
    {"fitted.communicator_bandwidth", "bandwidth above 0", "no cap",
     "Measured cap on the traffic of one communicator out of a node."},
    {"fitted.compute_efficiency", "number above 0, at most 1",
     "what published runs on such GPUs reached",
     "Measured share of the roofline that an operator reaches."},
    {"fitted.rows", "list of texts", "none: typed by hand",
     "Published rows that these constants were fitted on, as `gardenhose validate` names them. "
     "Reports count them as fitted."},
};

}  // namespace

std::span<const TomlKey> cluster_keys() { return kClusterKeys; }

}  // namespace sim
