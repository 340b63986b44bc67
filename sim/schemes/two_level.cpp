// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/two_level.hpp"

#include <map>

#include "sim/schemes/kernels.hpp"

namespace sim {
namespace {

class TwoLevel {
 public:
  TwoLevel(Step& step, const DataGroup& group, double parameters)
      : step_(step),
        group_(group),
        exchange_(step.scheme.gradients),
        places_(static_cast<double>(group.inside.front().ranks.size())),
        nodes_(static_cast<double>(group.inside.size())),
        slices_(places_ > 1 && nodes_ > 1 ? step.scheme.gradients.slices : 1),
        parameters_(parameters) {}

  void run() {
    const ByRank encoded = encode();
    std::vector<ByRank> received;
    for (int slice = 0; slice < slices_; ++slice) received.push_back(send_slice(encoded));
    for (const ByRank& slice : received) sum_slice(slice);
  }

 private:
  using ByRank = std::map<int, OperationId>;  // one operation of each rank of the group

  // Elements of a slice that a rank sums for its node.
  [[nodiscard]] double part() const { return parameters_ / slices_ / places_; }
  [[nodiscard]] int ranks() const { return static_cast<int>(places_ * nodes_); }

  // With replicas on one level only, that level's wire is encoded at once.
  ByRank encode() {
    const Wire& wire = places_ > 1 ? exchange_.inside : exchange_.between;
    const auto kernels = step_.timed(gradient_encode(exchange_, wire, parameters_, ranks()));
    ByRank encoded;
    for (const int rank : group_.shards.front().ranks) {
      const OperationId ready = step_.builder.last(rank, Stream::compute);
      for (const CodecKernel& kernel : kernels) {
        encoded[rank] = step_.codec(rank, Phase::encode, kernel, {&ready, 1});
      }
    }
    return encoded;
  }

  // Returns what each rank received last.
  ByRank send_slice(ByRank ready) {
    if (places_ > 1) {
      const double bytes = exchange_.inside.bytes(part(), places_) * places_;
      ready = exchange(group_.inside, bytes, Stream::gradients, "all_to_all inside nodes", ready);
      if (nodes_ > 1) ready = encode_sums(ready);
    }
    if (nodes_ > 1) {
      const double bytes = exchange_.between.bytes(part() / nodes_, nodes_) * nodes_;
      ready = exchange(group_.between, bytes, Stream::gradients_inter, "all_to_all between nodes",
                       ready);
    }
    return ready;
  }

  ByRank exchange(const std::vector<Communicator>& groups, double bytes, Stream stream,
                  std::string_view label, const ByRank& ready) {
    ByRank received;
    for (const Communicator& group : groups) {
      std::vector<OperationId> after;
      for (const int rank : group.ranks) after.push_back(ready.at(rank));
      all_to_all(step_.builder, group, bytes,
                 {.stream = stream, .phase = Phase::gradient_comm, .label = label, .after = after});
      for (const int rank : group.ranks) received[rank] = step_.builder.last(rank, stream);
    }
    return received;
  }

  ByRank encode_sums(const ByRank& received) {
    const auto kernels =
        step_.timed(gradient_encode_sum(exchange_, exchange_.inside, exchange_.between,
                                        static_cast<int>(places_), part(), ranks()));
    ByRank encoded;
    for (const auto& [rank, ready] : received) {
      for (const CodecKernel& kernel : kernels) {
        encoded[rank] = step_.codec(rank, Phase::decode, kernel, {&ready, 1});
      }
    }
    return encoded;
  }

  void sum_slice(const ByRank& received) {
    const CodecKernel kernel = step_.timed(
        nodes_ > 1 ? gradient_sum(exchange_.between, static_cast<int>(nodes_), part() / nodes_)
                   : gradient_sum(exchange_.inside, static_cast<int>(places_), part()));
    for (const auto& [rank, ready] : received) {
      step_.codec(rank, Phase::decode, kernel, {&ready, 1});
    }
  }

  Step& step_;
  const DataGroup& group_;
  const GradientExchange& exchange_;
  double places_;  // replicas on a node
  double nodes_;
  int slices_;  // they overlap the levels: with one level there is nothing to overlap
  double parameters_;
};

}  // namespace

void reduce_on_two_levels(Step& step, const DataGroup& group, double parameters) {
  TwoLevel(step, group, parameters).run();
}

}  // namespace sim
