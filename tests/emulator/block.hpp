// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a grid one after another, and the threads of a block as fibers: each runs
// until it has to wait for others. Between two barriers threads run in ascending order in one block
// and in descending order in the next, so that a missing barrier changes the results.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <functional>
#include <stdexcept>

namespace emulator {

// A kernel did what a GPU leaves undefined.
class Misuse : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

struct Place {
  const char* file = nullptr;
  int line = 0;
  bool operator==(const Place&) const = default;
};

// As a default argument: where the function that has it is called.
constexpr Place here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
  return {file, line};
}

// What the lanes of a warp (up to reduce_xor) or the threads of a block do together.
enum class Together : std::uint8_t {
  syncwarp,
  shfl,
  shfl_up,
  shfl_down,
  shfl_xor,
  ballot,
  any,
  all,
  match_any,
  match_all,
  reduce_add,
  reduce_min,
  reduce_max,
  reduce_and,
  reduce_or,
  reduce_xor,
  syncthreads,
  syncthreads_count,
  syncthreads_and,
  syncthreads_or,
};

inline constexpr int kWarpLanes = 32;

// Hands over the calling lane's value and waits for those of all lanes of the mask: element l is
// lane l's. Valid until the caller waits again.
const std::uint64_t* meet(Together what, unsigned lanes, std::uint64_t value, Place where);

// Waits for the block's threads that have not returned: how many came, and how many with `vote`.
struct Votes {
  unsigned threads = 0;
  unsigned yes = 0;
};
Votes meet_block(Together what, bool vote, Place where);

// Lets the block's other threads run.
void give_way();

// The caller's number in its warp.
int lane_index();

// Of a grid of more blocks than kWholeGrid, which would run for long, only the first and the last
// kEndBlocks run. What the others write stays as it was.
inline constexpr std::uint64_t kWholeGrid = 1 << 15;
inline constexpr std::uint64_t kEndBlocks = 64;

// Calls `thread` for every thread of the grid. Throws Misuse.
void run_grid(const dim3& blocks, const dim3& threads, const std::function<void()>& thread);

}  // namespace emulator
