// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/thread.hpp"

#include <array>
#include <cstdio>

namespace emulator {
namespace {

constexpr std::array kNames{
    "__syncwarp",        "__shfl_sync",         "__shfl_up_sync",    "__shfl_down_sync",
    "__shfl_xor_sync",   "__ballot_sync",       "__any_sync",        "__all_sync",
    "__match_any_sync",  "__match_all_sync",    "__reduce_add_sync", "__reduce_min_sync",
    "__reduce_max_sync", "__reduce_and_sync",   "__reduce_or_sync",  "__reduce_xor_sync",
    "__syncthreads",     "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"};
static_assert(kNames.size() == static_cast<std::size_t>(Together::syncthreads_or) + 1);

std::string hexadecimal(unsigned lanes) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%08x", lanes);
  return text.data();
}

}  // namespace

std::string doing(const Thread& thread) {
  if (thread.state == State::returned) return "returned";
  if (thread.state == State::fresh || thread.state == State::ready) return "can run";
  const std::string name = kNames.at(static_cast<std::size_t>(thread.what));
  const std::string mask = thread.state == State::in_warp ? hexadecimal(thread.lanes) : "";
  return "in " + name + "(" + mask + ") at " + thread.where.file + ":" +
         std::to_string(thread.where.line);
}

std::string story(std::span<const Thread> threads, std::size_t first) {
  std::string text;
  for (std::size_t begin = 0, end = 0; begin < threads.size(); begin = end) {
    const std::string what = doing(threads[begin]);
    while (end < threads.size() && doing(threads[end]) == what) ++end;
    text += (begin == 0 ? "threads " : "; threads ") + std::to_string(first + begin) + " to " +
            std::to_string(first + end - 1) + " " + what;
  }
  return text;
}

}  // namespace emulator
