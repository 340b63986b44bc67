// SPDX-License-Identifier: Apache-2.0
// Cluster: the GPUs, the links inside a node, the NICs and the fabric of one site, as described by
// its TOML file. Values come from data sheets; constants fitted on measured rows are kept apart in
// `fitted`, so that predictions can be made with and without them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"
#include "sim/topology/nccl_lists.hpp"
#include "sim/topology/nccl_version.hpp"
#include "sim/topology/node_placement.hpp"
#include "sim/topology/traffic.hpp"

namespace sim {

// What joins GPUs or NICs: sim/topology/fabrics.hpp.
struct NvlinkFabric;
struct NetworkFabric;
namespace fabrics {
extern const NvlinkFabric switched, full_mesh, pcie;
extern const NetworkFabric single_switch, rail_optimized, rail_spine, fat_tree_2level,
    fat_tree_3level, torus, dragonfly;
}  // namespace fabrics

// How collectives run: sim/collectives/algorithm.hpp.
struct CollectiveAlgorithm;
namespace algorithms {
extern const CollectiveAlgorithm ring, pairwise, rail, tree, nvls, nvls_tree, sharp, pat, recursive,
    hierarchical, copy_engine, chain, direct, deepep, deepep_low_latency, hybridep,
    nvlink_two_sided;
}  // namespace algorithms

// Protocols of NCCL. LL and LL128 send flags among the data, so that a receiver need not wait for a
// whole buffer: they start quickly and reach less of the bandwidth.
enum class Protocol { ll, ll128, simple };
inline constexpr Protocol kProtocols[] = {Protocol::ll, Protocol::ll128, Protocol::simple};

// What one protocol, or sums in the switch, reach on a kind of link.
struct LinkPace {
  Seconds latency;        // of one step of a collective
  double efficiency = 0;  // share of the bandwidth reached by large buffers, (0, 1]
  bool operator==(const LinkPace&) const = default;
};

// [gpu]: one GPU, from its data sheet. Rates are dense (no sparsity).
struct Gpu {
  std::string name;                       // matches the `gpu` of a calibration table
  int multiprocessors = 0;                // SMs, which a collective's channels occupy
  FlopRate bf16;                          // tensor-core peak in 16 bits
  std::optional<FlopRate> fp8;            // tensor-core peak of FP8 and MXFP8, if supported
  std::optional<FlopRate> fp4;            // of NVFP4
  std::optional<double> fused_attention;  // share of the 16-bit peak that it reaches, causal
  FlopRate fp32;                          // vector peak, for the optimizer's arithmetic
  Bytes memory;                           // capacity
  Bandwidth memory_bandwidth;             // data-sheet peak, reads and writes summed
  double memory_efficiency = 0;           // share of it reached by a copy of large buffers, (0, 1]
  // Data-sheet peak of its link to the host, per direction; absent if the file does not give it.
  std::optional<Bandwidth> host_bandwidth = {};
  double host_efficiency = 0;  // share of it reached by a copy of large buffers, (0, 1]
  Seconds launch_latency;      // from the end of one kernel to the start of the next on a stream
  DollarRate price;            // of one GPU with its share of the node, including
                               // whatever the hosting price covers
  std::string price_as_of;     // "end of 2024"; empty if the file does not say
  Watts power;                 // of one GPU under load
  double clock = 1;  // share of the data sheet's that its power leaves: the peaks contain it
  bool operator==(const Gpu&) const = default;
};

// The GPU under a power cap of `share` of its power. Arithmetic rates fall with the square root of the
// power: published products of two pairs of GPUs with the same dies and different power follow powers
// of 0.4 to 0.7 of it (traces/kernels/README.md, "Power"). Dynamic power alone, C V^2 f, would give
// the cube root if V fell with f all the way. The memory has a separate clock.
[[nodiscard]] Gpu power_capped(Gpu gpu, double share);

// How NCCL feeds sums in the switch: buffers go in chunks, and each costs something of its own.
struct SwitchSums {
  int channels = 16;     // NVLS_NCHANNELS_SM90 (src/transport/nvls.cc)
  Bytes chunk_overhead;  // in bytes that would take as long
  bool operator==(const SwitchSums&) const = default;
};

// [nvlink]: the links between the GPUs of one node, NVLink or PCIe.
struct Nvlink {
  const NvlinkFabric* kind = &fabrics::switched;
  Bandwidth bandwidth;    // per direction: of a GPU's port or, if pairs have links, of a pair
  double efficiency = 0;  // share of it reached by a collective of large buffers, (0, 1]
  Seconds latency;        // of one step of a collective between two GPUs of a node
  // By other protocols; absent if they are not known.
  std::optional<LinkPace> ll = {}, ll128 = {};
  // Sums in the switch, whose latency is that of the whole collective; absent if it has none.
  std::optional<LinkPace> nvls = {};
  SwitchSums sums = {};
  // All_to_alls by Simple and by LL, with the latency of the whole; absent: as other collectives.
  std::optional<LinkPace> pairs = {}, ll_pairs = {};
  // Share of `bandwidth` that one channel of an all_to_all reaches, by Simple and by LL; absent: as
  // much as it likes.
  std::optional<double> pairs_channel_efficiency = {}, ll_pairs_channel_efficiency = {};
  // PCIe only: GPUs that share a PCIe switch and its link to a host bridge, and GPUs on a socket.
  int gpus_per_bridge = 1, gpus_per_socket = 1;
  Bandwidth bridge_bandwidth = {};  // of that link, per direction
  Bandwidth socket_bandwidth = {};  // of a socket's link to the others, per direction
  // As Collectives::by_channels, before [collectives] is read.
  bool by_channels = false;
  bool operator==(const Nvlink&) const = default;
};

// How messages find their way through a dragonfly.
enum class Routing { minimal, valiant, adaptive };

// How switches spread messages over their links to the next level.
enum class LoadBalance {
  ideal,    // evenly: together they are one link
  ecmp,     // a hash of each connection chooses one
  adaptive  // packet by packet, with some loss
};

// [network]: NICs and the fabric between nodes.
struct Network {
  const NetworkFabric* fabric = &fabrics::single_switch;
  int nics_per_node = 0;
  Bandwidth nic_bandwidth;  // of one NIC and direction
  double efficiency = 0;    // share of it reached by a collective of large buffers, (0, 1]
  // Most that a NIC carries where the hosts' processors copy every byte; absent if they copy none.
  std::optional<Bandwidth> copy_bandwidth = {};
  Seconds latency;                  // of one step of a collective between two nodes on one switch
  Seconds message = {};             // of each message of a GPU to other nodes, beside its bytes
  std::vector<int> gpu_nic;         // NIC of each GPU of a node; default: g * nics_per_node / gpus
  std::vector<int> far_gpus = {};   // GPUs of a node whose NIC is on another socket
  Bandwidth far_bandwidth = {};     // that such a GPU reaches to its NIC, per direction
  Seconds switch_latency;           // of each further switch on the path (not with single_switch)
  int nodes_per_leaf = 0;           // not with single_switch
  double oversubscription = 1;      // of a leaf: ports down over ports up, >= 1 (not single_switch)
  int leaves_per_pod = 0;           // fat_tree_3level only
  double pod_oversubscription = 1;  // of a pod: capacity down over capacity up (fat_tree_3level)
  std::vector<int> dimensions = {};  // nodes of each ring, the first ones' neighbours first (torus)
  Bandwidth link_bandwidth = {};     // of a link between routers, per direction (torus, dragonfly)
  LoadBalance load_balance = LoadBalance::ideal;
  Bandwidth uplink_bandwidth = {};  // of one link up from a switch (ecmp)
  double uplink_efficiency = 1;     // share of all of them that is reached (adaptive)
  int queue_pairs = 1;              // of a channel between two NICs, a connection each (ecmp)
  std::uint64_t ecmp_seed = 0;
  // Dragonfly only.
  int nodes_per_router = 0, routers_per_group = 0, groups = 0;
  int global_links = 0;  // of each router, to other groups
  Routing routing = Routing::minimal;
  // Costs of the network beyond those in gpu.price. Absent if the file does not give them.
  std::optional<DollarRate> node_price = {};  // per node, however many ports it has
  std::optional<DollarRate> port_price = {};  // per NIC, with cable and share of the switches
  std::optional<BandwidthPrice> bandwidth_price = {};  // added per port, by its bandwidth
  std::optional<LinkPace> ll = {}, ll128 = {};         // as in Nvlink
  // Sums in the switches, up and down; absent if they make none.
  std::optional<LinkPace> sharp = {};
  // As Collectives::by_channels, before [collectives] is read.
  bool by_channels = false;
  bool operator==(const Network&) const = default;
};

// [collectives]: how the communication library drives the links.
struct Collectives {
  int channels = 0;  // of one communicator: one ring each, on its own SM
  Seconds launch;    // fixed cost of one collective, regardless of size and ranks
  std::optional<Seconds> ll_launch = {}, ll128_launch = {};  // by other protocols
  // Of each message of an all_to_all, while the ones before it are on their way.
  Seconds message = {};
  // Of the collectives that it can run (sim/collectives/asked.hpp); null: by `nccl`.
  const CollectiveAlgorithm* algorithm = nullptr;
  std::optional<Protocol> protocol = {};  // the same
  // In their place: lists of which the collectives take the best (sim/collectives/listed.hpp).
  std::optional<NcclList> algorithms = {}, protocols = {};
  bool fastest = false;  // as without `nccl`, also where it is given
  // Whose tuner chooses where no algorithm is given (sim/collectives/nccl/tuner.hpp); nothing: the
  // fastest of what collectives take here.
  std::optional<NcclVersion> nccl = {};
  bool by_channels = false;  // `nccl` is given: transports mean paces of channels by size
  bool operator==(const Collectives&) const = default;
};

enum class Processor { intel, amd, arm };

// [host]: the processors that encode (`host-codecs`) and send beside the GPUs. What is absent never
// limits.
struct HostCores {
  Processor processor = Processor::intel;  // whose make NCCL's tuner asks for
  std::optional<double> cores = {};        // of a host
  std::optional<int> ranks = {};           // that share them; absent: the GPUs of a node
  // That one core sends while it receives as much, through the kernel's network stack.
  std::optional<Bandwidth> core_bandwidth = {};
  bool operator==(const HostCores&) const = default;
};

// [fitted]: constants missing from data sheets. Each defaults to "no correction".
struct Fitted {
  std::optional<double> network_efficiency;  // multiplies what network.efficiency leaves
  std::optional<Bandwidth>
      communicator_bandwidth;                // cap of one communicator's traffic out of a node
  std::optional<double> compute_efficiency;  // share of the roofline that an operator reaches
  std::optional<double> host_slowdown;       // multiplies what hosts take to issue kernels
  std::vector<std::string> rows;  // rows they were fitted on: "TABLE/CLUSTER/MODEL/SCHEME"
  // Keys of constants set by settings without naming rows: set by hand, whatever `rows` says of the
  // others.
  std::set<std::string, std::less<>> typed;

  // Whether this key of [fitted] ("compute_efficiency") was fitted on `rows`.
  [[nodiscard]] bool rests_on_rows(std::string_view key) const {
    return !rows.empty() && !typed.contains(key);
  }
  bool operator==(const Fitted&) const = default;
};

// Compute efficiency for a cluster without a fitted one: what published runs reached on GPUs of its
// generation (sim/topology/compute_efficiency.hpp).
struct EfficiencyDefault {
  double efficiency = 1;          // share of the roofline that an operator reaches
  double spread = 0;              // standard deviation of its logarithm across software stacks
  std::string source;             // one line
  std::vector<std::string> rows;  // published rows that it is based on, by prefixes of their names
  bool operator==(const EfficiencyDefault&) const = default;
};

// Gpu::host_efficiency of files that say nothing. By nvbandwidth, an A100 reaches 25.1 of 32 GB/s over
// PCIe 4 (NVIDIA/nvbandwidth issue 42), an H100 52.8 of 64 over PCIe 5 (issue 24), and a GH200 346 of
// 450 over NVLink-C2C (issue 23): 0.78, 0.82 and 0.77.
inline constexpr double kHostEfficiency = 0.8;

// Cluster::speed_spread of files that say nothing: GPUs of one kind differ by 8 % in five clusters
// (Sinha et al., "Not All GPUs Are Created Equal", arXiv 2208.11035, abstract), read as the span of a
// box plot's whiskers: 5.4 standard deviations.
inline constexpr double kSpeedSpread = 0.015;

struct Cluster {
  std::string name;     // the file's stem
  std::string summary;  // one line for `list`
  int nodes = 0;
  int gpus_per_node = 0;
  int fabric_nodes = 0;             // on its fabric, the job's included; 0: no others
  NodePlacement placement;          // of the job's nodes
  std::vector<TrafficJob> traffic;  // of other jobs on its fabric
  // Standard deviation of the rate of matrix products across GPUs, over its mean; of files, by
  // default kSpeedSpread.
  double speed_spread = 0;
  Gpu gpu;
  Nvlink nvlink;
  Network network;
  Collectives collectives;
  HostCores host;
  Fitted fitted;
  std::optional<EfficiencyDefault> default_efficiency;  // set by the caller, not by the file
  bool operator==(const Cluster&) const = default;
};

// The most that a compute efficiency may be: kernels are rarely faster than published ones.
inline constexpr double kMostEfficiency = 2;
// The most by which hosts may be slower than the software's default.
inline constexpr double kMostSlowdown = 1000;
// Share of the roofline, or of a published kernel's rate, that an operator reaches: fitted or given,
// else the default, else 1.
[[nodiscard]] double compute_efficiency(const Cluster& cluster);

// The keys of a cluster file.
[[nodiscard]] std::span<const TomlKey> cluster_keys();

// Reads a cluster file after replacing the keys of `settings`. Throws an InputError that
// reports every wrong, missing and unknown key as file:line:column: key: what; remedy.
[[nodiscard]] Cluster read_cluster(const std::filesystem::path& file,
                                   std::span<const Setting> settings = {});

// Parses text in memory; `file` gives the cluster's name and the text's name in messages.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::filesystem::path& file,
                                    std::span<const Setting> settings = {});

// Of a large copy between a GPU and its host, one way, while the other GPUs of the node copy too.
// Nothing if the file does not give the link.
[[nodiscard]] std::optional<Bandwidth> host_copy_rate(const Cluster& cluster);

// Price of all GPUs and of the network.
[[nodiscard]] DollarRate gpu_price(const Cluster& cluster);
[[nodiscard]] DollarRate network_price(const Cluster& cluster);

// The cluster without fitted constants and defaults, for predictions from data sheets alone.
[[nodiscard]] Cluster data_sheet_only(Cluster cluster);

}  // namespace sim
