// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/block.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <utility>
#include <vector>

#include "tests/emulator/builtins.hpp"
#include "tests/emulator/shared_memory.hpp"
#include "tests/emulator/thread.hpp"

uint3 threadIdx{};
uint3 blockIdx{};
dim3 blockDim{};
dim3 gridDim{};

namespace emulator {
namespace {

// Unwinds the stack of a thread that will never go on.
struct Abandoned {};

class Block {
 public:
  // Calls `body` as each of the threads of blockDim.
  void run(const std::function<void()>& body, bool descending);
  // Called by threads.
  void wait(State state);

  [[nodiscard]] Thread& current() { return *current_; }
  [[nodiscard]] std::size_t current_number() const {
    return static_cast<std::size_t>(current_ - threads_.data());
  }
  [[nodiscard]] const std::uint64_t* met() const {
    return met_[current_number() / kWarpLanes].data();
  }
  [[nodiscard]] Votes votes() const { return votes_; }

 private:
  void start();
  void start(Thread& thread, uint3 index);
  [[noreturn]] void serve();
  void run_all();
  void run_one(Thread& thread);
  bool run_warp(std::size_t warp);
  bool release(std::size_t warp);
  bool release_block();
  void abandon();
  [[nodiscard]] std::span<Thread> threads_of(std::size_t warp);
  [[nodiscard]] std::span<Thread> all() { return {threads_.data(), count_}; }

  std::vector<Thread> threads_;  // at least as many as the block has; their fibers are kept
  std::size_t count_ = 0;
  std::vector<std::array<std::uint64_t, kWarpLanes>> met_;  // by warp
  Votes votes_;
  Thread* current_ = nullptr;
  bool is_descending_ = false;
  bool is_abandoned_ = false;
  const std::function<void()>* body_ = nullptr;
  std::exception_ptr error_;  // of the thread that ran last
};

// Never destroyed: its fibers wait in a function that does not return.
Block& the_block() {
  static Block& block = *new Block;
  return block;
}

void Block::run(const std::function<void()>& body, bool descending) {
  body_ = &body;
  is_descending_ = descending;
  start();
  try {
    run_all();
  } catch (...) {
    abandon();
    throw;
  }
}

void Block::start() {
  count_ = std::size_t{blockDim.x} * blockDim.y * blockDim.z;
  if (threads_.size() < count_) threads_.resize(count_);
  met_.resize((count_ + kWarpLanes - 1) / kWarpLanes);
  std::size_t number = 0;
  for (unsigned z = 0; z < blockDim.z; ++z) {
    for (unsigned y = 0; y < blockDim.y; ++y) {
      for (unsigned x = 0; x < blockDim.x; ++x) start(threads_[number++], {x, y, z});
    }
  }
}

void Block::start(Thread& thread, uint3 index) {
  thread.index = index;
  thread.state = State::fresh;
  if (!thread.fiber) thread.fiber = std::make_unique<Fiber>([this] { serve(); });
}

// What a fiber runs: the thread of its number in one block after another.
void Block::serve() {
  for (;;) {
    try {
      (*body_)();
    } catch (const Abandoned&) {  // the error that caused it is reported
      error_ = nullptr;
    } catch (...) {
      error_ = std::current_exception();
    }
    current_->state = State::returned;
    current_->fiber->yield();
  }
}

void Block::wait(State state) {
  Thread& self = *current_;
  self.state = state;
  self.fiber->yield();
  if (is_abandoned_) throw Abandoned{};
}

void Block::run_one(Thread& thread) {
  current_ = &thread;
  threadIdx = thread.index;
  thread.fiber->resume();
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void Block::run_all() {
  const std::size_t warps = met_.size();
  do {
    bool again = true;
    while (again) {
      again = false;
      for (std::size_t i = 0; i < warps; ++i) {
        again |= run_warp(is_descending_ ? warps - 1 - i : i);
      }
    }
  } while (release_block());
}

// Runs the warp until its threads wait for the block or have returned; true if some gave way.
bool Block::run_warp(std::size_t warp) {
  const std::span<Thread> threads = threads_of(warp);
  do {
    for (std::size_t i = 0; i < threads.size(); ++i) {
      Thread& thread = threads[is_descending_ ? threads.size() - 1 - i : i];
      if (thread.state == State::fresh || thread.state == State::ready) run_one(thread);
    }
  } while (release(warp));
  const auto has = [&](State state) {
    return std::ranges::any_of(threads, [=](const Thread& t) { return t.state == state; });
  };
  const bool gave_way = has(State::ready);
  if (!gave_way && has(State::in_warp)) {
    throw Misuse("lanes wait for others that do not come: block " + std::to_string(blockIdx.x) +
                 ", " + story(threads, warp * kWarpLanes));
  }
  return gave_way;
}

// Lets those groups of lanes go on that are complete; true if there were any.
bool Block::release(std::size_t warp) {
  const std::span<Thread> threads = threads_of(warp);
  bool any = false;
  for (const Thread& leader : threads) {
    if (leader.state != State::in_warp) continue;
    const unsigned lanes = leader.lanes;
    bool complete = true;
    for (std::size_t lane = 0; lane < kWarpLanes; ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      complete = complete && lane < threads.size() && threads[lane].state == State::in_warp &&
                 threads[lane].lanes == lanes && threads[lane].what == leader.what;
    }
    if (!complete) continue;
    any = true;
    for (std::size_t lane = 0; lane < threads.size(); ++lane) {
      if ((lanes >> lane & 1u) == 0) continue;
      met_[warp][lane] = threads[lane].value;
      threads[lane].state = State::ready;
    }
  }
  return any;
}

// Lets the threads go on that wait for the block; false if all have returned.
bool Block::release_block() {
  const Thread* first = nullptr;
  votes_ = {};
  for (const Thread& thread : all()) {
    if (thread.state == State::returned) continue;
    if (first == nullptr) first = &thread;
    if (thread.what != first->what || thread.where != first->where) {
      throw Misuse("threads wait at different barriers: block " + std::to_string(blockIdx.x) +
                   ", " + story(all(), 0));
    }
    ++votes_.threads;
    votes_.yes += static_cast<unsigned>(thread.value);
  }
  for (Thread& thread : all()) {
    if (thread.state == State::in_block) thread.state = State::ready;
  }
  return first != nullptr;
}

void Block::abandon() {
  is_abandoned_ = true;
  for (Thread& thread : all()) {
    if (thread.state != State::fresh && thread.state != State::returned) run_one(thread);
  }
  is_abandoned_ = false;
}

std::span<Thread> Block::threads_of(std::size_t warp) {
  const std::size_t first = warp * kWarpLanes;
  return {threads_.data() + first, std::min<std::size_t>(kWarpLanes, count_ - first)};
}

}  // namespace

const std::uint64_t* meet(Together what, unsigned lanes, std::uint64_t value, Place where) {
  Block& block = the_block();
  Thread& self = block.current();
  self.what = what;
  self.lanes = lanes;
  self.value = value;
  self.where = where;
  if ((lanes >> lane_index() & 1u) == 0) {
    self.state = State::in_warp;
    throw Misuse("the mask does not name the caller: lane " + std::to_string(lane_index()) + " " +
                 doing(self));
  }
  block.wait(State::in_warp);
  return block.met();
}

Votes meet_block(Together what, bool vote, Place where) {
  Block& block = the_block();
  Thread& self = block.current();
  self.what = what;
  self.value = vote ? 1 : 0;
  self.where = where;
  block.wait(State::in_block);
  return block.votes();
}

void give_way() { the_block().wait(State::ready); }

int lane_index() { return static_cast<int>(the_block().current_number() % kWarpLanes); }

void run_grid(const dim3& blocks, const dim3& threads, const std::function<void()>& thread) {
  gridDim = blocks;
  blockDim = threads;
  const std::uint64_t count = std::uint64_t{blocks.x} * blocks.y * blocks.z;
  bool descending = false;
  for (std::uint64_t block = 0; block < count; ++block) {
    if (count > kWholeGrid && block == kEndBlocks) block = count - kEndBlocks;
    const std::uint64_t row = block / blocks.x;
    blockIdx = {static_cast<unsigned>(block % blocks.x), static_cast<unsigned>(row % blocks.y),
                static_cast<unsigned>(row / blocks.y)};
    forget_shared_memory();
    the_block().run(thread, descending);
    descending = !descending;
  }
}

}  // namespace emulator
