// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/first_bound.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "sim/program/leaving_bytes.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/times/roofline.hpp"
#include "sim/topology/gpu_speeds.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/sizes.hpp"
#include "sim/workload/stages.hpp"

namespace sim::study {
namespace {

// Of a collective of any kind, by any protocol.
double least_launch_s(const Cluster& cluster) {
  const Nvlink& nvlink = cluster.nvlink;
  const Collectives& collectives = cluster.collectives;
  double least = collectives.launch.base();
  for (const auto& launch : {collectives.ll_launch, collectives.ll128_launch}) {
    if (launch) least = std::min(least, launch->base());
  }
  for (const auto& pairs : {nvlink.pairs, nvlink.ll_pairs}) {
    if (pairs) least = std::min(least, pairs->latency.base());
  }
  return least;
}

// What tensor-parallel ranks take to sum what each has of a micro-batch's activations, or to encode
// and exchange it: both ways every rank sends (n - 1) / n of it. Where they are of several nodes,
// nothing is known.
double tensor_exchange_s(const Job& job, const Parallelism& p, const Wire& wire) {
  if (p.tensor == 1 || tensor_nodes(job.cluster(), p) > 1) return 0;
  const double elements =
      double{1} * p.micro_batch * job.model.sequence / p.context * job.model.hidden;
  const bool in_switch = !p.sequence_parallel && job.cluster().nvlink.nvls.has_value();
  const double passes = in_switch ? 1 : 2 * (p.tensor - 1.0) / p.tensor;
  const double bytes = wire.bytes_per_element() * elements * passes;
  return (p.sequence_parallel ? 2 : 1) * least_launch_s(job.cluster()) +
         bytes / gpu_rate(job.cluster()).base();
}

// What ranks take to send their tokens to experts elsewhere, or back, each once to each rank or node at
// the least. Nothing where other passes run beside.
double expert_exchange_s(const Job& job, const Parallelism& p, const Wire& wire) {
  if (p.expert == 1 || !has_experts_to_choose(job.model) || pairs_passes(p)) return 0;
  const Cluster& cluster = job.cluster();
  const std::vector<int> ranks = factoring_of(cluster, p).groups(axes::expert).front();
  std::map<int, double> on_nodes;
  for (const int rank : ranks) ++on_nodes[node_of(cluster, rank)];
  const double here = on_nodes.begin()->second / p.expert;  // share of the group on a node
  const Sizes z = sizes_of(job.model, p, {.block = Block::experts});
  const Routed routed = routed_to(job.model, p, static_cast<int>(on_nodes.size()));
  const double once =
      wire.bytes_per_element() * z.local_tokens * z.experts.row_width * (1 - routed.dropped);
  const double to_others = once * routed.to_ranks * (here - 1.0 / p.expert);
  const double leaving = once * routed.to_nodes * (1 - 1.0 / static_cast<double>(on_nodes.size()));
  const double nics = nic_rate(cluster).base() * cluster.network.nics_per_node;
  // Where a node has several stages, they may send at other times.
  const auto place = [&](const Axis& axis) { return std::ranges::find(p.placement, &axis); };
  const bool alone = place(axes::data) < place(axes::pipeline);
  const double sharing = alone ? cluster.gpus_per_node : 1;
  return std::max(to_others / gpu_rate(cluster).base(), leaving * sharing / nics);
}

// What matters of the wires.
ActivationExchange exchanged(const Parallelism& p, const ActivationExchange& wires) {
  ActivationExchange all;
  if (p.tensor > 1) all.tensor = wires.tensor;
  if (p.expert > 1) {
    all.dispatch = wires.dispatch;
    all.combine = wires.combine;
  }
  return all;
}

double weight_bytes(const Parallelism& p, const Scheme& scheme) {
  const double bytes = scheme.weights.wire.bytes_per_element();
  if (p.matrices == MatrixPrecision::bf16) return bytes;
  return std::min(bytes, bytes_of(p.matrices));  // products may take codes as they come
}

// What lies on all holders of dense weights.
StageParameters without_experts_apart(const Parallelism& p, StageParameters held) {
  if (dispatches(p)) held.layers -= held.routed;
  return held;
}

// What leaves the busiest node, of dense weights and what lies with them.
class NodeBytes {
 public:
  NodeBytes(const Job& job, const Setup& setup)
      : job_(job),
        p_(setup.parallelism),
        scheme_(setup.scheme),
        factoring_(factoring_of(job.cluster(), p_)),
        holders_(factoring_.groups_of_holders(Weights::dense)),
        data_(static_cast<int>(holders_.front().size())),
        shards_(shard_ranks(job.cluster(), p_)),
        weight_(weight_bytes(p_, scheme_)),
        leaving_(static_cast<std::size_t>(job.cluster().nodes)) {
    const StepContext context = job.context(setup);
    const StepSizes shape(context, scheme_);
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      const Bucket whole = whole_stage(job_.model, p_, stage);
      gradients_.push_back(leaving_bytes(shape, reduction_of(shape, stage, whole)));
      held_.push_back(without_experts_apart(p_, stage_parameters(job_.model, p_, stage)));
    }
  }

  // All of a step; ZeRO-3 drops the weights of a layer in each of its backward passes at the latest.
  [[nodiscard]] double all() {
    const int reductions = p_.sharding.stage >= 2 ? p_.accumulation : 1;
    if (p_.sharding.stage < 3) return once(1, reductions);
    const bool twice = p_.sharding.reshard_after_forward && !scheme_.weights.secondary_shards;
    return most(
        [&](const StageParameters& held) {
          const double layers = held.layers;
          const double ends = held.embedding + held.head;
          return p_.accumulation * ((twice ? 2 : 1) * layers + ends);
        },
        reductions);
  }
  // Weights that are gathered so many times, and gradients that are summed.
  [[nodiscard]] double once(double weights, double gradients) {
    return most([&](const StageParameters& held) { return weights * held.total(); }, gradients);
  }

 private:
  // With the weights of a stage that are gathered.
  [[nodiscard]] double most(const auto& gathered, double reductions) {
    std::ranges::fill(leaving_, 0);
    for (const std::vector<int>& ranks : holders_) {
      const int stage = factoring_.dense().place(ranks.front(), axes::pipeline);
      const LeavingBytes& gradients = gradients_[static_cast<std::size_t>(stage)];
      const double exchanged = weight_ * gathered(held_[static_cast<std::size_t>(stage)]) +
                               reductions * gradients.shards;
      for (int first = 0; first < data_ && shards_ > 1; first += shards_) {
        add(ranks, first, 1, shards_, exchanged);
      }
      for (int first = 0; first < shards_ && shards_ < data_; ++first) {
        add(ranks, first, shards_, data_ / shards_, reductions * gradients.replicas);
      }
      add(ranks, 0, 1, data_, reductions * gradients.same_weights);
    }
    return *std::ranges::max_element(leaving_);
  }

  // Of `count` ranks, from place `first` on, `stride` apart, that have one part each of `bytes`.
  void add(const std::vector<int>& ranks, int first, int stride, int count, double bytes) {
    if (bytes == 0) return;
    std::vector<int> held(leaving_.size());
    for (int i = 0; i < count; ++i) {
      const int rank = ranks[static_cast<std::size_t>(first + i * stride)];
      ++held[static_cast<std::size_t>(node_of(job_.cluster(), rank))];
    }
    for (std::size_t node = 0; node < held.size(); ++node) {
      if (held[node] > 0) leaving_[node] += bytes * (count - held[node]) / count;
    }
  }

  const Job& job_;
  const Parallelism& p_;
  const Scheme& scheme_;
  Factoring factoring_;
  std::vector<std::vector<int>> holders_;  // of the same weights
  int data_, shards_;
  double weight_;
  std::vector<LeavingBytes> gradients_;  // of a reduction, by stage
  std::vector<StageParameters> held_;    // likewise
  std::vector<double> leaving_;          // by node
};

// Passes over so many bytes.
class LeastPass {
 public:
  explicit LeastPass(const Job& job)
      : job_(job),
        roofline_(job.cluster().gpu, compute_efficiency(job.cluster()), job.calibration()) {}
  [[nodiscard]] double operator()(double bytes) const {
    return least_pass_time(job_.calibration(), job_.cluster().gpu, bytes, roofline_.pass(bytes));
  }

 private:
  const Job& job_;
  Roofline roofline_;
};

// What follows once all gradients are summed: clipping, AdamW, and the cast to BF16. Muon's part of
// the parameters is left out.
double update_seconds(const Job& job, const Parallelism& p) {
  if (p.optimizer == Optimizer::muon) return 0;
  const LeastPass pass(job);
  const bool fsdp = p.sharding.stage == 3;
  const double gradient = fsdp ? 4 : bytes_of(p.gradients);
  double longest = 0;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const double shard = shard_parameters(job.cluster(), p, stage_parameters(job.model, p, stage));
    const double bytes = (2 * gradient + gradient + 3 * 4 + 3 * 4 + (fsdp ? 0 : 6)) * shard;
    longest = std::max(longest, pass(bytes));
  }
  return longest;
}

// Without what the kernels of a micro-batch do not depend on.
Parallelism of_passes(Parallelism p) {
  const Parallelism usual;
  p.pipeline = usual.pipeline;
  p.virtual_stages = usual.virtual_stages;
  p.counted_ends = usual.counted_ends;
  p.stage_layers.clear();
  p.offloaded_layers = usual.offloaded_layers;
  p.accumulation = usual.accumulation;
  p.bucket = usual.bucket;
  p.gathers_matrices = usual.gathers_matrices;
  p.overlap = {
      .tensor = p.overlap.tensor, .experts = p.overlap.experts, .batches = p.overlap.batches};
  p.sharding = {.stage = p.sharding.stage == 3 ? 3 : 1};
  return p;
}

}  // namespace

double FirstBound::seconds(const Cluster& cluster, double factor) const {
  const double rate = nic_rate(cluster).base() * cluster.network.nics_per_node * factor;
  const double both_s = std::max({gathered / rate + from_forward_s, to_backward_s + summed / rate,
                                  between_s + gathered_and_summed / rate});
  return std::max({compute_s, bytes / rate, both_s + update_s}) * (1 - kRounded);
}

StageSlowdowns FirstBounds::slowdowns(const Job& job, const Parallelism& p) {
  const Cluster& cluster = job.cluster();
  const double step =
      slowdown_of_step(cluster, {p.pipeline, p.accumulation * p.virtual_stages, p.tensor});
  if (p.pipeline == 1 || cluster.speed_spread <= 0) return {step, step};
  const std::lock_guard lock(mutex_);
  const auto [known, added] =
      of_stages_.try_emplace({rank_count(cluster), p.pipeline, p.tensor, p.placement});
  if (added) known->second = stage_slowdowns(cluster, p);
  return {std::min(step, known->second.stage), known->second.fastest};
}

FirstBounds::Passes FirstBounds::passes(const Job& job, const Parallelism& p,
                                        const ActivationExchange& wires, double slowdown) {
  const std::lock_guard lock(mutex_);
  const Key key{slowdown, tensor_nodes(job.cluster(), p), of_passes(p)};
  const auto [known, added] = known_.at(key, exchanged(p, wires));
  if (!added) return known;
  known = passes_of(job, p, wires, slowdown);
  if (p.matrices == MatrixPrecision::bf16) return known;
  // Products may take what is gathered as it comes, as a form of ZeRO-3 or as a scheme has it.
  Parallelism other = p;
  other.gathers_matrices = !p.gathers_matrices;
  return known = least(known, passes_of(job, other, wires, slowdown));
}

FirstBounds::Passes FirstBounds::least(Passes a, const Passes& b) {
  for (double Passes::*part :
       {&Passes::embedding, &Passes::embedding_backward, &Passes::head, &Passes::head_backward}) {
    a.*part = std::min(a.*part, b.*part);
  }
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    a.layers[i].forward = std::min(a.layers[i].forward, b.layers[i].forward);
    a.layers[i].backward = std::min(a.layers[i].backward, b.layers[i].backward);
  }
  return a;
}

double FirstBounds::sum(const Passes& passes, double LayerPass::*pass, const KindCounts& layers) {
  double sum = 0;
  for (const KindCount& one : layers) {
    sum += one.layers * *std::ranges::find(passes.layers, one.kind, &LayerPass::kind).*pass;
  }
  return sum;
}

FirstBounds::Passes FirstBounds::passes_of(const Job& job, const Parallelism& p,
                                           const ActivationExchange& wires, double slowdown) {
  const Roofline roofline(job.cluster().gpu, compute_efficiency(job.cluster()), job.calibration());
  const auto seconds = [&](const Operators& operators) {
    const BlockTime time = roofline.block(operators);
    return time.memory_seconds + (time.seconds - time.memory_seconds) * slowdown;
  };
  const EndOperators ends = end_operators(job.model, p);
  // Beside a pass of another micro-batch, exchanges may take nothing.
  const bool pairs = pairs_passes(p);
  const double exchange = pairs ? 0 : tensor_exchange_s(job, p, wires.tensor);
  const double out = expert_exchange_s(job, p, wires.dispatch);
  const double back = expert_exchange_s(job, p, wires.combine);
  const auto at_point = [&](Point point) {
    if (point == Point::after_block) return exchange;
    if (point == Point::dispatch || point == Point::dispatch_gradients) return out;
    return point == Point::combine || point == Point::combine_gradients ? back : 0;
  };
  // Half of an exchange without a codec; where it overlaps, it may take nothing.
  const double gather = p.overlap.tensor || pairs ? 0 : tensor_exchange_s(job, p, {}) / 2;
  // An exchange of gradients runs beside the kernels of weights, where they are let.
  const auto pass = [&](const Segments& segments) {
    double sum = 0;
    for (const Segment& one : segments) {
      const double exchanged = at_point(one.point);
      const double beside = seconds(one.beside);
      const bool overlaps = is_behind_block(one.point) ? p.overlap.tensor : p.overlap.experts;
      sum += seconds(one.kernels) + (overlaps ? std::max(exchanged, beside) : exchanged + beside);
    }
    return sum;
  };
  Passes all{.embedding = seconds(ends.embedding),
             .embedding_backward = seconds(ends.embedding_backward),
             .head = seconds(ends.head),
             .head_backward = seconds(ends.head_backward)};
  for (const KindCount& one : kinds_between(job.model, 0, all_layers(job.model))) {
    const LayerOperators layer = layer_operators(job.model, p, one.kind);
    const auto exchanges = std::ranges::count(layer.forward, Point::after_block, &Segment::point);
    const auto repeated = std::min<std::ptrdiff_t>(recomputed_exchanges(p), exchanges);
    const auto gathered = std::min<std::ptrdiff_t>(inputs_gathered_again(p), exchanges);
    all.layers.push_back({one.kind, pass(layer.forward),
                          seconds(layer.recompute) + static_cast<double>(repeated) * exchange +
                              static_cast<double>(gathered) * gather + pass(layer.backward)});
  }
  return all;
}

FirstBound FirstBounds::kernels(const Job& job, const Parallelism& p,
                                const ActivationExchange& wires,
                                const std::vector<Buffers>& by_stage) {
  const StageSlowdowns slow = slowdowns(job, p);
  const Passes pass = passes(job, p, wires, slow.stage);
  const double other_stages = std::min(1.0, slow.fastest / slow.stage);
  constexpr double kLongest = std::numeric_limits<double>::infinity();
  const Stages stages(job.model, p);
  FirstBound bound{.from_forward_s = kLongest, .to_backward_s = kLongest};
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const Buffers buffer = by_stage.empty() ? Buffers{} : by_stage[static_cast<std::size_t>(stage)];
    const bool first = stage == 0;
    const bool last = stage == p.pipeline - 1;
    const KindCounts layers = kinds_of_stage(job.model, stages, p, stage);
    const double forward = sum(pass, &LayerPass::forward, layers) + buffer.forward +
                           (first ? pass.embedding : 0) + (last ? pass.head : 0);
    const double backward = sum(pass, &LayerPass::backward, layers) + buffer.backward +
                            (first ? pass.embedding_backward : 0) + (last ? pass.head_backward : 0);
    // What the stages before it do first, and last: beside those passes that nothing waits for.
    const KindCounts before_it = kinds_between(job.model, 0, stages.first_layer(stage));
    const double fill =
        first ? 0 : other_stages * (sum(pass, &LayerPass::forward, before_it) + pass.embedding);
    const double drain =
        first
            ? 0
            : other_stages * (sum(pass, &LayerPass::backward, before_it) + pass.embedding_backward);
    const double beside = first ? 0 : buffer.backward;
    const double before = (by_stage.empty() ? 0 : by_stage.front().first) + fill;
    const double passes_s = p.accumulation * (forward + backward);
    const double all = before + passes_s - beside + std::max(buffer.last + beside, drain);
    bound.compute_s = std::max(bound.compute_s, all);
    bound.from_forward_s = std::min(bound.from_forward_s, all - before - forward);
    bound.to_backward_s = std::min(bound.to_backward_s, before + passes_s - backward);
    if (p.pipeline == 1) bound.between_s = passes_s - forward - backward;
  }
  return bound;
}

std::vector<FirstBounds::Buffers> FirstBounds::buffers(const Job& job, const Setup& setup) const {
  const Parallelism& p = setup.parallelism;
  const LeastPass pass(job);
  const double gradient = bytes_of(p.gradients);
  std::vector<Buffers> all;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const StageParameters held = stage_parameters(job.model, p, stage);
    Buffers buffer;
    double reduced = 0;
    for (const GroupParameters& one : by_group(p, held)) {
      if (holders(job.cluster(), p, one.group) > 1) reduced += one.parameters;
    }
    const bool several = reduced > 0;
    if (p.sharding.stage < 3) {
      buffer.first = pass(gradient * held.total());
      const double scaled = several ? pass(2 * gradient * reduced) : 0;
      (p.sharding.stage == 2 ? buffer.backward : buffer.last) = scaled;
    } else if (several) {
      buffer.backward = pass((2 + gradient) * reduced);
      const bool unpacks = setup.scheme.weights.is_plain() && shard_ranks(job.cluster(), p) > 1 &&
                           !setup.scheme.weights.secondary_shards;
      if (unpacks) {
        const double layers = without_experts_apart(p, held).layers;
        buffer.forward = pass(2 * weight_bytes(p, setup.scheme) * layers);
        if (p.sharding.reshard_after_forward) buffer.backward += buffer.forward;
      }
    }
    all.push_back(buffer);
  }
  return all;
}

FirstBound FirstBounds::of(const Job& job, const Setup& setup) {
  const Parallelism& p = setup.parallelism;
  FirstBound bound = kernels(job, p, setup.scheme.activations, buffers(job, setup));
  NodeBytes bytes(job, setup);
  bound.bytes = bytes.all();
  if (p.sharding.stage < 3 && p.virtual_stages == 1) {
    bound.gathered = bytes.once(1, 0);
    bound.summed = bytes.once(0, 1);
    bound.gathered_and_summed = bytes.once(1, 1);
  }
  bound.update_s = update_seconds(job, p);
  bound.compute_s += bound.update_s;
  return bound;
}

}  // namespace sim::study
