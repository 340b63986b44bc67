// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes: the operators of each layer, tensor-parallel collectives between
// them, and the pipeline's order.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/program/block_exchange.hpp"
#include "sim/program/interleave.hpp"
#include "sim/program/layer_kernels.hpp"
#include "sim/program/offload.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/workload/pipeline_tasks.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

class MicroBatches {
 public:
  MicroBatches(StepLayOut& step, const LayerHooks& hooks)
      : step_(step),
        p_(step.parallelism),
        stages_(step.context.model, p_),
        hooks_(hooks),
        done_(static_cast<std::size_t>(p_.pipeline * p_.virtual_stages)),
        exchanged_bytes_(bytes_between_layers(step)) {
    for (const Axis* axis : step.block_axes) {
      for (int point = 0; point < static_cast<int>(Point::inside_layer); ++point) {
        draft(*axis, static_cast<Point>(point));
      }
    }
    const Model& model = step.context.model;
    for (const KindCount& one : kinds_between(model, 0, all_layers(model))) {
      kernels_.push_back(
          layer_kernels(step, one.kind, [&](Point point) { return is_drafted(point); }));
    }
    for (Drafted& one : drafted_) add(one);
    for (const Axis* axis : step.block_axes) {
      if (axis->exchange->gather_again == nullptr || inputs_gathered_again(p_) == 0) continue;
      input_gathers_.push_back(step.communication({axis->name, kGather, 0}, [&] {
        return axis->exchange->gather_again(step, exchanged_bytes_);
      }));
    }
    ends_ = end_kernels(step);
    if (p_.offloaded_layers > 0) offload_.emplace(step, stages_);
  }

  // Emits the stages' tasks in an order in which everything that a task waits for comes before it. A
  // forward pass waits for the other one of its pair while any stage goes on without.
  void run() {
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      tasks_.push_back(pipeline_tasks(p_, stage));
      orders_.push_back(periodic_order(p_, stage));
      starts_.push_back(stages_.chunk_starts(stage));
    }
    next_.assign(tasks_.size(), 0);
    while (emit_what_is_ready(true) || emit_what_is_ready(false)) {
    }
    for (std::size_t s = 0; s < tasks_.size(); ++s) {
      require(next_[s] == tasks_[s].size(), "a pipeline's order ends");
    }
    step_.period = -1;
    step_.program.messages = static_cast<std::uint32_t>(messages_.size());
    const Wire& wire = step_.scheme.activations.pipeline;
    if (messages_.empty() || wire.is_plain()) return;
    step_.program.message_encode = activation_encode(wire, message_elements());
    step_.program.message_decode = activation_decode(wire, message_elements());
  }

 private:
  struct Done {
    int forwards = 0, backwards = 0;  // micro-batches that went through
  };
  static constexpr int kGather = -1;  // of keys of communications, else a point

  // What ranks along an axis would exchange at a point, if a layer has it.
  struct Drafted {
    std::string_view axis;
    Point point;
    Communication exchange;
  };

  void draft(const Axis& axis, Point point) {
    Communication made = axis.exchange->lay_out(step_, point, exchanged_bytes_);
    if (!made.parts.empty()) drafted_.push_back({axis.name, point, std::move(made)});
  }

  [[nodiscard]] bool is_drafted(Point point) const {
    return std::ranges::find(drafted_, point, &Drafted::point) != drafted_.end();
  }

  [[nodiscard]] bool has_layers_with(Point point) const {
    const auto is_there = [&](const LayerKernels::Segment& one) { return one.exchange == point; };
    return std::ranges::any_of(kernels_, [&](const LayerKernels& one) {
      return std::ranges::any_of(one.forward, is_there) ||
             std::ranges::any_of(one.backward, is_there);
    });
  }

  void add(Drafted& one) {
    if (!has_layers_with(one.point)) return;
    step_.program.block_streams.add(one.exchange.last_stream());
    step_.program.blocks_end_exchanged |= is_behind_block(one.point);
    exchanges_[one.point].push_back(step_.communication({one.axis, static_cast<int>(one.point), 0},
                                                        [&] { return std::move(one.exchange); }));
  }

  [[nodiscard]] int virtual_stage(int stage, const Task& task) const {
    return task.chunk * p_.pipeline + stage;
  }
  // Where the task's chunk begins in the stage, how many places it has, and whether these are layers.
  [[nodiscard]] int start(int stage, const Task& task, int later = 0) const {
    return starts_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(task.chunk + later)];
  }
  [[nodiscard]] int places(int stage, const Task& task) const {
    return start(stage, task, 1) - start(stage, task);
  }
  [[nodiscard]] bool has_layers(int stage, const Task& task) const {
    return stages_.layers_of(virtual_stage(stage, task)) > 0;
  }
  [[nodiscard]] bool is_first(int virtual_stage) const { return virtual_stage == 0; }
  [[nodiscard]] bool is_last(int virtual_stage) const {
    return virtual_stage == p_.pipeline * p_.virtual_stages - 1;
  }
  [[nodiscard]] bool ready(int stage, const Task& task) const {
    const int place = virtual_stage(stage, task);
    if (task.forward) {
      return is_first(place) ||
             done_[static_cast<std::size_t>(place - 1)].forwards > task.micro_batch;
    }
    return is_last(place) ||
           done_[static_cast<std::size_t>(place + 1)].backwards > task.micro_batch;
  }

  // Whether the stage's next task is a forward pass before the backward one of another micro-batch.
  [[nodiscard]] bool begins_pair(std::size_t stage) const {
    if (!pairs_passes(p_) || next_[stage] + 1 >= tasks_[stage].size()) return false;
    const Task& one = tasks_[stage][next_[stage]];
    const Task& other = tasks_[stage][next_[stage] + 1];
    const bool same = one.micro_batch == other.micro_batch && one.chunk == other.chunk;
    return one.forward && !other.forward && !same;
  }

  // All that can be; or, without waiting for pairs, the first task. Whether there was any.
  bool emit_what_is_ready(bool in_pairs) {
    bool emitted = false;
    for (std::size_t s = 0; s < tasks_.size(); ++s) {
      const int stage = static_cast<int>(s);
      while (next_[s] < tasks_[s].size() && ready(stage, tasks_[s][next_[s]])) {
        const bool pair = in_pairs && begins_pair(s);
        if (pair && !ready(stage, tasks_[s][next_[s] + 1])) break;
        step_.period = orders_[s].period_of(static_cast<int>(next_[s]));
        const Task& task = tasks_[s][next_[s]++];
        pair ? run_both(stage, task, tasks_[s][next_[s]++]) : run(stage, task);
        if (!in_pairs) return true;
        emitted = true;
      }
    }
    return emitted;
  }

  void run_both(int stage, const Task& first, const Task& second) {
    std::vector<Instruction>& all = step_.program.instructions;
    const auto taken_from = [&](std::size_t begin) {
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
      std::vector<Instruction> taken(std::make_move_iterator(from),
                                     std::make_move_iterator(all.end()));
      all.erase(from, all.end());
      return taken;
    };
    const std::size_t before = all.size();
    run(stage, first);
    std::vector<Instruction> one = taken_from(before);
    run(stage, second);
    std::vector<Instruction> other = taken_from(before);
    for (Instruction& next : interleaved(step_.program, std::move(one), std::move(other))) {
      all.push_back(std::move(next));
    }
  }

  // Null after the last one.
  [[nodiscard]] const Task* next_task(int stage) const {
    const auto s = static_cast<std::size_t>(stage);
    return next_[s] < tasks_[s].size() ? &tasks_[s][next_[s]] : nullptr;
  }

  void run(int stage, const Task& task) {
    if (offload_) offload_->begin(stage, task, next_task(stage));
    const int place = virtual_stage(stage, task);
    Done& done = done_[static_cast<std::size_t>(place)];
    if (task.forward) {
      forward(stage, task);
      if (!is_last(place)) send(stage, task, place + 1);
      ++done.forwards;
    } else {
      backward(stage, task);
      if (!is_first(place)) send(stage, task, place - 1);
      ++done.backwards;
    }
    if (offload_) offload_->end(stage, task, next_task(stage));
  }

  // The same of a message for who sends and who receives it: the task, and the virtual stage from
  // which it is sent.
  std::uint32_t message(const Task& task, int from) {
    const std::tuple key{task.forward, task.micro_batch, from};
    return messages_.try_emplace(key, static_cast<std::uint32_t>(messages_.size())).first->second;
  }
  // What each rank sends to its neighbour, in elements.
  [[nodiscard]] double message_elements() const {
    return exchanged_bytes_ / 2 / (p_.sequence_parallel ? p_.tensor : 1);
  }

  // Without overlap the sender's next kernel waits for the arrival, as in Megatron's schedules.
  void send(int stage, const Task& task, int to) {
    step_.add(stage, Send{.message = message(task, virtual_stage(stage, task)),
                          .to = to % p_.pipeline,
                          .bytes = step_.scheme.activations.pipeline.bytes(message_elements()),
                          .forward = task.forward,
                          .holds = !p_.overlap.pipeline});
  }

  void receive(int stage, const Task& task, int from) {
    step_.add(stage, Receive{.message = message(task, from),
                             .from = from % p_.pipeline,
                             .forward = task.forward});
  }

  void compute(int stage, Phase phase, const std::string& label, const TimedPart& kernels) {
    for (const TimedKernels& one : kernels) {
      step_.add(stage, Compute{phase, label + one.label, one.kernels});
    }
  }

  // The next kernels run beside the exchange until wait().
  void exchange(int stage, const LayerKernels::Segment& segment) {
    if (!segment.exchange) return;
    for (const std::uint32_t one : exchanges_.at(*segment.exchange)) {
      step_.add(stage, Communicate{one, segment.exchanged});
    }
  }
  void wait(int stage) { step_.hold(stage, step_.program.block_streams); }
  // The same of what gathers a block's input.
  void gather_input(int stage, const std::string& label) {
    for (const std::uint32_t one : input_gathers_) step_.add(stage, Communicate{one, label});
  }
  void wait_for_input(int stage) {
    for (const std::uint32_t one : input_gathers_) {
      step_.hold(stage, {step_.program.communications[one].last_stream()});
    }
  }

  // In the model, of a layer of the task's chunk.
  [[nodiscard]] int number_of(int stage, const Task& task, int layer) const {
    return stages_.first_layer(virtual_stage(stage, task)) + layer;
  }
  [[nodiscard]] const LayerKernels& kernels_of(int number) const {
    const LayerKind kind = kind_of(step_.context.model, number);
    return *std::ranges::find(kernels_, kind, &LayerKernels::kind);
  }

  void forward(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    if (!is_first(place)) receive(stage, task, place - 1);
    for (int layer = 0; layer < places(stage, task); ++layer) {
      hooks_.before_forward(stage, start(stage, task) + layer, task.micro_batch);
      if (is_first(place) && layer == 0) {
        compute(stage, Phase::forward, "embedding", ends_.embedding);
      }
      if (has_layers(stage, task)) forward_layer(stage, task, layer);
    }
    if (is_last(place)) compute(stage, Phase::forward, "head", ends_.head);
  }

  void forward_layer(int stage, const Task& task, int layer) {
    const int number = number_of(stage, task, layer);
    const std::string label = "layer " + std::to_string(number);
    if (offload_) offload_->before(stage, task, layer);
    for (const LayerKernels::Segment& one : kernels_of(number).forward) {
      compute(stage, Phase::forward, label + one.label, one.kernels);
      exchange(stage, one);
      compute(stage, Phase::forward, label + one.besides, one.beside);
      if (one.exchange) wait(stage);
    }
    if (offload_) offload_->after(stage, task, layer);
  }

  void backward(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    if (is_last(place)) {
      compute(stage, Phase::backward, "head", ends_.head_backward);
    } else {
      receive(stage, task, place + 1);
    }
    for (int layer = places(stage, task) - 1; layer >= 0; --layer) {
      const int held = start(stage, task) + layer;
      hooks_.before_backward(stage, held, task.micro_batch);
      if (has_layers(stage, task)) backward_layer(stage, task, layer);
      if (is_first(place) && layer == 0) {
        compute(stage, Phase::backward, "embedding", ends_.embedding_backward);
      }
      hooks_.after_backward(stage, held, task.micro_batch);
    }
  }

  void backward_layer(int stage, const Task& task, int layer) {
    const int number = number_of(stage, task, layer);
    const std::string label = "layer " + std::to_string(number);
    if (offload_) offload_->before(stage, task, layer);
    const LayerKernels& kernels = kernels_of(number);
    compute(stage, Phase::recompute, label, kernels.recompute);
    for (const LayerKernels::Segment& one : kernels.recomputed) exchange(stage, one);
    if (!kernels.recomputed.empty()) wait(stage);
    // The last blocks' inputs, of those that are gathered again.
    auto blocks = std::ranges::count_if(kernels.backward, &LayerKernels::Segment::begins_block);
    for (const LayerKernels::Segment& one : kernels.backward) {
      const bool gathers = one.begins_block() && blocks-- <= inputs_gathered_again(p_);
      backward_segment(stage, label, one, gathers);
    }
    if (offload_) offload_->after(stage, task, layer);
  }

  // What overlaps: the gather of the block's input beside the gradients of inputs, and the exchange
  // of these beside the gradients of the first weights.
  void backward_segment(int stage, const std::string& label, const LayerKernels::Segment& one,
                        bool gathers_input) {
    const bool overlaps = !one.beside.empty();
    if (gathers_input) gather_input(stage, one.input);
    if (gathers_input && !overlaps) wait_for_input(stage);
    compute(stage, Phase::backward, label + one.label, one.kernels);
    if (gathers_input && overlaps) wait_for_input(stage);
    exchange(stage, one);
    compute(stage, Phase::backward, label + one.besides, one.beside);
    wait(stage);
  }

  StepLayOut& step_;
  const Parallelism& p_;
  Stages stages_;
  std::vector<Drafted> drafted_;
  std::vector<LayerKernels> kernels_;  // by kind of layer
  EndKernels ends_;
  std::optional<Offload> offload_;
  const LayerHooks& hooks_;
  // By stage: its tasks, their periods, the next of them, and where chunks begin.
  std::vector<std::vector<Task>> tasks_;
  std::vector<PeriodicOrder> orders_;
  std::vector<std::size_t> next_;
  std::vector<std::vector<int>> starts_;
  std::vector<Done> done_;  // by virtual stage
  double exchanged_bytes_;  // activations between two layers
  // Indices into Program::communications.
  std::map<Point, std::vector<std::uint32_t>> exchanges_;
  std::vector<std::uint32_t> input_gathers_;
  std::map<std::tuple<bool, int, int>, std::uint32_t> messages_;
};

}  // namespace

void run_micro_batches(StepLayOut& step, const LayerHooks& hooks) {
  MicroBatches(step, hooks).run();
}

}  // namespace sim
