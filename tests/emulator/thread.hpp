// SPDX-License-Identifier: Apache-2.0
// A thread of the emulated block: what it waits for, and how that reads in a message.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "tests/emulator/block.hpp"
#include "tests/emulator/fiber.hpp"

namespace emulator {

enum class State : std::uint8_t { fresh, ready, in_warp, in_block, returned };

struct Thread {
  uint3 index{};
  State state = State::returned;
  Together what = Together::syncwarp;  // it waits in
  unsigned lanes = 0;
  std::uint64_t value = 0;
  Place where;
  std::unique_ptr<Fiber> fiber;
};

std::string doing(const Thread& thread);

// What each does, e.g. "threads 32 to 47 returned; threads 48 to 63 in __syncwarp(0xffffffff) at
// kernels.cu:7". The first one's number is `first`.
std::string story(std::span<const Thread> threads, std::size_t first);

}  // namespace emulator
