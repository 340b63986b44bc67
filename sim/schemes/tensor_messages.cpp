// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/tensor_messages.hpp"

#include "sim/schemes/kernels.hpp"

namespace sim {

Stream last_stream(const Step& step) {
  if (step.parallelism.tensor == 1) return Stream::compute;
  return step.scheme.activations.tensor.is_plain() ? Stream::tensor : Stream::tensor_codec;
}

void TensorMessages::exchange(int stage, const std::string& label) {
  if (step_.parallelism.tensor == 1) return;
  for (int replica = 0; replica < step_.data; ++replica) {
    const Communicator& group = step_.tensor_group(stage, replica);
    if (coded_) {
      exchange_coded(group, label);
      continue;
    }
    const auto after = step_.last_of(group, Stream::compute);
    const Call call{
        .stream = Stream::tensor, .phase = Phase::tensor_comm, .label = label, .after = after};
    if (step_.parallelism.sequence_parallel) {
      reduce_scatter(step_.builder, group, bytes_, call);
      all_gather(step_.builder, group, bytes_, call);
    } else {
      all_reduce(step_.builder, group, bytes_, call);
    }
  }
}

void TensorMessages::exchange_coded(const Communicator& group, const std::string& label) {
  const int ranks = step_.parallelism.tensor;
  const double elements = bytes_ / 2;
  const double part = elements / ranks;
  const double bytes = wire().bytes(part, ranks) * ranks;
  auto ready = step_.last_of(group, Stream::compute);
  const auto launch = [&](Phase phase, const CodecUse& use) {
    const CodecKernel kernel = step_.timed(use);
    for (std::size_t i = 0; i < group.ranks.size(); ++i) {
      ready[i] = step_.codec(group.ranks[i], phase, kernel, {&ready[i], 1}, Stream::tensor_codec);
    }
  };
  const auto send = [&](auto collective) {
    collective(
        step_.builder, group, bytes,
        {.stream = Stream::tensor, .phase = Phase::tensor_comm, .label = label, .after = ready});
    ready = step_.last_of(group, Stream::tensor);
  };
  launch(Phase::encode, activation_encode(wire(), elements));
  send(all_to_all);
  launch(Phase::decode, activation_sum(wire(), ranks, part));
  send(all_gather);
  launch(Phase::decode, activation_decode(wire(), elements));
}

void TensorMessages::wait(int stage) {
  if (step_.parallelism.tensor > 1) step_.hold_stage(stage, last_stream(step_));
}

}  // namespace sim
