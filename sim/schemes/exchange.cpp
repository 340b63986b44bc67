// The data-parallel exchanges of a step: weights to all replicas, gradients to their shards.
#include <cmath>
#include <map>

#include "sim/schemes/exchange_kernels.hpp"
#include "sim/schemes/formats.hpp"
#include "sim/schemes/step.hpp"

namespace sim {
namespace {

using Algorithm = GradientExchange::Algorithm;

std::size_t ceil_elements(double elements, double parts) {
  return static_cast<std::size_t>(std::ceil(elements / parts));
}

double wire_bytes(const codecs::Format& format, std::size_t elements) {
  return static_cast<double>(codecs::encoded_bytes(format, elements));
}

void gather_group(Step& step, const Communicator& group, int stage, std::size_t index,
                  bool beside) {
  const Bucket& bucket = step.buckets[static_cast<std::size_t>(stage)][index];
  const codecs::Format& wire = gathered_format(step, stage, index);
  const auto shard = ceil_elements(bucket.parameters, step.shards);
  const auto after = step.last_of(group, step.shards_weights() ? Stream::codec : Stream::compute);
  all_gather(step.builder, group, wire_bytes(wire, shard) * step.shards,
             {.stream = Stream::weights,
              .phase = Phase::weight_comm,
              .label = "all_gather weights",
              .after = beside ? std::span<const OperationId>() : after});
  const KernelUse decode = weight_decode(step.scheme, bucket.parameters);
  for (const int rank : group.ranks) {
    OperationId gathered = step.builder.last(rank, Stream::weights);
    if (step.scheme.weights.difference && step.shards > 1) {
      gathered = step.codec(rank, Phase::decode, decode, {&gathered, 1});
    }
    step.note_gathered(rank, index, gathered);
  }
}

// One all_to_all and the kernels around it. Of a bucket's elements, each rank sends 1/n to each.
void reduce_flat(Step& step, const Communicator& group, double parameters) {
  const auto part = ceil_elements(parameters, static_cast<double>(group.ranks.size()));
  const codecs::Format& wire = step.scheme.gradients.between;
  const auto after = step.last_of(group, Stream::compute);
  all_to_all(step.builder, group, wire_bytes(wire, part) * static_cast<double>(group.ranks.size()),
             {.stream = Stream::gradients,
              .phase = Phase::gradient_comm,
              .label = "all_to_all gradients",
              .after = after});
  const KernelUse sum =
      gradient_sum(wire, static_cast<int>(group.ranks.size()), static_cast<double>(part));
  for (const int rank : group.ranks) {
    const OperationId received = step.builder.last(rank, Stream::gradients);
    step.codec(rank, Phase::decode, sum, {&received, 1});
  }
}

// Slice by slice: inside the node, sum and encode again, between nodes, sum. A slice's kernels and
// legs follow its own data; two slices meet on a communicator or on the GPU alone.
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

  // With replicas on one level only, that level's wire is encoded at once.
  ByRank encode() {
    const codecs::Format& wire = places_ > 1 ? exchange_.inside : exchange_.between;
    ByRank encoded;
    for (const int rank : group_.shards.front().ranks) {
      const OperationId ready = step_.builder.last(rank, Stream::compute);
      for (const KernelUse& use : gradient_encode(step_.scheme, wire, parameters_)) {
        encoded[rank] = step_.codec(rank, Phase::encode, use, {&ready, 1});
      }
    }
    return encoded;
  }

  // Returns what each rank received last.
  ByRank send_slice(ByRank ready) {
    if (places_ > 1) {
      const double bytes = wire_bytes(exchange_.inside, ceil_elements(part(), 1)) * places_;
      ready = exchange(group_.inside, bytes, Stream::gradients, "all_to_all inside nodes", ready);
      if (nodes_ > 1) ready = requantize(ready);
    }
    if (nodes_ > 1) {
      const double bytes = wire_bytes(exchange_.between, ceil_elements(part(), nodes_)) * nodes_;
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

  ByRank requantize(const ByRank& received) {
    const KernelUse use = gradient_requantize(exchange_, static_cast<int>(places_), part());
    ByRank encoded;
    for (const auto& [rank, ready] : received) {
      encoded[rank] = step_.codec(rank, Phase::decode, use, {&ready, 1});
    }
    return encoded;
  }

  void sum_slice(const ByRank& received) {
    const KernelUse use =
        nodes_ > 1 ? gradient_sum(exchange_.between, static_cast<int>(nodes_), part() / nodes_)
                   : gradient_sum(exchange_.inside, static_cast<int>(places_), part());
    for (const auto& [rank, ready] : received) {
      step_.codec(rank, Phase::decode, use, {&ready, 1});
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

// One NCCL communicator gathers and reduces under ZeRO-3, in the order in which it was asked to.
Stream reduction_stream(const Step& step) {
  return step.shards_weights() ? Stream::weights : Stream::gradients;
}

void reduce_ring(Step& step, const Communicator& group, double parameters) {
  const auto after = step.last_of(group, Stream::compute);
  const double padded = static_cast<double>(ceil_elements(parameters, step.shards)) * step.shards;
  reduce_scatter(step.builder, group, padded * bytes_of(step.parallelism.gradients),
                 {.stream = reduction_stream(step),
                  .phase = Phase::gradient_comm,
                  .label = "reduce_scatter gradients",
                  .after = after});
}

// Of one shard, over the groups that hold replicas of it.
void reduce_replicas(Step& step, const Communicator& group, double parameters) {
  const auto after = step.last_of(group, reduction_stream(step));
  const auto shard = static_cast<double>(ceil_elements(parameters, step.shards));
  all_reduce(step.builder, group, shard * bytes_of(step.parallelism.gradients),
             {.stream = Stream::gradients_inter,
              .phase = Phase::gradient_comm,
              .label = "all_reduce gradients of replicas",
              .after = after});
}

void reduce_group(Step& step, const DataGroup& group, double parameters) {
  for (const Communicator& shards : group.shards) {
    switch (step.scheme.gradients.algorithm) {
      case Algorithm::ring:
        reduce_ring(step, shards, parameters);
        break;
      case Algorithm::all_to_all:
        reduce_flat(step, shards, parameters);
        break;
      case Algorithm::two_level:
        TwoLevel(step, group, parameters).run();
        break;
    }
  }
  for (const Communicator& replicas : group.replicas) reduce_replicas(step, replicas, parameters);
}

}  // namespace

const codecs::Format& gathered_format(const Step& step, int stage, std::size_t bucket) {
  const bool layers = bucket + 1 < step.buckets[static_cast<std::size_t>(stage)].size();
  return step.parallelism.gathers_matrices && layers ? formats::kFp8 : step.scheme.weights.wire;
}

void gather_bucket(Step& step, int stage, std::size_t bucket, bool beside) {
  for (int t = 0; t < step.parallelism.tensor; ++t) {
    for (const Communicator& group : step.data_group(stage, t).shards) {
      gather_group(step, group, stage, bucket, beside);
    }
  }
}

void reduce_bucket(Step& step, int stage, const Bucket& bucket) {
  if (step.data < 2) return;
  const double wire = bytes_of(step.parallelism.gradients);
  if (step.shards_weights()) {
    // FSDP copies the layers' BF16 gradients into the buffer that it sends from.
    step.pass(stage, Phase::memory_pass, "pack gradients", (2 + wire) * bucket.parameters);
  } else {
    // The mean's division is a pass over the whole buffer, in Megatron and in SDP4Bit's fork of it.
    step.pass(stage, Phase::memory_pass, "scale gradients", 2 * wire * bucket.parameters);
  }
  for (int t = 0; t < step.parallelism.tensor; ++t) {
    reduce_group(step, step.data_group(stage, t), bucket.parameters);
  }
}

}  // namespace sim
