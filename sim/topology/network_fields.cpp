// SPDX-License-Identifier: Apache-2.0
// The keys of [network].
#include <limits>

#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/transport_fields.hpp"

namespace sim {
namespace {

// GPUs or NICs of a node, counted from 0: cluster_rules.cpp knows how many it has.
constexpr NumberRange kOfNode =
    from_to(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
constexpr NumberRange kOversubscription = from_to(1, 1'000);

constexpr EnumName<LoadBalance> kLoadBalances[] = {{"ideal", LoadBalance::ideal},
                                                   {"ecmp", LoadBalance::ecmp},
                                                   {"adaptive", LoadBalance::adaptive}};
constexpr EnumName<Routing> kRoutings[] = {
    {"minimal", Routing::minimal}, {"valiant", Routing::valiant}, {"adaptive", Routing::adaptive}};

constexpr Condition<Network> kOfFabric{"fabric", [](const Network& network, std::string_view name) {
                                         return network.fabric->takes(name);
                                       }};
constexpr Condition<Network> kOfEcmp{
    "load_balance",
    [](const Network& network, std::string_view) {
      return network.load_balance == LoadBalance::ecmp;
    },
    "applies only with load_balance = \"ecmp\"; write that, or remove the key"};
constexpr Condition<Network> kOfAdaptive{
    "load_balance",
    [](const Network& network, std::string_view) {
      return network.load_balance == LoadBalance::adaptive;
    },
    "applies only with load_balance = \"adaptive\"; write that, or remove the key"};

// A share that the file gives is what was measured: it contains what copies cost.
constexpr Field<Network> efficiency_field() {
  Field<Network> row = field<&Network::efficiency>(
      "efficiency", kShare, needed_without("transport"),
      "Fraction of `nic_bandwidth` that a collective on large buffers achieves.", "0.9");
  row.read = [](TomlReader& reader, std::string_view key, const Field<Network>& field,
                Network& into) {
    into.efficiency = reader.number(key, field.range);
    into.copy_bandwidth.reset();
  };
  return row;
}

constexpr Field<Network> kNetworkFields[] = {
    choice<&Network::fabric, all_network_fabrics>(
        "fabric", kRequired,
        "`single_switch`: all NICs on one non-blocking switch. `rail_optimized`: the r-th NICs of "
        "`nodes_per_leaf` nodes share a leaf switch, and spines join the leaves; messages between "
        "rails cross NVLink first. `rail_spine`: the same, but messages between rails cross the "
        "spines. `fat_tree_2level`: all NICs of `nodes_per_leaf` nodes share a leaf switch, and "
        "spines join the leaves. `fat_tree_3level`: pods of `leaves_per_pod` leaves, joined by "
        "core switches. `torus`: each node is joined to its neighbours in a ring along each of "
        "`dimensions`. `dragonfly`: groups of routers that are joined all to all, and global links "
        "between all groups.")
        .remarking("a leaf-spine or Clos network is fat_tree_2level"),
    field<&Network::nics_per_node>("nics_per_node", kPerNode, kRequired, "NICs in each node."),
    field<&Network::nic_bandwidth>("nic_bandwidth", kAboveZero, kRequired,
                                   "Bandwidth of one NIC, per direction.", "400 Gbps"),
    transport_field<Network, network_transports>(
        "Kind of network as NCCL drives it. Gives every `latency` and `efficiency` of this table "
        "that the file leaves out."),
    efficiency_field(),
    field<&Network::copy_bandwidth>(
        "copy_bandwidth", kAboveZero, left_out("that of the transport beside no `efficiency`"),
        "Most that a NIC carries, per direction, where the hosts' processors copy every byte, as "
        "TCP does. Without it, nothing is copied.",
        "5 GBps"),
    field<&Network::latency>("latency", kAny, needed_without("transport"),
                             "Latency of one step of a collective between two nodes on the same "
                             "switch (Simple protocol)."),
    field<&Network::message>(
        "message", kAny, left_out("that of the transport, or 0"),
        "Time that each message of a GPU to other nodes takes besides its bytes. It shows where a "
        "library sends tokens one by one (DeepEP); NCCL's messages are long."),
    field<&Network::ll, &LinkPace::efficiency>(
        "ll_efficiency", kShare, needed_with("ll_latency", "that of the transport"),
        "Fraction of `nic_bandwidth` that the LL protocol achieves.", "0.2"),
    field<&Network::ll, &LinkPace::latency>("ll_latency", kAny,
                                            needed_with("ll_efficiency", "that of the transport"),
                                            "Latency of one step by the LL protocol."),
    field<&Network::ll128, &LinkPace::efficiency>(
        "ll128_efficiency", kShare, needed_with("ll128_latency", "that of the transport"),
        "Fraction of `nic_bandwidth` that the LL128 protocol achieves.", "0.8"),
    field<&Network::ll128, &LinkPace::latency>(
        "ll128_latency", kAny, needed_with("ll128_efficiency", "that of the transport"),
        "Latency of one step by the LL128 protocol."),
    field<&Network::sharp, &LinkPace::efficiency>(
        "sharp_efficiency", kShare, needed_with("sharp_latency", "none: switches do not add"),
        "Fraction of `nic_bandwidth` that an all_reduce reaches whose sums the switches make "
        "(SHARP). Not with a torus or a dragonfly.",
        "0.9"),
    field<&Network::sharp, &LinkPace::latency>(
        "sharp_latency", kAny, needed_with("sharp_efficiency", "none: switches do not add"),
        "Fixed cost of such an all_reduce on one switch, beyond `collectives.launch`.", "20 us"),
    field<&Network::gpu_nic>(
        "gpu_nic", kOfNode,
        left_out("GPU g uses NIC g * nics_per_node / gpus_per_node, rounded down"),
        "NIC of each GPU in a node, counted from 0: one entry per GPU."),
    field<&Network::far_gpus>("far_gpus", kOfNode, needed_with("far_bandwidth", "none"),
                              "GPUs of a node whose NIC is on another socket, counted from 0.",
                              "[0]"),
    field<&Network::far_bandwidth>(
        "far_bandwidth", kAboveZero, needed_with("far_gpus", "required with far_gpus"),
        "Bandwidth that each of `far_gpus` achieves to its NIC, per direction.", "100 Gbps"),
    field<&Network::switch_latency>("switch_latency", kAny,
                                    needed("required unless the fabric is single_switch"),
                                    "Latency that each further switch on the path adds; in a "
                                    "torus, each node that a message passes.")
        .only(kOfFabric),
    field<&Network::nodes_per_leaf>("nodes_per_leaf", kNodes,
                                    needed("required with rails and fat trees"),
                                    "Nodes per leaf switch; the last leaf may have fewer.")
        .only(kOfFabric),
    field<&Network::oversubscription>("oversubscription", kOversubscription,
                                      needed("required with rails and fat trees"),
                                      "Ratio of a leaf's downlink capacity (to its nodes) to its "
                                      "uplink capacity (to the spines); 1 is non-blocking.")
        .only(kOfFabric),
    field<&Network::leaves_per_pod>("leaves_per_pod", kNodes,
                                    needed("required with fat_tree_3level"),
                                    "Leaf switches per pod; the last pod may have fewer.")
        .only(kOfFabric),
    field<&Network::pod_oversubscription>("pod_oversubscription", kOversubscription,
                                          needed("required with fat_tree_3level"),
                                          "Ratio of a pod's downlink capacity (to its leaves) to "
                                          "its uplink capacity (to the core switches).")
        .only(kOfFabric),
    choice<&Network::load_balance, kLoadBalances>(
        "load_balance", kUsualValue,
        "How a switch spreads messages over its links to the next level. `ideal`: evenly, as if "
        "they were one link. `ecmp`: a hash of each connection chooses one link, and connections "
        "collide. `adaptive`: packet by packet, evenly, with `uplink_efficiency`. In a dragonfly, "
        "`ecmp` chooses among the links that join two groups.")
        .only(kOfFabric),
    field<&Network::uplink_bandwidth>(
        "uplink_bandwidth", kAboveZero, left_out("`nic_bandwidth`"),
        "Bandwidth of one link up from a leaf or a spine, with `ecmp`. Each switch has the nearest "
        "whole number of them that oversubscription leaves, which share its whole capacity.",
        "400 Gbps")
        .only(kOfFabric)
        .only(kOfEcmp)
        .filled_by([](Network& network) { network.uplink_bandwidth = network.nic_bandwidth; }),
    field<&Network::uplink_efficiency>("uplink_efficiency", kShare,
                                       needed("required with adaptive"),
                                       "Fraction of the bandwidth of a switch's links to the next "
                                       "level that adaptive routing achieves.",
                                       "0.95")
        .only(kOfFabric)
        .only(kOfAdaptive),
    field<&Network::queue_pairs>(
        "queue_pairs", from_to(1, 128), kUsualValue,
        "Queue pairs of each channel between two NICs (NCCL_IB_QPS_PER_CONNECTION), with `ecmp`: "
        "each is a connection, and takes an equal part of the channel's bytes.")
        .only(kOfFabric)
        .only(kOfEcmp),
    field<&Network::ecmp_seed>("ecmp_seed", from_to(0, std::numeric_limits<int>::max()),
                               kUsualValue,
                               "Seed of the hash with `ecmp`: other seeds give other collisions.")
        .only(kOfFabric)
        .only(kOfEcmp),
    field<&Network::dimensions>(
        "dimensions", kNodes, needed("required with torus"),
        "Nodes in a ring along each dimension of the torus; their product is the number of nodes. "
        "Nodes are numbered along the first dimension first.",
        "[4, 4, 8]")
        .only(kOfFabric),
    field<&Network::link_bandwidth>("link_bandwidth", kAboveZero, left_out("`nic_bandwidth`"),
                                    "Bandwidth of a link between neighbours of a torus, or between "
                                    "routers of a dragonfly, per direction.",
                                    "400 Gbps")
        .only(kOfFabric)
        .filled_by([](Network& network) { network.link_bandwidth = network.nic_bandwidth; }),
    field<&Network::nodes_per_router>("nodes_per_router", kPorts, needed("required with dragonfly"),
                                      "Nodes on each router.")
        .only(kOfFabric),
    field<&Network::routers_per_group>(
        "routers_per_group", kPorts, needed("required with dragonfly"),
        "Routers in each group, with a link between every two of them.")
        .only(kOfFabric),
    field<&Network::groups>("groups", kNodes, left_out("as many as the nodes fill"),
                            "Groups of the dragonfly; the nodes fill the first ones.")
        .only(kOfFabric),
    field<&Network::global_links>(
        "global_links", kPorts,
        left_out("as many as a router has NICs, or more if joining all groups takes more"),
        "Links of each router to other groups. Every two groups have routers_per_group * "
        "global_links / (groups - 1) links, rounded down; ports left over stay unused.")
        .only(kOfFabric),
    choice<&Network::routing, kRoutings>(
        "routing", left_out("adaptive"),
        "Ways through a dragonfly. `minimal`: over one global link. `valiant`: between groups by "
        "way of a third one, or, in a dragonfly of one group, of a third router. `adaptive`: each "
        "collective of a group of ranks takes the ways of `minimal` or of `valiant`, whichever "
        "loads the busiest link less when nothing else runs.")
        .only(kOfFabric)
        .filled_by([](Network& network) {
          if (network.fabric->takes("routing")) network.routing = Routing::adaptive;
        }),
    field<&Network::node_price>(
        "node_price", kAny, left_out("none"),
        "Price of the network per node, regardless of its number of NICs, on top of `gpu.price`."),
    field<&Network::port_price>("port_price", kAny, left_out("none"),
                                "Price of one NIC, including its cable and its share of the "
                                "switches, on top of `gpu.price`."),
    field<&Network::bandwidth_price>("bandwidth_price", kAny, left_out("none"),
                                     "Price of a NIC's bandwidth, on top of `port_price`."),
};

}  // namespace

std::span<const Field<Network>> network_fields() { return kNetworkFields; }

}  // namespace sim
