// Forward and backward passes: the operators of each layer, tensor-parallel collectives between
// them, and the pipeline's order.
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/schemes/pipeline_messages.hpp"
#include "sim/schemes/step.hpp"

namespace sim {
namespace {

// Kernels that follow each other on a stream, as one operation or one by one.
struct Timed {
  std::string label;  // after the layer's; empty where it stands for the whole part
  BlockTime time;
};
using Part = std::vector<Timed>;

struct LayerTimes {
  Part attention, feed_forward, recompute;
  Part feed_forward_inputs, feed_forward_weights, attention_inputs, attention_weights;
  Part embedding, embedding_backward, head, head_backward;
};

// A product without a launch of its own is part of the kernel before it.
Part one_by_one(const Step& step, const Operators& operators) {
  Part part;
  for (const Operator& one : operators) {
    const BlockTime time = step.roofline.block({one});
    if (one.launches == 0 && !part.empty()) {
      part.back().time += time;
    } else {
      part.push_back({" " + std::string(one.name), time});
    }
  }
  return part;
}

Part timed(const Step& step, const Operators& operators) {
  if (step.context.each_kernel) return one_by_one(step, operators);
  return {{"", step.roofline.block(operators)}};
}

Part joined(const Step& step, const Part& first, const Part& second) {
  Part part = first;
  if (step.context.each_kernel) {
    part.insert(part.end(), second.begin(), second.end());
  } else {
    part.front().time += second.front().time;
  }
  return part;
}

LayerTimes layer_times(const Step& step) {
  const LayerOperators layer = layer_operators(step.context.model, step.parallelism);
  const EndOperators ends = end_operators(step.context.model, step.parallelism);
  const auto time = [&](const Operators& operators) { return timed(step, operators); };
  return {.attention = time(layer.attention),
          .feed_forward = time(layer.feed_forward),
          .recompute = time(layer.recompute),
          .feed_forward_inputs = time(layer.feed_forward_inputs),
          .feed_forward_weights = time(layer.feed_forward_weights),
          .attention_inputs = time(layer.attention_inputs),
          .attention_weights = time(layer.attention_weights),
          .embedding = time(ends.embedding),
          .embedding_backward = time(ends.embedding_backward),
          .head = time(ends.head),
          .head_backward = time(ends.head_backward)};
}

class MicroBatches {
 public:
  MicroBatches(Step& step, const LayerHooks& hooks)
      : step_(step),
        p_(step.parallelism),
        times_(layer_times(step)),
        hooks_(hooks),
        layers_(step.context.model.layers / p_.pipeline / p_.virtual_stages),
        done_(static_cast<std::size_t>(p_.pipeline * p_.virtual_stages)),
        activation_bytes_(2.0 * p_.micro_batch * step.context.model.sequence *
                          step.context.model.hidden),
        messages_(step, activation_bytes_) {}

  // Emits the stages' tasks in an order in which everything that a task waits for comes before it.
  void run() {
    std::vector<std::vector<Task>> tasks;
    for (int stage = 0; stage < p_.pipeline; ++stage) tasks.push_back(pipeline_tasks(p_, stage));
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
      step_.for_each_rank(stage, [&](int rank) { step_.compute(rank, phase, text, one.time); });
    }
  }

  // A collective of the tensor-parallel groups after what the compute stream holds. `blocks`: the
  // next kernel waits for it at once; else release() makes a later one wait.
  void communicate(int stage, const std::string& label) {
    if (p_.tensor == 1) return;
    for (int replica = 0; replica < step_.data; ++replica) {
      const Communicator& group = step_.tensor_group(stage, replica);
      const auto after = step_.last_of(group, Stream::compute);
      const Call call{
          .stream = Stream::tensor, .phase = Phase::tensor_comm, .label = label, .after = after};
      // Sequence parallelism splits the all_reduce: reduce_scatter here, all_gather at the next
      // block. Together they send as much.
      if (p_.sequence_parallel) {
        reduce_scatter(step_.builder, group, activation_bytes_, call);
        all_gather(step_.builder, group, activation_bytes_, call);
      } else {
        all_reduce(step_.builder, group, activation_bytes_, call);
      }
    }
  }

  void wait_for_tensor(int stage) {
    if (p_.tensor > 1) step_.hold_stage(stage, Stream::tensor);
  }

  [[nodiscard]] std::string label_of(int stage, const Task& task, int layer) const {
    return "layer " + std::to_string(virtual_stage(stage, task) * layers_ + layer);
  }

  void forward(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    if (!is_first(place)) messages_.receive(stage, task, place - 1);
    for (int layer = 0; layer < layers_; ++layer) {
      hooks_.before_forward(stage, task.chunk * layers_ + layer, task.micro_batch);
      if (is_first(place) && layer == 0) {
        compute(stage, Phase::forward, "embedding", times_.embedding);
      }
      forward_layer(stage, label_of(stage, task, layer));
    }
    if (is_last(place)) compute(stage, Phase::forward, "head", times_.head);
  }

  void forward_layer(int stage, const std::string& label) {
    if (p_.tensor == 1) {
      compute(stage, Phase::forward, label, joined(step_, times_.attention, times_.feed_forward));
      return;
    }
    compute(stage, Phase::forward, label + " attention", times_.attention);
    communicate(stage, "attention output");
    wait_for_tensor(stage);
    compute(stage, Phase::forward, label + " feed-forward", times_.feed_forward);
    communicate(stage, "feed-forward output");
    wait_for_tensor(stage);
  }

  void backward(int stage, const Task& task) {
    const int place = virtual_stage(stage, task);
    if (is_last(place)) {
      compute(stage, Phase::backward, "head", times_.head_backward);
    } else {
      messages_.receive(stage, task, place + 1);
    }
    for (int layer = layers_ - 1; layer >= 0; --layer) {
      const int held = task.chunk * layers_ + layer;
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
    backward_block(stage, label + " feed-forward", times_.feed_forward_inputs,
                   times_.feed_forward_weights, "feed-forward input gradients");
    backward_block(stage, label + " attention", times_.attention_inputs, times_.attention_weights,
                   "attention input gradients");
  }

  // Full recomputation repeats the forward pass's collectives.
  void recompute_communication(int stage) {
    communicate(stage, "attention output");
    communicate(stage, "feed-forward output");
    wait_for_tensor(stage);
  }

  void backward_block(int stage, const std::string& label, const Part& inputs, const Part& weights,
                      const std::string& collective) {
    if (p_.tensor == 1 || !p_.overlap.tensor) {
      compute(stage, Phase::backward, label, joined(step_, inputs, weights));
      communicate(stage, collective);
      wait_for_tensor(stage);
      return;
    }
    compute(stage, Phase::backward, label + " inputs", inputs);
    communicate(stage, collective);
    compute(stage, Phase::backward, label + " weights", weights);
    wait_for_tensor(stage);
  }

  Step& step_;
  const Parallelism& p_;
  LayerTimes times_;
  const LayerHooks& hooks_;
  int layers_;               // of a chunk
  std::vector<Done> done_;   // by virtual stage
  double activation_bytes_;  // of one micro-batch at one layer, over all tensor-parallel ranks
  PipelineMessages messages_;
};

}  // namespace

void run_micro_batches(Step& step, const LayerHooks& hooks) { MicroBatches(step, hooks).run(); }

}  // namespace sim
