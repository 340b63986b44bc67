// SPDX-License-Identifier: Apache-2.0
// Offload: activations that go to the hosts after a layer's forward pass and come back before its
// backward pass (sim/workload/offloading.hpp), with two buffers or the room of two layers that stay:
//
//   to_host              [layer 0   ][layer 1   ]   ...
//   compute     [layer 0][layer 1   ][layer 2][layer 3]       layer 2 waits until 0 has left, which
//                                                             makes room; layers 2 and 3 stay here
//   from_host                                 [layer 1   ][layer 0   ]
//   compute     ...        [backward 3][backward 2][backward 1]  layer 1 may come once 3 is through
//
// Copies wait for room and for kernels, kernels for copies; neither takes anything of the other.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/program/lay_out.hpp"
#include "sim/workload/pipeline_tasks.hpp"
#include "sim/workload/stages.hpp"

namespace sim {

class Offload {
 public:
  // Both must outlive this.
  Offload(StepLayOut& step, const Stages& stages);

  // Around all that a stage does in a task; `next` is its next one, null after the last.
  void begin(int stage, const Task& task, const Task* next);
  void end(int stage, const Task& task, const Task* next);
  // Around each layer of the task's chunk, counted from its first.
  void before(int stage, const Task& task, int layer);
  void after(int stage, const Task& task, int layer);

 private:
  using Buffer = std::uint32_t;
  // A micro-batch at a chunk, from its forward to its backward pass.
  struct Pass {
    int leaving = 0;              // of its layers, the first ones
    int away = 0;                 // of these, still to be fetched
    std::vector<Buffer> buffers;  // by layer, the last one it had
  };
  struct StageState {
    std::deque<Buffer> free;                     // or to be, in the order in which they are freed
    std::vector<Buffer> unused;                  // by no pass in flight
    std::vector<bool> copied;                    // by buffer: whether its last use was a copy
    std::map<std::pair<int, int>, Pass> passes;  // by chunk and micro-batch
  };

  [[nodiscard]] StageState& state(int stage) { return states_[static_cast<std::size_t>(stage)]; }
  [[nodiscard]] Pass& pass(int stage, const Task& task) {
    return state(stage).passes.at({task.chunk, task.micro_batch});
  }
  [[nodiscard]] int layers(int stage, const Task& task) const;
  [[nodiscard]] int staying(int stage, const Task& task) const;
  [[nodiscard]] Buffer unused_buffer(StageState& at);
  void copy(int stage, const Task& task, int layer, bool to_host);
  // What free buffers can hold of the activations that the backward pass is still to fetch.
  void fetch(int stage, const Task& task);
  void hold(int stage, Buffer buffer);

  StepLayOut& step_;
  const Stages& stages_;
  double rate_Bps_;
  std::vector<StageState> states_;
};

}  // namespace sim
