// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/pipeline_messages.hpp"

#include "sim/schemes/block_messages.hpp"
#include "sim/schemes/kernels.hpp"

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
      wire_(step.scheme.activations.pipeline),
      coded_(!wire_.is_plain()),
      elements_(activation_bytes / 2 /
                (step.parallelism.sequence_parallel ? step.parallelism.tensor : 1)),
      sent_(static_cast<std::size_t>(step.builder.ranks())) {}

void PipelineMessages::send(int stage, const Task& task, int to) {
  const Parallelism& p = step_.parallelism;
  const CodecKernel encode =
      coded_ ? step_.timed(activation_encode(wire_, elements_)) : CodecKernel{};
  step_.for_each_rank(stage, [&](int source) {
    const int destination = step_.layout.at(source, axes::pipeline, to % p.pipeline);
    OperationId after = after_blocks(step_, source);
    if (coded_) {
      after = step_.codec(source, Phase::encode, encode, {&after, 1}, Stream::compute);
    }
    Call call = call_of(task);
    call.after = {&after, 1};
    const OperationId flow = sim::send(step_.topology, step_.builder,
                                       {source, destination, wire_.bytes(elements_)}, call);
    sent_[static_cast<std::size_t>(source)][task] = flow;
    if (!p.overlap.pipeline) step_.hold_compute(source, flow);
  });
}

void PipelineMessages::receive(int stage, const Task& task, int from) {
  const Parallelism& p = step_.parallelism;
  const Task message{task.forward, task.micro_batch, from / p.pipeline};
  const Call call = call_of(task);
  const CodecKernel decode =
      coded_ ? step_.timed(activation_decode(wire_, elements_)) : CodecKernel{};
  step_.for_each_rank(stage, [&](int destination) {
    const int source = step_.layout.at(destination, axes::pipeline, from % p.pipeline);
    const OperationId flow = sent_[static_cast<std::size_t>(source)].at(message);
    step_.hold_compute(destination, step_.builder.member(destination, call.stream, call.phase,
                                                         call.label, {}, flow));
    if (!coded_) return;
    step_.compute(destination, Phase::decode, decode.label, {decode.seconds, decode.seconds});
  });
}

}  // namespace sim
