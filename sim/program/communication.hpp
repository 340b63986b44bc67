// SPDX-License-Identifier: Apache-2.0
// Communication: what ranks do together to exchange something, as data: codec kernels and
// collectives in order, without ranks or routes. What it sends, keeps in memory, loses and takes
// follows from it.
//
//   start ─► [kernel] ─► [transfer among shards] ─► [kernel] ─► ...
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "sim/collectives/algorithm.hpp"
#include "sim/layout/axis.hpp"
#include "sim/schedule/schedule.hpp"
#include "sim/times/wire.hpp"

namespace sim {

// What a rank's part waits for: the last operations of these streams and, with `holds`, whatever
// the next kernel of the compute stream would wait for.
struct Start {
  StreamSet streams;
  bool holds = false;
};

// Launches of kernels, timed together as one operation on each rank.
struct Kernel {
  struct Launch {
    CodecUse use;
    double count = 1;
  };
  std::vector<Launch> launches;
  Phase phase = Phase::encode;
  Stream stream = Stream::codec;

  Kernel(CodecUse use, Phase in, Stream on = Stream::codec)
      : launches{{std::move(use)}}, phase(in), stream(on) {}
  Kernel(std::vector<Launch> all, Phase in) : launches(std::move(all)), phase(in) {}
};

// The ranks of a stage that take part in a collective: of those that hold the same weights, ...
enum class Among {
  shards,    // that share one set of shards
  replicas,  // that hold the same shard
  inside,    // on one node
  between,   // in the same place on each node
  axis       // none of them: the ranks along Communication::axis
};

struct Transfer {
  CollectiveKind collective = CollectiveKind::all_gather;
  Among among = Among::shards;
  double bytes = 0;  // of the whole buffer; of an all_to_all, of each rank's
  Stream stream = Stream::gradients;
  Phase phase = Phase::gradient_comm;
  std::string label = {};
  std::optional<Wire> wire = {};  // in buffers of its own; else values, exchanged where they lie
  double encoded = 0;             // elements of which each rank encodes a wire
  bool kept = false;              // in buffers that last from step to step
  // Of tokens between experts: the algorithm of a library other than NCCL, how tokens spread, and the
  // SMs that the library is given (Order).
  const CollectiveAlgorithm* algorithm = nullptr;
  Spread spread = {};
  int multiprocessors = 0;
};

[[nodiscard]] Order order_of(const Transfer& transfer);

inline constexpr int kAtStart = -1;
struct Part {
  std::variant<Kernel, Transfer> what;
  int after = kAtStart;  // index of the part that it follows
};

struct Communication {
  const Axis* axis = nullptr;  // null: between ranks that hold the same of `weights`
  Weights weights = Weights::dense;
  double elements = 0;  // that it exchanges, of a rank
  Start start = {};
  bool counted = false;  // how much each rank sends is found on GPUs, which hosts may wait for
  std::vector<Part> parts = {};

  // Adds what follows the last part, or part `after`; returns its index.
  int add(std::variant<Kernel, Transfer> part) {
    return add(std::move(part), static_cast<int>(parts.size()) - 1);
  }
  int add(std::variant<Kernel, Transfer> part, int after) {
    parts.push_back({std::move(part), after});
    return static_cast<int>(parts.size()) - 1;
  }
  void add(const std::vector<CodecUse>& uses, Phase phase) {
    for (const CodecUse& use : uses) add(Kernel(use, phase));
  }
  // Whose groups it takes: along an axis, whatever the ranks hold.
  [[nodiscard]] Weights joined() const { return axis == nullptr ? weights : Weights::dense; }
  // Where the result is there: the stream of the last part.
  [[nodiscard]] Stream last_stream() const;
};

}  // namespace sim
