// SPDX-License-Identifier: Apache-2.0
// Messages between pipeline stages: activations forward, their gradients back.
#pragma once

#include <map>
#include <vector>

#include "sim/schemes/step.hpp"
#include "sim/workload/pipeline_tasks.hpp"

namespace sim {

class PipelineMessages {
 public:
  // `activation_bytes`: per micro-batch between two layers, over all tensor-parallel ranks.
  PipelineMessages(Step& step, double activation_bytes);

  // Sends the result of the task just emitted from the stage to the virtual stage `to`. Without
  // overlap the sender's next kernel waits for its arrival, as in Megatron's schedules.
  void send(int stage, const Task& task, int to);
  // The stage's next kernel waits for the message of the same task from the virtual stage `from`.
  void receive(int stage, const Task& task, int from);

 private:
  Step& step_;
  const Wire& wire_;
  bool coded_;                                     // encoded and decoded on the compute stream
  double elements_;                                // per message
  std::vector<std::map<Task, OperationId>> sent_;  // by sending rank
};

}  // namespace sim
