// SPDX-License-Identifier: Apache-2.0
// Exchanges, a row each: how ranks sum gradients inside a site, and how sites combine their values.
// sim/program lays out the former and sim/sites the latter, each next to its row.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sim/times/wire.hpp"

namespace sim {

struct Bucket;
struct Communication;
struct SiteExchange;
struct StepSizes;
class Meeting;

// How the ranks that hold the same weights sum their gradients.
struct Reduction {
  enum class Sends {
    buffer,          // the gradient buffer as it is
    wire,            // GradientExchange::between
    wires_by_level,  // GradientExchange::inside within nodes, and ::between from node to node
    factors          // of matrices, in FP32
  };
  enum class Leaves {
    any,     // shards on their ranks, or without shards all gradients on all ranks
    shards,  // only
    all      // gradients on all ranks: ZeRO-0 only
  };
  std::string_view name;
  Sends sends = Sends::wire;
  Leaves leaves = Leaves::any;
  bool sums_in_flight = false;  // the wires, which must be summable
  bool is_by_node = false;      // needs as many ranks on every node
  bool has_replicas = false;    // also sums over groups that hold replicas of shards
  // How a bucket of a stage is summed by two ranks or more (sim/program/lay_out.hpp).
  Communication (*lay_out)(const StepSizes& shape, int stage, const Bucket& bucket) = nullptr;

  [[nodiscard]] bool has_levels() const { return sends == Sends::wires_by_level; }
  [[nodiscard]] bool has_factors() const { return sends == Sends::factors; }
  [[nodiscard]] bool sends_buffer() const { return sends == Sends::buffer; }
};

namespace reductions {
// ring        reduce_scatter or all_reduce in the precision of the gradient buffer
// all_to_all  each rank sends every other rank its part and sums in FP32 what arrives; without
//             shards the sum is encoded again and gathered by all
// two_level   all_to_all inside a node, sum, all_to_all between nodes, sum
// all_gather  every rank receives all wires and sums them
// all_reduce  the wires are summed in flight
// low_rank    PowerSGD: two factors of each matrix, and vectors uncompressed, by all_reduce
extern const Reduction ring, all_to_all, two_level, all_gather, all_reduce, low_rank;
}  // namespace reductions
[[nodiscard]] std::span<const Reduction* const> all_reductions();

// A method of codecs/method.hpp whose steps replace the kernels of a reduction's wires.
struct ReductionMethod {
  std::string_view name;
  const Reduction* reduction = nullptr;
  std::string_view codec;       // on each level
  double residual_bytes = 0;    // GradientExchange::residual_bytes
  bool sends_momentum = false;  // of whole gradients, once all are ready: ZeRO-0 only, no overlap
};

namespace methods {
extern const ReductionMethod loco, one_bit_adam;
}  // namespace methods
[[nodiscard]] std::span<const ReductionMethod* const> all_methods();

// The kernels of one exchange between sites: before values are sent, where they are summed for
// others, and of what arrives.
struct ExchangeKernels {
  std::vector<CodecUse> encode, sum, decode;
};

// How sites combine their values. Each GPU exchanges its shard with its twins at other sites, except
// in the flat ring.
struct Exchange {
  std::string_view name;
  bool sums_in_flight = false;    // the wires, which must be summable
  bool is_stored = false;         // goes through object storage
  bool joins_all = false;         // sends from every site to every other
  bool joins_two = false;         // of the sites, other ones in each round
  bool is_ring = false;           // of sites, in some order
  bool joins_ranks = false;       // of all sites that hold the same part of the model
  bool encodes_sums = false;      // at every hop anew, so that what is lost grows with the sites
  bool fans_out = false;          // by SiteExchange::fan_out
  bool works_in_regions = false;  // also among the sites of each region alone
  bool has_leader = false;        // who sums what the others send, once a quorum is there
  bool has_syncer = false;        // which leads, instead of a site
  // Where a site that leaves once it has handed in its values is missed by nobody, and the others wait
  // for no more than until they notice one that leaves before; else they begin anew without it.
  bool outlasts_leavers = false;
  bool alike_sites = false;  // of one table do the same (sim/sites/alike_places.hpp)
  // The kernels that follow the encoding, of `elements` a GPU at each of so many sites.
  void (*add_kernels)(const SiteExchange& exchange, std::size_t elements, int sites,
                      ExchangeKernels& kernels) = nullptr;
  // Appends its messages and waits (sim/sites/meeting.hpp).
  void (*run)(Meeting& meeting) = nullptr;
  // How often each of several sites sends all that it has, at least; and how often to one other.
  double (*copies_sent)(double sites) = [](double) { return 1.0; };
  double (*copies_to_one)(double sites) = [](double) { return 1.0; };

  [[nodiscard]] bool has_leading_site() const { return has_leader && !has_syncer; }
  // Over the links between sites, not by way of a place apart.
  [[nodiscard]] bool joins_sites() const { return !is_stored && !has_syncer; }
};

namespace exchanges {
// flat_ring   one ring over all GPUs of all sites, in the precision of the wire
// ring        reduce_scatter and all_gather over the sites, in the precision of the wire
// quantized_ring  the same over encoded values: each site adds its own to a sum that arrives, and
//             encodes it anew before it passes it on
// all_to_all  a part of the shard to each site, summed there, encoded again and gathered
// all_gather  the shard to every other site, summed there
// grouped_gather  all_gather, where a value enters each other region once and is passed on there
// tree_gather  all_gather, where each site passes on what it receives to so many others
// store       the same through object storage: one upload, the others' downloads
// pair        with one partner, a different one in each round
// leader      to one site, summed there once a quorum is heard, and back to all
// syncer      the same to hosts apart from the sites; to the first site if the area has none
extern const Exchange flat_ring, ring, quantized_ring, all_to_all, all_gather, grouped_gather,
    tree_gather, store, pair, leader, syncer;
}  // namespace exchanges
[[nodiscard]] std::span<const Exchange* const> all_exchanges();

}  // namespace sim
