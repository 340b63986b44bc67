#include "apps/plan/first_bound.hpp"

#include <algorithm>
#include <vector>

#include "sim/cluster/fabric.hpp"
#include "sim/cluster/gpu_speeds.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/workload/roofline.hpp"

namespace apps {
namespace {

using Algorithm = sim::GradientExchange::Algorithm;

double fastest_gpu(const sim::Cluster& cluster) {
  return std::ranges::min(sim::rank_slowdowns(cluster));
}

// What tensor-parallel ranks take to sum what each has of a micro-batch's activations, or to encode
// and exchange it: both ways every rank sends (n - 1) / n of it. Where they are of several nodes,
// nothing is known.
double tensor_exchange_s(const Job& job, const Setup& setup) {
  const sim::Parallelism& p = setup.parallelism;
  if (p.tensor == 1 || p.placement.front() != sim::Axis::tensor) return 0;
  const sim::Wire& wire = setup.scheme.activations.tensor;
  const double elements = double{1} * p.micro_batch * job.model.sequence * job.model.hidden;
  const double bytes = wire.bytes_per_element() * elements * 2 * (p.tensor - 1) / p.tensor;
  const bool mesh = job.cluster.nvlink.kind == sim::Nvlink::Kind::full_mesh;
  const int ports = mesh ? job.cluster.gpus_per_node - 1 : 1;
  return bytes / (nvlink_rate(job.cluster).base() * ports);
}

// What leaves the busiest node.
class NodeBytes {
 public:
  NodeBytes(const Job& job, const Setup& setup)
      : job_(job),
        p_(setup.parallelism),
        scheme_(setup.scheme),
        data_(data_parallel(job.cluster, p_)),
        shards_(shard_ranks(job.cluster, p_)),
        leaving_(static_cast<std::size_t>(job.cluster.nodes)) {}

  [[nodiscard]] double most() {
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      const double exchanged = exchanged_bytes(stage);
      const double summed = summed_bytes(stage);
      for (int t = 0; t < p_.tensor; ++t) {
        for (int first = 0; first < data_ && shards_ > 1; first += shards_) {
          add({stage, first, t}, 1, shards_, exchanged);
        }
        for (int first = 0; first < shards_ && shards_ < data_; ++first) {
          add({stage, first, t}, shards_, data_ / shards_, summed);
        }
      }
    }
    return *std::ranges::max_element(leaving_);
  }

 private:
  // Of `count` replicas, `stride` apart, that have one part each of `bytes`.
  void add(sim::Place place, int stride, int count, double bytes) {
    std::vector<int> held(leaving_.size());
    for (int i = 0; i < count; ++i, place.replica += stride) {
      const int rank = rank_of(job_.cluster, p_, place);
      ++held[static_cast<std::size_t>(sim::node_of(job_.cluster, rank))];
    }
    for (std::size_t node = 0; node < held.size(); ++node) {
      if (held[node] > 0) leaving_[node] += bytes * (count - held[node]) / count;
    }
  }

  // Weights that are gathered from shards and gradients that are summed into them.
  [[nodiscard]] double exchanged_bytes(int stage) const {
    const sim::StageParameters held = stage_parameters(job_.model, p_, stage);
    const double layers = held.layer * held.layers;
    const double ends = held.embedding + held.head;
    double weight = scheme_.weights.wire.bytes_per_element();
    if (p_.matrices != sim::MatrixPrecision::bf16) {
      weight = std::min(weight, bytes_of(p_.matrices));  // products may take codes as they come
    }
    if (p_.sharding.stage < 3) {
      const int reductions = p_.sharding.stage == 2 ? p_.accumulation : 1;
      return held.total() * (weight + reductions * gradient_bytes());
    }
    const bool twice = p_.sharding.reshard_after_forward && !scheme_.weights.secondary_shards;
    return p_.accumulation *
           (weight * ((twice ? 2 : 1) * layers + ends) + gradient_bytes() * held.total());
  }

  [[nodiscard]] double gradient_bytes() const {
    switch (scheme_.gradients.algorithm) {
      case Algorithm::ring:
        return bytes_of(p_.gradients);
      case Algorithm::all_to_all:
      case Algorithm::two_level:
        return scheme_.gradients.between.bytes_per_element();
      default:
        return 0;
    }
  }

  // Of a replica's shard, that all replicas sum and get back, in rings.
  [[nodiscard]] double summed_bytes(int stage) const {
    if (scheme_.gradients.algorithm != Algorithm::ring) return 0;
    const double shard = stage_parameters(job_.model, p_, stage).total() / shards_;
    const int reductions = p_.sharding.stage >= 2 ? p_.accumulation : 1;
    return 2 * reductions * shard * bytes_of(p_.gradients);
  }

  const Job& job_;
  const sim::Parallelism& p_;
  const sim::Scheme& scheme_;
  int data_, shards_;
  std::vector<double> leaving_;  // by node
};

}  // namespace

double FirstBound::seconds(const sim::Cluster& cluster) const {
  const double node_rate = nic_rate(cluster).base() * cluster.network.nics_per_node;
  return std::max(compute_s, bytes / node_rate) * (1 - sim::kRounded);
}

const FirstBounds::Passes& FirstBounds::passes(const Job& job, const Setup& setup) {
  const sim::Parallelism& p = setup.parallelism;
  const Key key{sim::rank_count(job.cluster), p.tensor, p.micro_batch, p.recompute,
                setup.scheme.activations.tensor.name()};
  const auto [found, added] = known_.try_emplace(key);
  Passes& passes = found->second;
  if (!added) return passes;
  const sim::Roofline roofline(job.cluster.gpu, job.cluster.fitted, job.calibration);
  const double slow = fastest_gpu(job.cluster);
  const auto seconds = [&](const sim::Operators& operators) {
    const sim::BlockTime time = roofline.block(operators);
    return time.memory_seconds + (time.seconds - time.memory_seconds) * slow;
  };
  const sim::LayerOperators layer = layer_operators(job.model, p);
  const sim::EndOperators ends = end_operators(job.model, p);
  const double exchange = tensor_exchange_s(job, setup);
  // An exchange of gradients runs beside the kernels of weights, where they are let.
  const auto block = [&](const sim::Operators& inputs, const sim::Operators& weights) {
    return seconds(inputs) +
           (p.overlap.tensor ? std::max(exchange, seconds(weights)) : exchange + seconds(weights));
  };
  passes = {.forward = seconds(layer.attention) + seconds(layer.feed_forward) + 2 * exchange,
            .backward = seconds(layer.recompute) +
                        block(layer.feed_forward_inputs, layer.feed_forward_weights) +
                        block(layer.attention_inputs, layer.attention_weights),
            .embedding = seconds(ends.embedding),
            .embedding_backward = seconds(ends.embedding_backward),
            .head = seconds(ends.head),
            .head_backward = seconds(ends.head_backward)};
  return passes;
}

FirstBound FirstBounds::of(const Job& job, const Setup& setup) {
  const sim::Parallelism& p = setup.parallelism;
  const Passes& pass = passes(job, setup);
  const int layers = job.model.layers / p.pipeline;  // of a stage
  const int chunk = layers / p.virtual_stages;
  double longest = 0;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    double micro_batch = layers * (pass.forward + pass.backward);
    if (stage == 0) micro_batch += pass.embedding + pass.embedding_backward;
    if (stage == p.pipeline - 1) micro_batch += pass.head + pass.head_backward;
    const double around = stage == 0 ? 0
                                     : stage * chunk * (pass.forward + pass.backward) +
                                           pass.embedding + pass.embedding_backward;
    longest = std::max(longest, around + p.accumulation * micro_batch);
  }
  return {.compute_s = longest, .bytes = NodeBytes(job, setup).most()};
}

}  // namespace apps
