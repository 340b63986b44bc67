// SPDX-License-Identifier: Apache-2.0
// The keys of a cluster file.
#include "sim/topology/cluster_fields.hpp"

namespace sim {
namespace {

constexpr TomlKey kNetworkKeys[] = {
    {"network.fabric",
     "one of single_switch, rail_optimized, rail_spine, fat_tree_2level, fat_tree_3level, torus, "
     "dragonfly",
     "",
     "`single_switch`: all NICs on one non-blocking switch. `rail_optimized`: the r-th NICs of "
     "`nodes_per_leaf` nodes share a leaf switch, and spines join the leaves; messages between "
     "rails cross NVLink "
     "first. `rail_spine`: the same, but messages between rails cross the spines. "
     "`fat_tree_2level`: "
     "all NICs of `nodes_per_leaf` nodes share a leaf switch, and spines join the leaves. "
     "`fat_tree_3level`: pods of `leaves_per_pod` leaves, joined by core switches. `torus`: each "
     "node is joined to its neighbours in a ring along each of `dimensions`. `dragonfly`: groups "
     "of routers that are joined all to all, and global links between all groups."},
    {"network.nics_per_node", "whole number from 1 to 1024", "", "NICs in each node."},
    {"network.nic_bandwidth", "bandwidth above 0", "", "Bandwidth of one NIC, per direction."},
    {"network.transport",
     "one of infiniband, roce, slingshot10, slingshot11, efav1, efav2, efav3, tcpx, tcpxo, tcp",
     "none",
     "Kind of network as NCCL drives it. Gives every `latency` and `efficiency` of this table that "
     "the file leaves out."},
    {"network.efficiency", "number above 0 and at most 1", "",
     "Fraction of `nic_bandwidth` that a collective on large buffers achieves.", "0.9"},
    {"network.latency", "time", "",
     "Latency of one step of a collective between two nodes on the same switch (Simple protocol)."},
    {"network.ll_efficiency", "number above 0 and at most 1", "that of the transport",
     "Fraction of `nic_bandwidth` that the LL protocol achieves.", "0.2"},
    {"network.ll_latency", "time", "that of the transport",
     "Latency of one step by the LL protocol."},
    {"network.ll128_efficiency", "number above 0 and at most 1", "that of the transport",
     "Fraction of `nic_bandwidth` that the LL128 protocol achieves.", "0.8"},
    {"network.ll128_latency", "time", "that of the transport",
     "Latency of one step by the LL128 protocol."},
    {"network.sharp_efficiency", "number above 0 and at most 1", "none: switches do not add",
     "Fraction of `nic_bandwidth` that an all_reduce reaches whose sums the switches make (SHARP). "
     "Not with a torus or a dragonfly.",
     "0.9"},
    {"network.sharp_latency", "time", "none: switches do not add",
     "Fixed cost of such an all_reduce on one switch, beyond `collectives.launch`.", "20 us"},
    {"network.gpu_nic", "list of whole numbers",
     "GPU g uses NIC g * nics_per_node / gpus_per_node, rounded down",
     "NIC of each GPU in a node, counted from 0: one entry per GPU."},
    {"network.far_gpus", "list of whole numbers", "none",
     "GPUs of a node whose NIC is on another socket, counted from 0.", "[0]"},
    {"network.far_bandwidth", "bandwidth above 0", "required with far_gpus",
     "Bandwidth that each of `far_gpus` achieves to its NIC, per direction."},
    {"network.switch_latency", "time", "required unless the fabric is single_switch",
     "Latency that each further switch on the path adds; in a torus, each node that a message "
     "passes."},
    {"network.nodes_per_leaf", "whole number from 1 to 65536", "required with rails and fat trees",
     "Nodes per leaf switch; the last leaf may have fewer."},
    {"network.oversubscription", "number from 1 to 1000", "required with rails and fat trees",
     "Ratio of a leaf's downlink capacity (to its nodes) to its uplink capacity (to the spines); 1 "
     "is non-blocking."},
    {"network.leaves_per_pod", "whole number from 1 to 65536", "required with fat_tree_3level",
     "Leaf switches per pod; the last pod may have fewer."},
    {"network.pod_oversubscription", "number from 1 to 1000", "required with fat_tree_3level",
     "Ratio of a pod's downlink capacity (to its leaves) to its uplink capacity (to the core "
     "switches)."},
    {"network.load_balance", "one of ideal, ecmp, adaptive", "ideal",
     "How a switch spreads messages over its links to the next level. `ideal`: evenly, as if they "
     "were one link. `ecmp`: a hash of each connection chooses one link, and connections collide. "
     "`adaptive`: packet by packet, evenly, with `uplink_efficiency`. In a dragonfly, `ecmp` "
     "chooses among the links that join two groups."},
    {"network.uplink_bandwidth", "bandwidth above 0", "`nic_bandwidth`",
     "Bandwidth of one link up from a leaf or a spine, with `ecmp`. Each switch has the nearest "
     "whole number of them that oversubscription leaves, which share its whole capacity.",
     "400 Gbps"},
    {"network.uplink_efficiency", "number above 0 and at most 1", "required with adaptive",
     "Fraction of the bandwidth of a switch's links to the next level that adaptive routing "
     "achieves.",
     "0.95"},
    {"network.queue_pairs", "whole number from 1 to 128", "1",
     "Queue pairs of each channel between two NICs (NCCL_IB_QPS_PER_CONNECTION), with `ecmp`: each "
     "is a connection, and takes an equal part of the channel's bytes."},
    {"network.ecmp_seed", "whole number from 0 to 2147483647", "0",
     "Seed of the hash with `ecmp`: other seeds give other collisions."},
    {"network.dimensions", "list of whole numbers", "required with torus",
     "Nodes in a ring along each dimension of the torus; their product is the number of nodes. "
     "Nodes are numbered along the first dimension first.",
     "[4, 4, 8]"},
    {"network.link_bandwidth", "bandwidth above 0", "`nic_bandwidth`",
     "Bandwidth of a link between neighbours of a torus, or between routers of a dragonfly, per "
     "direction."},
    {"network.nodes_per_router", "whole number from 1 to 256", "required with dragonfly",
     "Nodes on each router."},
    {"network.routers_per_group", "whole number from 1 to 256", "required with dragonfly",
     "Routers in each group, with a link between every two of them."},
    {"network.groups", "whole number from 1 to 65536", "as many as the nodes fill",
     "Groups of the dragonfly; the nodes fill the first ones."},
    {"network.global_links", "whole number from 1 to 256",
     "as many as a router has NICs, or more if joining all groups takes more",
     "Links of each router to other groups. Every two groups have routers_per_group * global_links "
     "/ "
     "(groups - 1) links, rounded down; ports left over stay unused."},
    {"network.routing", "one of minimal, valiant, adaptive", "adaptive",
     "Ways through a dragonfly. `minimal`: over one global link. `valiant`: between groups by way "
     "of a third one, or, in a dragonfly of one group, of a third router. `adaptive`: each "
     "collective of a group of ranks takes the ways of `minimal` or of `valiant`, whichever loads "
     "the busiest link less when nothing else runs."},
    {"network.node_price", "price per hour", "none",
     "Price of the network per node, regardless of its number of NICs, on top of `gpu.price`."},
    {"network.port_price", "price per hour", "none",
     "Price of one NIC, including its cable and its share of the switches, on top of `gpu.price`."},
    {"network.bandwidth_price", "price of bandwidth", "none",
     "Price of a NIC's bandwidth, on top of `port_price`."},
};

}  // namespace

std::span<const TomlKey> cluster_keys() {
  static const KeyTable table = [] {
    const Cluster usual = usual_cluster();
    KeyTable keys;
    keys.add("", file_fields(), usual);
    keys.add("cluster", cluster_fields(), usual);
    keys.add("gpu", gpu_fields(), usual.gpu);
    keys.add("nvlink", nvlink_fields(), usual.nvlink);
    keys.add(kNetworkKeys);
    keys.add("collectives", collectives_fields(), usual.collectives);
    keys.add("fitted", fitted_fields(), usual.fitted);
    return keys;
  }();
  return table.keys();
}

}  // namespace sim
