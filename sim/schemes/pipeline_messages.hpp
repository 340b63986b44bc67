// What pipeline stages send each other: activations forward, their gradients back.
#pragma once

#include <map>
#include <vector>

#include "sim/schemes/step.hpp"
#include "sim/workload/pipeline_tasks.hpp"

namespace sim {

class PipelineMessages {
 public:
  // `activation_bytes`: of one micro-batch between two layers, over all tensor-parallel ranks.
  PipelineMessages(Step& step, double activation_bytes);

  // What the task, just emitted, leaves goes from the stage to the virtual stage `to`. Without
  // overlap the sender's next kernel waits until it has arrived, as Megatron's schedules do.
  void send(int stage, const Task& task, int to);
  // The stage's next kernel waits for what the same task of the virtual stage `from` sent.
  void receive(int stage, const Task& task, int from);

 private:
  Step& step_;
  const Wire& wire_;
  bool coded_;                                     // encoded and decoded on the compute stream
  double elements_;                                // of a message
  std::vector<std::map<Task, OperationId>> sent_;  // by sending rank
};

}  // namespace sim
