// SPDX-License-Identifier: Apache-2.0
// The process of a worker: questions come over a socket, and their replies go back.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace apps::serve {

// Before a question: its length. Before a reply: its status, its length, and whether the worker ends then.
struct QuestionHead {
  std::uint32_t length = 0;
};
struct ReplyHead {
  std::uint32_t status = 0, length = 0, is_last = 0;
};

struct WorkerProcess {
  pid_t id = -1;
  int channel = -1;
};

// A copy of this process, which has no threads, answers until the channel is closed or this process ends.
// It knows what this process has read and worked out, and has a process group of its own. Throws
// LacksResources.
struct WorkerKind {
  int jobs = 1;      // schemes simulated at once
  int niceness = 0;  // beyond this process's
};
[[nodiscard]] WorkerProcess start_worker(const WorkerKind& kind);

// Ends it, with what it has started, and waits for that.
void end_worker(const WorkerProcess& worker);

}  // namespace apps::serve
