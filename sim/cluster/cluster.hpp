// Cluster: the GPUs, the links inside a node, the NICs and the fabric of one site, as its TOML file
// describes them. Values are of the data sheet; what was fitted on measured rows stands apart in
// `fitted`, so that a prediction can be made with and without it.
#pragma once

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

namespace sim {

// [gpu]: one GPU, from its data sheet. Rates are dense (no sparsity).
struct Gpu {
  std::string name;             // matched with the `gpu` of a calibration table
  int multiprocessors = 0;      // SMs: what a collective's channels are taken from
  FlopRate bf16;                // tensor-core peak in 16 bits
  std::optional<FlopRate> fp8;  // tensor-core peak of FP8 and MXFP8, where the GPU has them
  std::optional<FlopRate> fp4;  // of NVFP4
  std::optional<double> fused_attention;  // share of the 16-bit peak that it reaches, causal
  FlopRate fp32;                          // vector peak: the optimizer's arithmetic runs at it
  Bytes memory;                           // capacity
  Bandwidth memory_bandwidth;             // peak of the data sheet, reads and writes summed
  double memory_efficiency = 0;  // share of it that a copy of large buffers reaches, (0, 1]
  Seconds launch_latency;        // from one kernel's end to the next one's start on a stream
  DollarRate price;              // of one GPU with its share of the node, and of what else the
                                 // price of whom it is rented from has in it
  Watts power;                   // of one GPU under load
};

// [nvlink]: the links between the GPUs of one node.
struct Nvlink {
  enum class Kind {
    switched,  // every GPU has one port of `bandwidth` into a non-blocking switch
    full_mesh  // every ordered pair of GPUs has a link of its own of `bandwidth`
  };
  Kind kind = Kind::switched;
  Bandwidth bandwidth;    // per direction: of a GPU's port (switched) or of a pair (full_mesh)
  double efficiency = 0;  // share of it that a collective of large buffers reaches, (0, 1]
  Seconds latency;        // of one step of a collective between two GPUs of a node
};

// [network]: NICs and the fabric between nodes.
struct Network {
  enum class Fabric {
    single_switch,    // every NIC on one non-blocking switch
    rail_optimized,   // NIC r of `nodes_per_leaf` nodes on leaf switch r; leaves joined by spines
    fat_tree_2level,  // all NICs of `nodes_per_leaf` nodes on one leaf; leaves joined by spines
    fat_tree_3level   // pods of `leaves_per_pod` such leaves; pods joined by core switches
  };
  Fabric fabric = Fabric::single_switch;
  int nics_per_node = 0;
  Bandwidth nic_bandwidth;      // of one NIC and direction
  double efficiency = 0;        // share of it that a collective of large buffers reaches, (0, 1]
  Seconds latency;              // of one step of a collective between two nodes on one switch
  std::vector<int> gpu_nic;     // NIC of each GPU of a node; default: g * nics_per_node / gpus
  Seconds switch_latency;       // of each further switch on the way (not with single_switch)
  int nodes_per_leaf = 0;       // not with single_switch
  double oversubscription = 1;  // of a leaf: ports down over ports up, >= 1 (not single_switch)
  int leaves_per_pod = 0;       // fat_tree_3level only
  double pod_oversubscription = 1;  // of a pod: capacity down over capacity up (fat_tree_3level)
  // Of the network, beside what gpu.price has in it. Nothing where the file does not say.
  std::optional<DollarRate> node_price = {};  // of a node's, however many ports it has
  std::optional<DollarRate> port_price = {};  // of a NIC, its cable and its share of the switches
  std::optional<BandwidthPrice> bandwidth_price = {};  // of each port besides, for its bandwidth
};

// [collectives]: how the communication library drives the links.
struct Collectives {
  int channels = 0;  // of one communicator: a ring each, each on an SM of its own
  Seconds launch;    // fixed cost of one collective, whatever its size and ranks
};

// [fitted]: constants that no data sheet gives. Each defaults to "no correction".
struct Fitted {
  std::optional<double> network_efficiency;  // share of what network.efficiency leaves
  std::optional<Bandwidth>
      communicator_bandwidth;                // cap of one communicator's traffic out of a node
  std::optional<double> compute_efficiency;  // share of the roofline that an operator reaches
  std::vector<std::string> rows;  // what they were fitted on: "TABLE/CLUSTER/MODEL/SCHEME"
  // Keys of constants that --set gave without naming rows: typed by hand, whatever `rows` says of
  // the others.
  std::set<std::string, std::less<>> typed;

  // Whether the constant of this key of [fitted] ("compute_efficiency") was fitted on `rows`.
  [[nodiscard]] bool rests_on_rows(std::string_view key) const {
    return !rows.empty() && !typed.contains(key);
  }
};

// The compute efficiency of a cluster for which nobody has fitted it: what published runs on GPUs of
// its generation reached (sim/cluster/compute_efficiency.hpp).
struct EfficiencyDefault {
  double efficiency = 1;          // share of the roofline that an operator reaches
  double spread = 0;              // standard deviation of its logarithm between software stacks
  std::string source;             // one line
  std::vector<std::string> rows;  // published rows that it rests on, by how their names begin
};

struct Cluster {
  std::string name;     // the file's stem
  std::string summary;  // one line for `list`
  int nodes = 0;
  int gpus_per_node = 0;
  // Standard deviation of the rate of matrix products from GPU to GPU, over its mean. Where it is
  // not known, or part of a fitted compute efficiency, all GPUs are equal.
  double speed_spread = 0;
  Gpu gpu;
  Nvlink nvlink;
  Network network;
  Collectives collectives;
  Fitted fitted;
  std::optional<EfficiencyDefault> default_efficiency;  // no file has it: whoever simulates sets it
};

// Share of the roofline that an operator reaches: fitted or given, else the default, else all of it.
[[nodiscard]] double compute_efficiency(const Cluster& cluster);

// What a cluster file may hold.
[[nodiscard]] std::span<const TomlKey> cluster_keys();

// Reads a cluster file after replacing the keys of `settings` (--set). Throws InputError naming
// every wrong, missing and unknown key at once as file:line:column: key: what; remedy.
[[nodiscard]] Cluster read_cluster(const std::filesystem::path& file,
                                   std::span<const Setting> settings = {});

// The same from text in memory; `file` gives the name and what the messages call the text.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::filesystem::path& file,
                                    std::span<const Setting> settings = {});

// Of all its GPUs, and of its network.
[[nodiscard]] DollarRate gpu_price(const Cluster& cluster);
[[nodiscard]] DollarRate network_price(const Cluster& cluster);

// The cluster without its fitted constants and defaults: what the data sheets alone predict.
[[nodiscard]] Cluster data_sheet_only(Cluster cluster);

}  // namespace sim
