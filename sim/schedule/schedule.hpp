// SPDX-License-Identifier: Apache-2.0
// Schedule: one training step as data: a list of operations, each depending on earlier ones only,
// so it is acyclic by construction and can be read, tested and exported without a simulator.
//
//   rank 0  compute  [forward]──┐            ┌─[member: all_reduce]──[forward]
//   rank 1  compute  [forward]──┼─►[flow]────┤
//                               └─ starts when the last rank has arrived
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "sim/base/pass.hpp"
#include "sim/topology/topology.hpp"

namespace sim {

// The category of an operation's time in a report.
enum class Phase : std::uint8_t {
  forward,
  backward,
  recompute,
  optimizer,  // the update, its norm and its casts
  encode,
  decode,
  memory_pass,     // zeroing, scaling and copies of whole buffers
  tensor_comm,     // of tensor parallelism
  pipeline_comm,   // of pipeline parallelism
  expert_comm,     // rows to experts and back
  context_comm,    // between parts of sequences
  weight_comm,     // all_gather of weights
  gradient_comm,   // reduction of gradients
  optimizer_comm,  // whole matrices that Muon's update needs
  norm_comm,       // scalars and small all_reduces
  outer_comm,      // between sites
  host_copy,       // activations to hosts and back
  none             // barriers
};
[[nodiscard]] const char* phase_name(Phase phase);

// Operations of one rank and stream run one after the other, in the order of their addition.
enum class Stream : std::uint8_t {
  compute,
  codec,            // kernels that encode and decode gradients beside the compute stream
  tensor,           // tensor-parallel communicator
  receive_forward,  // point-to-point, one communicator per direction
  receive_backward,
  weights,          // data-parallel communicator of the weights
  gradients,        // data-parallel communicator of the gradients, or its part inside a node
  gradients_inter,  // its part between nodes, of two-level schemes
  weight_codec,     // kernels that cast, encode and decode weights
  tensor_codec,     // kernels that encode and decode messages between tensor-parallel ranks
  host,             // the CPU that issues the rank's kernels; copies between it and the GPU
  experts,          // communicator of rows on their way to experts and back
  expert_codec,     // kernels that encode and decode them
  context,          // communicator of parts of sequences
  to_host,          // copies of activations from the GPU's memory to the host's
  from_host         // and back
};
inline constexpr int kStreams = 16;
[[nodiscard]] const char* stream_name(Stream stream);

class StreamSet {
 public:
  constexpr StreamSet(std::initializer_list<Stream> streams = {}) {
    for (const Stream stream : streams) add(stream);
  }
  constexpr void add(Stream stream) { bits_ |= 1U << static_cast<unsigned>(stream); }
  constexpr bool operator==(const StreamSet&) const = default;

  class Iterator {
   public:
    explicit constexpr Iterator(std::uint32_t left) : left_(left) {}
    constexpr Stream operator*() const { return static_cast<Stream>(std::countr_zero(left_)); }
    constexpr Iterator& operator++() {
      left_ &= left_ - 1;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    std::uint32_t left_;
  };
  // In the order of Stream.
  [[nodiscard]] constexpr Iterator begin() const { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const { return Iterator(0); }

 private:
  std::uint32_t bits_ = 0;
};

// The links that a flow occupies at once: all hops progress together, at the pace of the slowest.
struct Route {
  std::vector<Hop> hops;
  // Communicator with its own cap on traffic out of a node (Fitted::communicator_bandwidth).
  std::int32_t communicator = 0;
  // Channels of a flow over it: flows share a link in proportion to their channels.
  double channels = 1;
};

enum class OperationKind : std::uint8_t {
  work,  // a kernel for `seconds`, on the rank's GPU, slower beside other kernels, or on its host
  flow,  // after a latency of `seconds`, `bytes` over `route`
  barrier,  // no time, no rank
  member,   // a rank's part in a collective: from its arrival until its last dependency ends
  // A collective begins, in no time: its kernels occupy the GPUs until a `release` of the same
  // `occupancy`, whatever its flows do.
  acquire,
  release,
  // The rank's host for `seconds`: to issue a kernel or, as a memory_pass, to copy; or, on a stream
  // of its own, a copy over the GPU's link to it. Takes nothing of the GPU.
  host
};

// Part of a kernel's time, and the share of it bound by memory bandwidth; SMs bound the rest.
struct KernelPart {
  double share = 1;
  double memory_share = 0;
  // More time, as a share of its own, while a collective holds any SM: of matrix products.
  double beside_channels = 0;
  auto operator<=>(const KernelPart&) const = default;
};

struct Operation {
  OperationKind kind = OperationKind::barrier;
  Phase phase = Phase::none;
  Stream stream = Stream::compute;
  Pass pass = Pass::none;   // work: outside the model
  bool on_host = false;     // work: beside the GPU, of which it takes nothing
  std::uint32_t parts = 0;  // work: index into Schedule::parts
  std::int32_t rank = -1;   // -1: of no single rank
  std::uint32_t label = 0;  // index into Schedule::labels
  std::uint32_t first_dependency = 0;
  std::uint32_t dependencies = 0;
  std::uint32_t route = 0;      // flow: index into Schedule::routes
  std::uint32_t occupancy = 0;  // flow, acquire, release: index into Schedule::occupancies
  std::uint32_t times = 1;      // in the step: once in each period that its own stands for
  double seconds = 0;
  double bytes = 0;  // flow: of each share of each hop
  // flow: latency spread evenly over its bytes, as a folded ring pays it step by step: at a rate r,
  // the whole flow would take this + bytes / r.
  double latency_on_the_way_s = 0;
};

// The engine moves whole bytes: a flow of less than one byte ends after its latency.
inline constexpr double kLeastBytes = 0.5;

// The share of its ranks' GPUs that a flow or a collective takes while it runs.
struct Occupancy {
  double multiprocessor_share = 0;  // of their SMs: its channels
  double memory_share = 0;          // of their memory bandwidth, while its bytes move
  double memory_s_per_byte = 0;     // the same per byte per second of the flow's rate
  // Channels move its bytes, not copy engines or hosts: all of a GPU's channels together take no
  // larger share of its memory bandwidth than of its SMs.
  bool by_channels = false;
  std::vector<std::int32_t> ranks;
};

// A flow that ends at the latest when another operation does, even one that was added after it. What
// it has not carried by then it never carries; a flow that waits to begin carries nothing.
struct GivenUp {
  std::uint32_t when = 0, flow = 0;
  auto operator<=>(const GivenUp&) const = default;
};

// Most flows of a schedule whose collectives are unfolded because ranks lie unevenly over nodes.
inline constexpr double kMostUnfolded = 200'000;

// Most operations of a step whose ranks are simulated one by one because alike ones would collide.
inline constexpr double kMostInPhase = 300'000;

// Operations of a period of a stage's order (sim/workload/pipeline_tasks.hpp): from `first` up to `end`.
// A period may have several such ranges.
struct PeriodRange {
  int stage = 0, period = 0;
  std::uint32_t first = 0, end = 0;
};
// The period of each stage that stands for those left out. The first one may be unlike the others.
inline constexpr int kStandsForOthers = 1;

struct Schedule {
  int ranks = 0;
  // By rank: the ranks of the job for which it stands, as they do the same (sim/schedule/alike.hpp).
  // Between sites ranks are places, which keep their numbers: none where another one stands for it.
  std::vector<std::vector<int>> alike;
  std::vector<Operation> operations;
  std::vector<std::uint32_t> dependencies;  // each smaller than the operation that names it
  std::vector<Route> routes;
  std::vector<Occupancy> occupancies;          // [0] takes nothing
  std::vector<std::vector<KernelPart>> parts;  // of kernels, in order; SMs alone bound [0]
  std::vector<std::string> labels;
  std::vector<GivenUp> given_up;  // by `when`, ascending
  // Periods of each stage's order that the step has and the schedule leaves out (Operation::times).
  int left_out = 0;
  std::vector<PeriodRange> periods;  // ascending; empty if none is left out
  double unfolded_flows = 0;         // flows of the schedule when unfolded
  double host_issue_s = 0;           // that the busiest host takes to issue all its kernels
  double product_rate = 1;           // Calibration::product_rate of its kernels
  // Folds a collective whose ranks lie unevenly over nodes, or one in steps over uneven links.
  bool approximate = false;
  // Folds replicas whose messages then always meet on links (sim/program/collisions.hpp).
  bool in_phase = false;

  [[nodiscard]] double operations_of_step() const;
  // Periods of the first stage's order, where some are left out.
  [[nodiscard]] int periods_played() const;

  // Whether it is better simulated step by step.
  [[nodiscard]] bool wants_steps() const { return approximate && unfolded_flows <= kMostUnfolded; }

  [[nodiscard]] std::span<const std::uint32_t> dependencies_of(const Operation& operation) const {
    return {dependencies.data() + operation.first_dependency, operation.dependencies};
  }
};

// Bytes that each rank of the schedule sends, each hop counted once, by level: the mean of those for
// which it stands.
struct SentBytes {
  std::vector<double> intra_node;  // by rank, over NVLink
  std::vector<double> inter_node;  // by rank, over its node's NICs
};
[[nodiscard]] SentBytes sent_bytes(const Schedule& schedule);
[[nodiscard]] SentBytes sent_bytes(const Schedule& schedule, Phase phase);

// The same, mean over the ranks of the job.
struct WireBytes {
  double intra_node = 0;
  double inter_node = 0;
};
[[nodiscard]] WireBytes mean_sent(const Schedule& schedule);
[[nodiscard]] WireBytes mean_sent(const Schedule& schedule, Phase phase);

}  // namespace sim
