// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/first_bound.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/program/layer_kernels.hpp"
#include "sim/program/outline.hpp"
#include "sim/schedule/least_time.hpp"
#include "sim/study/search/node_bytes.hpp"
#include "sim/times/roofline.hpp"
#include "sim/topology/gpu_speeds.hpp"
#include "sim/topology/topology.hpp"
#include "sim/workload/stages.hpp"

namespace sim::study {
namespace {

// What is exchanged once more with what is recomputed, one after the other on each stream.
double repeated_s(const Parallelism& p, const LayerExchanges& exchanges, const Segments& forward) {
  double tensor = 0, experts = 0, context = 0;
  int left = recomputed_exchanges(p);
  for (const Segment& one : forward) {
    const double seconds = exchanges.at(one.point);
    const bool goes = one.point == Point::dispatch || one.point == Point::combine;
    if (is_behind_block(one.point)) {
      if (left-- > 0) tensor += seconds;
    } else if (repeats(p, one.point)) {
      (goes ? experts : context) += seconds;
    }
  }
  return std::max({tensor, experts, context});
}

// Blocks' inputs; where they overlap, that may take nothing.
double gathered_again_s(const Parallelism& p, const LayerExchanges& exchanges,
                        const Segments& backward) {
  if (p.overlap.tensor) return 0;
  int blocks = 0;
  std::string_view block;
  for (const Segment& one : backward) {
    if (one.block != block && one.gathers) ++blocks;
    block = one.block;
  }
  return std::min(inputs_gathered_again(p), blocks) * exchanges.gather_again.seconds;
}

}  // namespace

double FirstBound::seconds(const Cluster& cluster, double factor) const {
  const double rate = nic_rate(cluster).base() * cluster.network.nics_per_node * factor;
  const Computing& computing = factor > 1 ? on_any_nics : on_these_nics;
  const double both_s =
      std::max({gathered / rate + computing.from_forward_s, computing.to_backward_s + summed / rate,
                computing.between_s + gathered_and_summed / rate});
  return std::max({computing.all_s + update_s, bytes / rate, both_s + update_s}) * (1 - kRounded);
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

Passes FirstBounds::passes(const Job& job, const Parallelism& p, const LayerExchanges& exchanges,
                           double slowdown) {
  const std::lock_guard lock(mutex_);
  const auto [known, added] = known_.at({slowdown, of_passes(p)}, exchanges);
  if (!added) return known;
  known = passes_of(job, p, exchanges, slowdown);
  if (p.matrices == MatrixPrecision::bf16) return known;
  // Products may take what is gathered as it comes, as a form of ZeRO-3 or as a scheme has it.
  Parallelism other = p;
  other.gathers_matrices = !p.gathers_matrices;
  return known = least(known, passes_of(job, other, exchanges, slowdown));
}

Passes FirstBounds::least(Passes a, const Passes& b) {
  for (double Passes::*part :
       {&Passes::embedding, &Passes::embedding_backward, &Passes::head, &Passes::head_backward}) {
    a.*part = std::min(a.*part, b.*part);
  }
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    for (double LayerPass::*part : {&LayerPass::forward, &LayerPass::backward}) {
      a.layers[i].*part = std::min(a.layers[i].*part, b.layers[i].*part);
    }
  }
  return a;
}

double FirstBounds::sum(const Passes& passes, double LayerPass::*pass, const KindCounts& layers) {
  double sum = 0;
  for (const KindCount& one : layers) {
    sum += one.layers * passes.of(one.kind).*pass;
  }
  return sum;
}

Passes FirstBounds::passes_of(const Job& job, const Parallelism& p, const LayerExchanges& exchanges,
                              double slowdown) {
  const Roofline roofline(job.cluster().gpu, compute_efficiency(job.cluster()), job.calibration());
  const auto seconds = [&](const Operators& operators) {
    const BlockTime time = roofline.block(operators);
    return time.memory_seconds + (time.seconds - time.memory_seconds) * slowdown;
  };
  const EndOperators ends = end_operators(job.model, p);
  const auto pass = [&](const Segments& segments) {
    double sum = 0;
    for (const Segment& one : segments) {
      const double exchanged = exchanges.at(one.point), beside = seconds(one.beside);
      const bool overlaps = runs_beside(p, one.point);
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
    all.layers.push_back(
        {.kind = one.kind,
         .forward = pass(layer.forward),
         .backward = seconds(layer.recompute) + repeated_s(p, exchanges, layer.forward) +
                     gathered_again_s(p, exchanges, layer.backward) + pass(layer.backward),
         .forward_waits = exchanges.at(layer.forward.back().point),
         .backward_waits = exchanges.at(layer.backward.back().point)});
  }
  return all;
}

FirstBound::Computing FirstBounds::computing(const Job& job, const Parallelism& p,
                                             const LayerExchanges& exchanges,
                                             const std::vector<Buffers>& by_stage) {
  const StageSlowdowns slow = slowdowns(job, p);
  const Passes pass = passes(job, p, exchanges, slow.stage);
  const double other_stages = std::min(1.0, slow.fastest / slow.stage);
  constexpr double kLongest = std::numeric_limits<double>::infinity();
  const Stages stages(job.model, p);
  FirstBound::Computing bound{.from_forward_s = kLongest, .to_backward_s = kLongest};
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const Buffers buffer = by_stage.empty() ? Buffers{} : by_stage[static_cast<std::size_t>(stage)];
    const bool first = stage == 0;
    const bool last = stage == p.pipeline - 1;
    const KindCounts layers = kinds_of_stage(job.model, stages, p, stage);
    const double forward = sum(pass, &LayerPass::forward, layers) + buffer.forward +
                           (first ? pass.embedding : 0) + (last ? pass.head : 0);
    const double backward = sum(pass, &LayerPass::backward, layers) + buffer.backward +
                            (first ? pass.embedding_backward : 0) + (last ? pass.head_backward : 0);
    const auto [fill, drain] = around(job, stages, pass, stage, other_stages);
    const double beside = first ? 0 : buffer.backward;
    const double before = (by_stage.empty() ? 0 : by_stage.front().first) + fill;
    const double passes_s = p.accumulation * (forward + backward);
    const double all = before + passes_s - beside + std::max(buffer.last + beside, drain);
    bound.all_s = std::max(bound.all_s, all);
    bound.from_forward_s = std::min(bound.from_forward_s, all - before - forward);
    bound.to_backward_s = std::min(bound.to_backward_s, before + passes_s - backward);
    if (p.pipeline == 1) bound.between_s = passes_s - forward - backward;
  }
  return bound;
}

// What the stages before it do first, and last: beside those passes that nothing waits for.
FirstBounds::Around FirstBounds::around(const Job& job, const Stages& stages, const Passes& pass,
                                        int stage, double other_stages) {
  if (stage == 0) return {};
  const KindCounts before_it = kinds_between(job.model, 0, stages.first_layer(stage));
  return {other_stages * (sum(pass, &LayerPass::forward, before_it) + pass.embedding),
          other_stages * (sum(pass, &LayerPass::backward, before_it) + pass.embedding_backward)};
}

std::vector<FirstBounds::Buffers> FirstBounds::buffers(const Job& job, int stages,
                                                       const Outline& outline) {
  const Gpu& gpu = job.cluster().gpu;
  const Roofline roofline(gpu, compute_efficiency(job.cluster()), job.calibration());
  std::vector<Buffers> all(static_cast<std::size_t>(stages));
  // The compute stream's passes, each at the rate of the fastest of any size.
  const auto add = [&](const Outline::Part& part, double Buffers::*to, double times = 1) {
    for (const Instruction& one : part) {
      const auto* pass = std::get_if<MemoryPass>(&one.what);
      if (pass == nullptr || pass->beside) continue;
      const double seconds = pass->time ? outline.times[*pass->time].seconds
                                        : least_pass_time(job.calibration(), gpu, pass->bytes,
                                                          roofline.pass(pass->bytes, pass->flop));
      all[static_cast<std::size_t>(one.stage)].*to += times * seconds;
    }
  };
  add(outline.begin, &Buffers::first);
  add(outline.forward, &Buffers::forward);
  add(outline.backward, &Buffers::backward);
  add(outline.reduce, &Buffers::last);
  add(outline.update, &Buffers::update);
  // What the first micro-batch has more than others.
  add(outline.first_forward, &Buffers::last);
  add(outline.first_backward, &Buffers::last);
  add(outline.forward, &Buffers::last, -1);
  add(outline.backward, &Buffers::last, -1);
  return all;
}

FirstBound FirstBounds::of(const Job& job, const Setup& setup) {
  const Parallelism& p = setup.parallelism;
  const Outline outline = sim::outline(job.context(setup), setup.scheme);
  const std::vector<Buffers> by_stage = buffers(job, p.pipeline, outline);
  const LayerExchanges exchanges = exchanges_of(job, setup);
  const LayerExchanges inside = exchanges.inside_nodes();
  const NodeBytes bytes = node_bytes(job, setup, outline);
  FirstBound bound{.on_these_nics = computing(job, p, exchanges, by_stage),
                   .bytes = bytes.of_step,
                   .gathered = bytes.gathered,
                   .summed = bytes.summed,
                   .gathered_and_summed = bytes.gathered_and_summed,
                   .update_s = std::ranges::max_element(by_stage, {}, &Buffers::update)->update};
  bound.on_any_nics =
      inside == exchanges ? bound.on_these_nics : computing(job, p, inside, by_stage);
  return bound;
}

double FirstBounds::kernels_s(const Job& job, const Parallelism& p,
                              const ActivationExchange& wires) {
  const auto in_closed_form = [&] {
    const std::lock_guard lock(mutex_);
    return exchanges_.in_closed_form(job, p, wires);
  };
  return computing(job, p, in_closed_form(), {}).all_s;
}

double FirstBounds::in_order_s(const Job& job, const Setup& setup) {
  const Parallelism& p = setup.parallelism;
  const StageSlowdowns slow = slowdowns(job, p);
  const Passes pass = passes(job, p, exchanges_of(job, setup), slow.stage);
  const double other_stages = std::min(1.0, slow.fastest / slow.stage);
  const Stages stages(job.model, p);
  std::vector<double> begins_s, drains_s;
  for (int stage = 0; stage < p.pipeline; ++stage) {
    const auto [fill, drain] = around(job, stages, pass, stage, other_stages);
    begins_s.push_back(fill);
    drains_s.push_back(drain);
  }
  const auto transfer_s = [&](const std::vector<int>& ranks, const Transfer& transfer) {
    const std::lock_guard lock(mutex_);
    return exchanges_.times(job.cluster()).least_s(ranks, transfer);
  };
  const auto walks = walk_stages(job.context(setup), setup.scheme, pass, begins_s, transfer_s);
  double longest = 0, update = 0;
  for (std::size_t stage = 0; stage < walks.size(); ++stage) {
    longest = std::max({longest, walks[stage].all_s, walks[stage].passes_s + drains_s[stage]});
    update = std::max(update, walks[stage].update_s);
  }
  return (longest + update) * (1 - kRounded);
}

LayerExchanges FirstBounds::exchanges_of(const Job& job, const Setup& setup) {
  const std::lock_guard lock(mutex_);
  return exchanges_.of(job, setup);
}

}  // namespace sim::study
