#include "sim/schemes/pipeline_messages.hpp"

namespace sim {
namespace {

Call call_of(const Task& task) {
  return {.stream = task.forward ? Stream::receive_forward : Stream::receive_backward,
          .phase = Phase::pipeline_comm,
          .label = task.forward ? "activations" : "gradients of activations"};
}

}  // namespace

PipelineMessages::PipelineMessages(Step& step, double activation_bytes)
    : step_(step),
      bytes_(activation_bytes / (step.parallelism.sequence_parallel ? step.parallelism.tensor : 1)),
      sent_(static_cast<std::size_t>(step.builder.ranks())) {}

void PipelineMessages::send(int stage, const Task& task, int to) {
  const Parallelism& p = step_.parallelism;
  // The last tensor-parallel sum or kernel.
  const Stream stream = p.tensor > 1 ? Stream::tensor : Stream::compute;
  for (int replica = 0; replica < step_.data; ++replica) {
    for (int t = 0; t < p.tensor; ++t) {
      const int source = step_.rank(stage, replica, t);
      const int destination = step_.rank(to % p.pipeline, replica, t);
      const OperationId after = step_.builder.last(source, stream);
      Call call = call_of(task);
      call.after = {&after, 1};
      const OperationId flow =
          sim::send(step_.context.cluster, step_.builder, {source, destination, bytes_}, call);
      sent_[static_cast<std::size_t>(source)][task] = flow;
      if (!p.overlap.pipeline) step_.hold_compute(source, flow);
    }
  }
}

void PipelineMessages::receive(int stage, const Task& task, int from) {
  const Parallelism& p = step_.parallelism;
  const Task message{task.forward, task.micro_batch, from / p.pipeline};
  const Call call = call_of(task);
  for (int replica = 0; replica < step_.data; ++replica) {
    for (int t = 0; t < p.tensor; ++t) {
      const int source = step_.rank(from % p.pipeline, replica, t);
      const int destination = step_.rank(stage, replica, t);
      const OperationId flow = sent_[static_cast<std::size_t>(source)].at(message);
      step_.hold_compute(destination, step_.builder.member(destination, call.stream, call.phase,
                                                           call.label, {}, flow));
    }
  }
}

}  // namespace sim
