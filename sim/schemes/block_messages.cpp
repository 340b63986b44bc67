// SPDX-License-Identifier: Apache-2.0
#include "sim/schemes/block_messages.hpp"

namespace sim {

void BlockMessages::exchange(int stage, const std::string& label) {
  for (const BlockGroups& groups : step_.blocks) {
    for (const Communicator& group : groups.of_stage[static_cast<std::size_t>(stage)]) {
      groups.axis->after_block->append(step_, group, bytes_, label);
    }
  }
}

void BlockMessages::wait(int stage) {
  for (const BlockGroups& groups : step_.blocks) {
    step_.hold_stage(stage, groups.axis->after_block->stream(step_));
  }
}

OperationId after_blocks(Step& step, int rank) {
  std::vector<OperationId> last;
  for (const BlockGroups& groups : step.blocks) {
    last.push_back(step.builder.last(rank, groups.axis->after_block->stream(step)));
  }
  if (last.empty()) return step.builder.last(rank, Stream::compute);
  return last.size() == 1 ? last.front() : step.builder.barrier(last);
}

}  // namespace sim
