// Forward and backward passes: the operators of each layer, tensor-parallel collectives between
// them, and the 1F1B pipeline (Narayanan et al. 2104.04473, section 2.2).
#include <algorithm>
#include <compare>
#include <map>
#include <string>
#include <utility>

#include "sim/schemes/step.hpp"

namespace sim {
namespace {

struct LayerTimes {
  BlockTime attention, feed_forward, recompute;
  BlockTime feed_forward_inputs, feed_forward_weights, attention_inputs, attention_weights;
  BlockTime embedding, embedding_backward, head, head_backward;
};

LayerTimes layer_times(const Step& step) {
  const LayerOperators layer = layer_operators(step.context.model, step.parallelism);
  const EndOperators ends = end_operators(step.context.model, step.parallelism);
  const auto time = [&](const Operators& operators) { return step.roofline.block(operators); };
  return {time(layer.attention),
          time(layer.feed_forward),
          time(layer.recompute),
          time(layer.feed_forward_inputs),
          time(layer.feed_forward_weights),
          time(layer.attention_inputs),
          time(layer.attention_weights),
          time(ends.embedding),
          time(ends.embedding_backward),
          time(ends.head),
          time(ends.head_backward)};
}

struct Task {
  bool forward = true;
  int micro_batch = 0;
  auto operator<=>(const Task&) const = default;
};

// A stage's order under 1F1B: enough forward passes to fill the stages after it, then one of each.
std::vector<Task> one_forward_one_backward(int stage, int stages, int micro_batches) {
  const int warm_up = std::min(stages - stage - 1, micro_batches);
  std::vector<Task> tasks;
  for (int i = 0; i < warm_up; ++i) tasks.push_back({true, i});
  for (int i = warm_up; i < micro_batches; ++i) {
    tasks.push_back({true, i});
    tasks.push_back({false, i - warm_up});
  }
  for (int i = micro_batches - warm_up; i < micro_batches; ++i) tasks.push_back({false, i});
  return tasks;
}

class MicroBatches {
 public:
  MicroBatches(Step& step, const std::function<void(int, int)>& layer_done)
      : step_(step),
        p_(step.parallelism),
        times_(layer_times(step)),
        layer_done_(layer_done),
        layers_(step.context.model.layers / p_.pipeline),
        sent_(static_cast<std::size_t>(step.builder.ranks())) {
    const double tokens = static_cast<double>(p_.micro_batch) * step.context.model.sequence;
    activation_bytes_ = 2 * tokens * step.context.model.hidden;
  }

  // Emits the stages' tasks in an order in which everything that a task waits for comes before it.
  void run() {
    std::vector<std::vector<Task>> tasks;
    for (int stage = 0; stage < p_.pipeline; ++stage) {
      tasks.push_back(one_forward_one_backward(stage, p_.pipeline, p_.accumulation));
    }
    std::vector<std::size_t> next(tasks.size());
    std::vector<int> forwards(tasks.size()), backwards(tasks.size());
    for (bool emitted = true; emitted;) {
      emitted = false;
      for (int stage = 0; stage < p_.pipeline; ++stage) {
        const auto s = static_cast<std::size_t>(stage);
        while (next[s] < tasks[s].size()) {
          const Task task = tasks[s][next[s]];
          const bool ready = task.forward
                                 ? stage == 0 || forwards[s - 1] > task.micro_batch
                                 : s + 1 == tasks.size() || backwards[s + 1] > task.micro_batch;
          if (!ready) break;
          task.forward ? forward(stage, task.micro_batch) : backward(stage, task.micro_batch);
          ++(task.forward ? forwards : backwards)[s];
          ++next[s];
          emitted = true;
        }
      }
    }
  }

 private:
  void compute(int stage, Phase phase, const std::string& label, const BlockTime& time) {
    step_.for_each_rank(stage, [&](int rank) { step_.compute(rank, phase, label, time); });
  }

  // A collective of the tensor-parallel groups after what the compute stream holds. `blocks`: the
  // next kernel waits for it at once; else release() makes a later one wait.
  void communicate(int stage, const std::string& label) {
    if (p_.tensor == 1) return;
    for (int replica = 0; replica < step_.data; ++replica) {
      const Communicator& group = step_.tensor_group(stage, replica);
      std::vector<OperationId> after;
      for (const int rank : group.ranks) after.push_back(step_.builder.last(rank, Stream::compute));
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
    if (p_.tensor == 1) return;
    step_.for_each_rank(stage, [&](int rank) {
      step_.hold_compute(rank, step_.builder.last(rank, Stream::tensor));
    });
  }

  // Notes what the stage's task leaves for its neighbour: the last tensor-parallel sum or kernel.
  void note_sent(int stage, const Task& message) {
    const Stream stream = p_.tensor > 1 ? Stream::tensor : Stream::compute;
    step_.for_each_rank(stage, [&](int rank) {
      sent_[static_cast<std::size_t>(rank)][message] = step_.builder.last(rank, stream);
    });
  }

  void receive(int stage, int from, const Task& message, Stream stream, const std::string& label) {
    const double bytes = activation_bytes_ / (p_.sequence_parallel ? p_.tensor : 1);
    for (int replica = 0; replica < step_.data; ++replica) {
      for (int t = 0; t < p_.tensor; ++t) {
        const int source = step_.rank(from, replica, t);
        const int destination = step_.rank(stage, replica, t);
        const OperationId sent = sent_[static_cast<std::size_t>(source)][message];
        send(
            step_.context.cluster, step_.builder, {source, destination, bytes},
            {.stream = stream, .phase = Phase::pipeline_comm, .label = label, .after = {&sent, 1}});
        step_.hold_compute(destination, step_.builder.last(destination, stream));
      }
    }
  }

  // The first micro-batch's layer waits for the gather and decode of its weights.
  void wait_for_weights(int stage, int layer, int micro_batch) {
    if (!p_.overlap.weights || micro_batch > 0) return;
    const auto& buckets = step_.buckets[static_cast<std::size_t>(stage)];
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
      if (buckets[bucket].first_layer != layer) continue;
      step_.for_each_rank(
          stage, [&](int rank) { step_.hold_compute(rank, step_.gathered(rank, bucket)); });
    }
  }

  void forward(int stage, int micro_batch) {
    const Task task{true, micro_batch};
    if (stage > 0) receive(stage, stage - 1, task, Stream::receive_forward, "activations");
    for (int layer = 0; layer < layers_; ++layer) {
      const std::string label = "layer " + std::to_string(stage * layers_ + layer);
      wait_for_weights(stage, layer, micro_batch);
      if (stage == 0 && layer == 0) compute(stage, Phase::forward, "embedding", times_.embedding);
      if (p_.tensor == 1) {
        BlockTime both = times_.attention;
        both += times_.feed_forward;
        compute(stage, Phase::forward, label, both);
        continue;
      }
      compute(stage, Phase::forward, label + " attention", times_.attention);
      communicate(stage, "attention output");
      wait_for_tensor(stage);
      compute(stage, Phase::forward, label + " feed-forward", times_.feed_forward);
      communicate(stage, "feed-forward output");
      wait_for_tensor(stage);
    }
    if (stage == p_.pipeline - 1) compute(stage, Phase::forward, "head", times_.head);
    note_sent(stage, task);
  }

  void backward(int stage, int micro_batch) {
    const Task task{false, micro_batch};
    if (stage < p_.pipeline - 1) {
      receive(stage, stage + 1, task, Stream::receive_backward, "gradients of activations");
    } else {
      compute(stage, Phase::backward, "head", times_.head_backward);
    }
    for (int layer = layers_ - 1; layer >= 0; --layer) {
      const std::string label = "layer " + std::to_string(stage * layers_ + layer);
      compute(stage, Phase::recompute, label, times_.recompute);
      if (p_.recompute == Recompute::full) recompute_communication(stage);
      backward_block(stage, label + " feed-forward", times_.feed_forward_inputs,
                     times_.feed_forward_weights, "feed-forward input gradients");
      backward_block(stage, label + " attention", times_.attention_inputs, times_.attention_weights,
                     "attention input gradients");
      if (stage == 0 && layer == 0) {
        compute(stage, Phase::backward, "embedding", times_.embedding_backward);
      }
      if (micro_batch == p_.accumulation - 1) layer_done_(stage, layer);
    }
    note_sent(stage, task);
  }

  // Full recomputation repeats the forward pass's collectives.
  void recompute_communication(int stage) {
    communicate(stage, "attention output");
    communicate(stage, "feed-forward output");
    wait_for_tensor(stage);
  }

  void backward_block(int stage, const std::string& label, const BlockTime& inputs,
                      const BlockTime& weights, const std::string& collective) {
    if (p_.tensor == 1 || !p_.overlap.tensor) {
      BlockTime both = inputs;
      both += weights;
      compute(stage, Phase::backward, label, both);
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
  const std::function<void(int, int)>& layer_done_;
  int layers_;
  std::vector<std::map<Task, OperationId>> sent_;  // by rank
  double activation_bytes_ = 0;  // of one micro-batch at one layer, over all tensor-parallel ranks
};

}  // namespace

void run_micro_batches(Step& step, const std::function<void(int stage, int layer)>& layer_done) {
  MicroBatches(step, layer_done).run();
}

}  // namespace sim
