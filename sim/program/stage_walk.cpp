// SPDX-License-Identifier: Apache-2.0
#include "sim/program/stage_walk.hpp"

#include <algorithm>
#include <array>
#include <limits>
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

// When streams of a stage's ranks are through with the instructions so far, what the next kernel waits
// for, and by bucket when its weights are there.
struct Times {
  std::array<double, kStreams> ends_s = {};
  double held_s = 0;
  std::vector<double> gathered_s;

  void for_each(const Times& other, const auto& visit) {
    for (std::size_t i = 0; i < ends_s.size(); ++i) visit(ends_s[i], other.ends_s[i]);
    visit(held_s, other.held_s);
    for (std::size_t i = 0; i < gathered_s.size(); ++i) visit(gathered_s[i], other.gathered_s[i]);
  }
};

class Streams {
 public:
  Streams(const StepLayOut& step, int stage, Transfers& transfers)
      : step_(step),
        stage_(stage),
        transfers_(transfers),
        times_{.gathered_s = std::vector<double>(step.program.buckets)} {}

  void run(const std::vector<Instruction>& instructions) {
    for (const Instruction& one : instructions) {
      if (one.stage == stage_) std::visit([this](const auto& what) { run(what); }, one.what);
    }
  }

  void kernel(double seconds) {
    double& compute = end_s(Stream::compute);
    compute = std::max(compute, times_.held_s) + seconds;
  }
  void hold_until(double seconds) { times_.held_s = std::max(times_.held_s, seconds); }
  // The next kernel begins so long after the last one's end.
  void wait(double seconds) { hold_until(end_s(Stream::compute) + seconds); }

  [[nodiscard]] double passes_s() const { return std::max(times_.held_s, end_s(Stream::compute)); }
  [[nodiscard]] double all_s() const {
    return std::max(times_.held_s, *std::ranges::max_element(times_.ends_s));
  }

  [[nodiscard]] const Times& times() const { return times_; }
  // So many more periods like the one since `before`. What moved moves on by as much as what moved least:
  // times are sums and maxima of earlier ones, so that no period moves them less than the one before it.
  void go_on(Times before, int periods) {
    double least_s = std::numeric_limits<double>::infinity();
    before.for_each(times_, [&](double then, double now) {
      if (now > then) least_s = std::min(least_s, now - then);
    });
    times_.for_each(before, [&](double& now, double then) {
      if (now > then) now += periods * least_s;
    });
  }

 private:
  void run(const MemoryPass& pass) {
    const double seconds =
        time_of(step_.context, step_.roofline, pass, step_.program.times).seconds;
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
    if (what.bucket && !ends_.empty()) times_.gathered_s[*what.bucket] = ends_.back();
  }
  void run(const Hold& what) {
    for (const Stream stream : what.streams) hold_until(end_s(stream));
  }
  void run(const HoldWeights& what) { hold_until(times_.gathered_s[what.bucket]); }
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
    double begin_s = start.holds ? times_.held_s : 0;
    for (const Stream stream : start.streams) begin_s = std::max(begin_s, end_s(stream));
    return begin_s;
  }

  [[nodiscard]] double end_s(Stream stream) const {
    return times_.ends_s[static_cast<std::size_t>(stream)];
  }
  double& end_s(Stream stream) { return times_.ends_s[static_cast<std::size_t>(stream)]; }

  const StepLayOut& step_;
  const int stage_;
  Transfers& transfers_;
  Times times_;
  std::vector<double> ends_;  // of the communication at hand, by part
};

// Periods of a stage's order that are walked before others are taken to be like the last of them.
constexpr int kWalkedPeriods = 3;

class Walk {
 public:
  Walk(const StepContext& context, const Scheme& scheme, const Passes& passes,
       const TransferSeconds& transfer_s)
      : step_(context, scheme),
        p_(step_.parallelism),
        stages_(context.model, p_),
        passes_(passes),
        transfers_(context, transfer_s),
        begin_(laid_out(begin_step)),
        reduce_(laid_out(reduce_what_is_left)),
        update_(laid_out(update)) {}

  StageWalk run(int stage, double begins_s) {
    Streams streams(step_, stage, transfers_);
    const auto follow = [&] {
      streams.run(step_.program.instructions);
      step_.program.instructions.clear();
    };
    const LayerHooks hooks = layer_hooks(step_);
    streams.run(begin_);
    streams.hold_until(begins_s);
    const std::vector<int> starts = stages_.chunk_starts(stage);
    const std::vector<Task> tasks = pipeline_tasks(p_, stage);
    const PeriodicOrder order = periodic_order(p_, stage);
    const int left_out = std::max(0, order.periods - kWalkedPeriods - 1);
    const int until = order.first + kWalkedPeriods * order.tasks;
    Times before;
    for (int next = 0; next < static_cast<int>(tasks.size()); ++next) {
      if (left_out > 0 && next == until - order.tasks) before = streams.times();
      if (left_out > 0 && next == until) {
        streams.go_on(before, left_out);
        next += left_out * order.tasks;
        if (next == static_cast<int>(tasks.size())) break;
      }
      run(streams, stage, starts, tasks[static_cast<std::size_t>(next)], hooks, follow);
    }
    const double passes_s = streams.passes_s();
    streams.run(reduce_);
    const double all_s = streams.all_s();
    streams.hold_until(all_s);
    streams.run(update_);
    return {passes_s, all_s, streams.all_s() - all_s};
  }

 private:
  std::vector<Instruction> laid_out(void (*part)(StepLayOut&)) {
    part(step_);
    return std::exchange(step_.program.instructions, {});
  }

  void run(Streams& streams, int stage, const std::vector<int>& starts, const Task& task,
           const LayerHooks& hooks, const auto& follow) const {
    const auto chunk = static_cast<std::size_t>(task.chunk);
    const int first = starts[chunk], places = starts[chunk + 1] - first;
    if (!task.forward) ends(streams, stage, task);
    for (int i = 0; i < places; ++i) {
      const int layer = task.forward ? i : places - 1 - i;
      (task.forward ? hooks.before_forward : hooks.before_backward)(stage, first + layer,
                                                                    task.micro_batch);
      follow();
      pass(streams, stage, task, layer);
      if (task.forward) continue;
      hooks.after_backward(stage, first + layer, task.micro_batch);
      follow();
    }
    if (task.forward) ends(streams, stage, task);
  }

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
  std::vector<Instruction> begin_, reduce_, update_;  // of all stages
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
