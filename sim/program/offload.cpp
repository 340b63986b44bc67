// SPDX-License-Identifier: Apache-2.0
#include "sim/program/offload.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/workload/activations.hpp"
#include "sim/workload/offloading.hpp"

namespace sim {

Offload::Offload(StepLayOut& step, const Stages& stages)
    : step_(step),
      stages_(stages),
      rate_Bps_(host_copy_rate(step.context.cluster)->base()),
      states_(static_cast<std::size_t>(step.parallelism.pipeline)) {
  for (int stage = 0; stage < step.parallelism.pipeline; ++stage) {
    StageState& at = state(stage);
    const int extra = extra_buffers(step.parallelism, stages, stage);
    for (int i = 0; i < extra; ++i) at.free.push_back(unused_buffer(at));
  }
}

void Offload::begin(int stage, const Task& task, const Task* next) {
  if (!task.forward) return;
  const int all = layers(stage, task);
  const bool turns = next != nullptr && !next->forward && next->chunk == task.chunk &&
                     next->micro_batch == task.micro_batch;
  Pass pass{.leaving = turns ? leaving_before_turn(step_.parallelism, all)
                             : leaving_layers(step_.parallelism, all)};
  pass.away = pass.leaving;
  pass.buffers.resize(static_cast<std::size_t>(all));
  StageState& at = state(stage);
  for (int i = 0; i < staying(stage, task); ++i) at.free.push_front(unused_buffer(at));
  at.passes[{task.chunk, task.micro_batch}] = std::move(pass);
}

void Offload::before(int stage, const Task& task, int layer) {
  Pass& of = pass(stage, task);
  Buffer& buffer = of.buffers[static_cast<std::size_t>(layer)];
  if (task.forward) {
    StageState& at = state(stage);
    require(!at.free.empty(), "a layer's activations have room");
    buffer = at.free.front();
    at.free.pop_front();
  } else {
    require(layer >= of.away, "a layer's activations are fetched before its backward pass");
  }
  hold(stage, buffer);
}

void Offload::after(int stage, const Task& task, int layer) {
  Pass& of = pass(stage, task);
  StageState& at = state(stage);
  const Buffer buffer = of.buffers[static_cast<std::size_t>(layer)];
  if (task.forward) {
    if (layer >= of.leaving) return;
    copy(stage, task, layer, true);
    at.free.push_back(buffer);
    return;
  }
  step_.add(stage, FreeBuffer{buffer});
  at.copied[buffer] = false;
  at.free.push_back(buffer);
  fetch(stage, task);
}

void Offload::end(int stage, const Task& task, const Task* next) {
  StageState& at = state(stage);
  if (!task.forward) {
    for (int i = 0; i < staying(stage, task); ++i) {
      at.unused.push_back(at.free.back());
      at.free.pop_back();
    }
    at.passes.erase({task.chunk, task.micro_batch});
  }
  if (next != nullptr && !next->forward) fetch(stage, *next);
}

int Offload::layers(int stage, const Task& task) const {
  return stages_.layers_of(task.chunk * step_.parallelism.pipeline + stage);
}

int Offload::staying(int stage, const Task& task) const {
  const int all = layers(stage, task);
  return all - leaving_layers(step_.parallelism, all);
}

Offload::Buffer Offload::unused_buffer(StageState& at) {
  if (at.unused.empty()) {
    at.unused.push_back(static_cast<Buffer>(at.copied.size()));
    at.copied.push_back(false);
    Buffer& most = step_.program.activation_buffers;
    most = std::max(most, static_cast<Buffer>(at.copied.size()));
  }
  const Buffer buffer = at.unused.back();
  at.unused.pop_back();
  return buffer;
}

void Offload::copy(int stage, const Task& task, int layer, bool to_host) {
  const Parallelism& p = step_.parallelism;
  const int number = stages_.first_layer(task.chunk * p.pipeline + stage) + layer;
  const Model& model = step_.context.model;
  const double bytes = kept_activations(model, p, kind_of(model, number)).total();
  const Buffer buffer = pass(stage, task).buffers[static_cast<std::size_t>(layer)];
  step_.add(stage, CopyActivations{.buffer = buffer,
                                   .to_host = to_host,
                                   .seconds = bytes / rate_Bps_,
                                   .label = "layer " + std::to_string(number) +
                                            (to_host ? " to host" : " from host")});
  state(stage).copied[buffer] = true;
}

void Offload::fetch(int stage, const Task& task) {
  Pass& of = pass(stage, task);
  StageState& at = state(stage);
  while (of.away > 0 && !at.free.empty()) {
    --of.away;
    of.buffers[static_cast<std::size_t>(of.away)] = at.free.front();
    at.free.pop_front();
    copy(stage, task, of.away, false);
  }
}

void Offload::hold(int stage, Buffer buffer) {
  if (state(stage).copied[buffer]) step_.add(stage, HoldBuffer{buffer});
}

}  // namespace sim
