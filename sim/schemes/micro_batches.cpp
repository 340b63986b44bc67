// SPDX-License-Identifier: Apache-2.0
// Forward and backward passes: the operators of each layer, tensor-parallel collectives between
// them, and the pipeline's order.
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/schemes/block_messages.hpp"
#include "sim/schemes/pipeline_messages.hpp"
#include "sim/schemes/step.hpp"
#include "sim/workload/stages.hpp"

namespace sim {
namespace {

// An operation: a kernel, or several that follow each other on a stream.
struct Timed {
  std::string label;  // after the layer's; empty where it stands for the whole part
  std::vector<BlockTime> kernels;
};
using Part = std::vector<Timed>;

// Two parts, between which something may communicate; `both` where nothing does.
struct Pair {
  Part first, second, both;
};

struct LayerTimes {
  Pair forward;  // attention and feed-forward block
  Part recompute;
  Pair feed_forward_backward, attention_backward;  // gradients of inputs, then of weights
  Part embedding, embedding_backward, head, head_backward;
};

// A product without a launch of its own is part of the kernel before it.
Part timed(const Step& step, const Operators& operators) {
  Part part;
  for (const Operator& one : operators) {
    const bool follows = step.context.each_kernel ? one.launches == 0 : true;
    if (part.empty() || !follows) {
      part.push_back({step.context.each_kernel ? " " + std::string(one.name) : "", {}});
    }
    part.back().kernels.push_back(step.roofline.block({one}));
  }
  return part;
}

Pair timed(const Step& step, const Operators& first, const Operators& second) {
  Pair pair;
  pair.first = timed(step, first);
  pair.second = timed(step, second);
  Operators both = first;
  both.insert(both.end(), second.begin(), second.end());
  pair.both = timed(step, both);
  return pair;
}

LayerTimes layer_times(const Step& step) {
  const LayerOperators layer = layer_operators(step.context.model, step.parallelism);
  const EndOperators ends = end_operators(step.context.model, step.parallelism);
  return {
      .forward = timed(step, layer.attention, layer.feed_forward),
      .recompute = timed(step, layer.recompute),
      .feed_forward_backward = timed(step, layer.feed_forward_inputs, layer.feed_forward_weights),
      .attention_backward = timed(step, layer.attention_inputs, layer.attention_weights),
      .embedding = timed(step, ends.embedding),
      .embedding_backward = timed(step, ends.embedding_backward),
      .head = timed(step, ends.head),
      .head_backward = timed(step, ends.head_backward)};
}

// Of one micro-batch at one layer, over all tensor-parallel ranks.
double activation_bytes(const Step& step) {
  const Model& model = step.context.model;
  return 2.0 * step.parallelism.micro_batch * model.sequence * model.hidden;
}

class MicroBatches {
 public:
  MicroBatches(Step& step, const LayerHooks& hooks)
      : step_(step),
        p_(step.parallelism),
        times_(layer_times(step)),
        hooks_(hooks),
        done_(static_cast<std::size_t>(p_.pipeline * p_.virtual_stages)),
        blocks_(step, activation_bytes(step)),
        messages_(step, activation_bytes(step)) {}

  // Emits the stages' tasks in an order in which everything that a task waits for comes before it.
  void run() {
    std::vector<std::vector<Task>> tasks;
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      tasks.push_back(pipeline_tasks(p_, stage));
      starts_.push_back(chunk_starts(step_.context.model, p_, stage));
    }
    std::vector<std::size_t> next(tasks.size());
    for (bool emitted = true; emitted;) {
      emitted = false;
      for (std::size_t s = 0; s < tasks.size(); ++s) {
        const int stage = static_cast<int>(s);
        while (next[s] < tasks[s].size() && ready(stage, tasks[s][next[s]])) {
          run(stage, tasks[s][next[s]++]);
          emitted = true;
        }
      }
    }
    for (std::size_t s = 0; s < tasks.size(); ++s) {
      require(next[s] == tasks[s].size(), "a pipeline's order ends");
    }
  }

 private:
  struct Done {
    int forwards = 0, backwards = 0;  // micro-batches that went through
  };

  [[nodiscard]] int virtual_stage(int stage, const Task& task) const {
    return task.chunk * p_.pipeline + stage;
  }
  // Of the task's chunk: its first layer in the stage, and how many it has.
  [[nodiscard]] int start(int stage, const Task& task) const {
    return starts_[static_cast<std::size_t>(stage)][static_cast<std::size_t>(task.chunk)];
  }
  [[nodiscard]] int layers(int stage, const Task& task) const {
    return layers_of(step_.context.model, p_, virtual_stage(stage, task));
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

  void run(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    Done& done = done_[static_cast<std::size_t>(place)];
    if (task.forward) {
      forward(stage, task);
      if (!is_last(place)) messages_.send(stage, task, place + 1);
      ++done.forwards;
    } else {
      backward(stage, task);
      if (!is_first(place)) messages_.send(stage, task, place - 1);
      ++done.backwards;
    }
  }

  void compute(int stage, Phase phase, const std::string& label, const Part& part) {
    for (const Timed& one : part) {
      const std::string text = label + one.label;
      step_.for_each_rank(stage, [&](int rank) { step_.compute(rank, phase, text, one.kernels); });
    }
  }

  [[nodiscard]] std::string label_of(int stage, const Task& task, int layer) const {
    const int first = first_layer(step_.context.model, p_, virtual_stage(stage, task));
    return "layer " + std::to_string(first + layer);
  }

  void forward(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    if (!is_first(place)) messages_.receive(stage, task, place - 1);
    for (int layer = 0; layer < layers(stage, task); ++layer) {
      hooks_.before_forward(stage, start(stage, task) + layer, task.micro_batch);
      if (is_first(place) && layer == 0) {
        compute(stage, Phase::forward, "embedding", times_.embedding);
      }
      forward_layer(stage, label_of(stage, task, layer));
    }
    if (is_last(place)) compute(stage, Phase::forward, "head", times_.head);
  }

  void forward_layer(int stage, const std::string& label) {
    if (!blocks_.any()) {
      compute(stage, Phase::forward, label, times_.forward.both);
      return;
    }
    compute(stage, Phase::forward, label + " attention", times_.forward.first);
    blocks_.exchange(stage, "attention output");
    blocks_.wait(stage);
    compute(stage, Phase::forward, label + " feed-forward", times_.forward.second);
    blocks_.exchange(stage, "feed-forward output");
    blocks_.wait(stage);
  }

  void backward(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    if (is_last(place)) {
      compute(stage, Phase::backward, "head", times_.head_backward);
    } else {
      messages_.receive(stage, task, place + 1);
    }
    for (int layer = layers(stage, task) - 1; layer >= 0; --layer) {
      const int held = start(stage, task) + layer;
      hooks_.before_backward(stage, held, task.micro_batch);
      backward_layer(stage, label_of(stage, task, layer));
      if (is_first(place) && layer == 0) {
        compute(stage, Phase::backward, "embedding", times_.embedding_backward);
      }
      hooks_.after_backward(stage, held, task.micro_batch);
    }
  }

  void backward_layer(int stage, const std::string& label) {
    compute(stage, Phase::recompute, label, times_.recompute);
    if (p_.recompute == Recompute::full) recompute_communication(stage);
    backward_block(stage, label + " feed-forward", times_.feed_forward_backward,
                   "feed-forward input gradients");
    backward_block(stage, label + " attention", times_.attention_backward,
                   "attention input gradients");
  }

  // Full recomputation repeats the forward pass's collectives.
  void recompute_communication(int stage) {
    blocks_.exchange(stage, "attention output");
    blocks_.exchange(stage, "feed-forward output");
    blocks_.wait(stage);
  }

  void backward_block(int stage, const std::string& label, const Pair& gradients,
                      const std::string& collective) {
    if (!blocks_.any() || !p_.overlap.tensor) {
      compute(stage, Phase::backward, label, gradients.both);
      blocks_.exchange(stage, collective);
      blocks_.wait(stage);
      return;
    }
    compute(stage, Phase::backward, label + " inputs", gradients.first);
    blocks_.exchange(stage, collective);
    compute(stage, Phase::backward, label + " weights", gradients.second);
    blocks_.wait(stage);
  }

  Step& step_;
  const Parallelism& p_;
  LayerTimes times_;
  const LayerHooks& hooks_;
  std::vector<std::vector<int>> starts_;  // of chunks, by stage
  std::vector<Done> done_;                // by virtual stage
  BlockMessages blocks_;
  PipelineMessages messages_;
};

}  // namespace

void run_micro_batches(Step& step, const LayerHooks& hooks) { MicroBatches(step, hooks).run(); }

}  // namespace sim
