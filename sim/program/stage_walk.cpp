// SPDX-License-Identifier: Apache-2.0
#include "sim/program/stage_walk.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "sim/program/groups.hpp"
#include "sim/workload/pipeline_tasks.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

// Of transfers of a step, each of which many instructions ask for.
class Transfers {
 public:
  Transfers(const StepContext& context, const TransferSeconds& seconds)
      : context_(context), seconds_(seconds) {}

  double operator()(const GroupsKey& key, const Transfer& transfer) {
    const Order order = order_of(transfer);
    for (const auto& [group, known, seconds] : known_) {
      if (group == key && known == order) return seconds;
    }
    const double seconds = seconds_(first_group(context_, key), transfer);
    known_.emplace_back(key, order, seconds);
    return seconds;
  }

 private:
  const StepContext& context_;
  const TransferSeconds& seconds_;
  std::vector<std::tuple<GroupsKey, Order, double>> known_;
};

// When streams of a stage's ranks are through with the instructions so far.
class Streams {
 public:
  Streams(const StepLayOut& step, int stage, Transfers& transfers)
      : step_(step), stage_(stage), transfers_(transfers), gathered_s_(step.program.buckets) {}

  void run(const std::vector<Instruction>& instructions) {
    for (const Instruction& one : instructions) {
      if (one.stage == stage_) std::visit([this](const auto& what) { run(what); }, one.what);
    }
  }

  void kernel(double seconds) {
    double& compute = end_s(Stream::compute);
    compute = std::max(compute, held_s_) + seconds;
  }
  void hold_until(double seconds) { held_s_ = std::max(held_s_, seconds); }
  // The next kernel begins so long after the last one's end.
  void wait(double seconds) { hold_until(end_s(Stream::compute) + seconds); }

  [[nodiscard]] double passes_s() const { return std::max(held_s_, end_s(Stream::compute)); }
  [[nodiscard]] double all_s() const {
    return std::max(held_s_, *std::ranges::max_element(end_s_));
  }

 private:
  void run(const MemoryPass& pass) {
    const double seconds = time_of(step_.context, step_.roofline, pass).seconds;
    pass.beside ? run_beside(Stream::weight_codec, *pass.beside, seconds) : kernel(seconds);
  }
  void run(const Codec& codec) {
    const double seconds = kernel_seconds(step_.context, codec.kernel);
    const Stream stream = codec.kernel.stream;
    stream == Stream::compute ? kernel(seconds) : run_beside(stream, codec.start, seconds);
  }
  void run(const Communicate& what) {
    const Communication& communication = step_.program.communications[what.communication];
    const double start_s = started_s(communication.start);
    ends_.clear();
    for (const auto& [part, after] : communication.parts) {
      const Stream stream = std::visit([](const auto& one) { return one.stream; }, part);
      const double ready_s = after == kAtStart ? start_s : ends_[static_cast<std::size_t>(after)];
      end_s(stream) = std::max(end_s(stream), ready_s) + seconds_of(communication, part);
      ends_.push_back(end_s(stream));
    }
    if (what.bucket && !ends_.empty()) gathered_s_[*what.bucket] = ends_.back();
  }
  void run(const Hold& what) {
    for (const Stream stream : what.streams) hold_until(end_s(stream));
  }
  void run(const HoldWeights& what) { hold_until(gathered_s_[what.bucket]); }
  void run(const auto& /*what*/) {}

  double seconds_of(const Communication& communication,
                    const std::variant<Kernel, Transfer>& part) {
    if (const auto* kernel = std::get_if<Kernel>(&part)) {
      return kernel_seconds(step_.context, *kernel);
    }
    const auto& transfer = std::get<Transfer>(part);
    return transfers_({stage_, communication.axis, transfer.among, communication.joined()},
                      transfer);
  }

  void run_beside(Stream stream, const Start& start, double seconds) {
    end_s(stream) = std::max(end_s(stream), started_s(start)) + seconds;
  }
  [[nodiscard]] double started_s(const Start& start) const {
    double begin_s = start.holds ? held_s_ : 0;
    for (const Stream stream : start.streams) begin_s = std::max(begin_s, end_s(stream));
    return begin_s;
  }

  [[nodiscard]] double end_s(Stream stream) const {
    return end_s_[static_cast<std::size_t>(stream)];
  }
  double& end_s(Stream stream) { return end_s_[static_cast<std::size_t>(stream)]; }

  const StepLayOut& step_;
  const int stage_;
  Transfers& transfers_;
  std::array<double, kStreams> end_s_ = {};
  double held_s_ = 0;               // what the next kernel waits for
  std::vector<double> gathered_s_;  // by bucket
  std::vector<double> ends_;        // of the communication at hand, by part
};

class Walk {
 public:
  Walk(const StepContext& context, const Scheme& scheme, const Passes& passes,
       const TransferSeconds& transfer_s)
      : step_(context, scheme),
        p_(step_.parallelism),
        stages_(context.model, p_),
        passes_(passes),
        transfers_(context, transfer_s) {}

  StageWalk run(int stage, double begins_s) {
    Streams streams(step_, stage, transfers_);
    const auto follow = [&] {
      streams.run(step_.program.instructions);
      step_.program.instructions.clear();
    };
    const LayerHooks hooks = step_.shards_weights() ? unit_hooks(step_) : bucket_hooks(step_);
    if (!step_.shards_weights()) gather_weights(step_);
    follow();
    streams.hold_until(begins_s);
    const std::vector<int> starts = stages_.chunk_starts(stage);
    for (const Task& task : pipeline_tasks(p_, stage)) {
      const auto chunk = static_cast<std::size_t>(task.chunk);
      const int first = starts[chunk], places = starts[chunk + 1] - first;
      for (int i = 0; i < places; ++i) {
        const int layer = task.forward ? i : places - 1 - i;
        const int place = first + layer;
        if (task.forward) {
          hooks.before_forward(stage, place, task.micro_batch);
        } else {
          if (i == 0) ends(streams, stage, task);
          hooks.before_backward(stage, place, task.micro_batch);
        }
        follow();
        pass(streams, stage, task, layer);
        if (task.forward) {
          if (i + 1 == places) ends(streams, stage, task);
        } else {
          hooks.after_backward(stage, place, task.micro_batch);
          follow();
        }
      }
    }
    const double passes_s = streams.passes_s();
    reduce_what_is_left(step_);
    follow();
    return {passes_s, streams.all_s()};
  }

 private:
  [[nodiscard]] int virtual_stage(int stage, const Task& task) const {
    return task.chunk * p_.pipeline + stage;
  }

  // The head, of the last of the virtual stages.
  void ends(Streams& streams, int stage, const Task& task) const {
    if (virtual_stage(stage, task) + 1 != p_.pipeline * p_.virtual_stages) return;
    streams.kernel(task.forward ? passes_.head : passes_.head_backward);
  }

  // Of a layer, and of the embedding where it is.
  void pass(Streams& streams, int stage, const Task& task, int layer) const {
    const int virtual_stage = this->virtual_stage(stage, task);
    const bool embedding = virtual_stage == 0 && layer == 0;
    if (embedding && task.forward) streams.kernel(passes_.embedding);
    if (stages_.layers_of(virtual_stage) > 0) {
      const int number = stages_.first_layer(virtual_stage) + layer;
      const LayerPass& of = passes_.of(kind_of(step_.context.model, number));
      const double waits = task.forward ? of.forward_waits : of.backward_waits;
      streams.kernel((task.forward ? of.forward : of.backward) - waits);
      streams.wait(waits);
    }
    if (embedding && !task.forward) streams.kernel(passes_.embedding_backward);
  }

  StepLayOut step_;
  const Parallelism& p_;
  Stages stages_;
  const Passes& passes_;
  Transfers transfers_;
};

}  // namespace

const LayerPass& Passes::of(LayerKind kind) const {
  return *std::ranges::find(layers, kind, &LayerPass::kind);
}

std::vector<StageWalk> walk_stages(StepContext context, const Scheme& scheme, const Passes& passes,
                                   const std::vector<double>& begins_s,
                                   const TransferSeconds& transfer_s) {
  if (pairs_passes(context.parallelism)) return {};
  context.parallelism = as_the_scheme_runs_it(context.parallelism, scheme);
  Walk walk(context, scheme, passes, transfer_s);
  std::vector<StageWalk> all;
  for (std::size_t stage = 0; stage < begins_s.size(); ++stage) {
    all.push_back(walk.run(static_cast<int>(stage), begins_s[stage]));
  }
  return all;
}

}  // namespace sim
