// SPDX-License-Identifier: Apache-2.0
// What the tests of CPU kernels share: every way to run them, arrays between guards, rows of the
// registry and the reference of a sum.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "codecs/cpu/cpu.hpp"
#include "codecs/group/group.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cpu {

// Calls `check` for each instruction set, in one thread and in more than two.
inline void for_every_run(const std::function<void(const Run&)>& check) {
  for (const Target& target : targets()) {
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(std::string(target.name) + ", threads: " + std::to_string(threads));
      check({.threads = threads, .target = &target});
    }
  }
}

// An array that a kernel fills, between guards that it must leave alone, at an odd address.
template <typename T>
class Guarded {
 public:
  explicit Guarded(std::size_t count)
      : count_(count), memory_(count * sizeof(T) + 2 * kGuard, kGarbage) {}
  explicit Guarded(const std::vector<T>& values) : Guarded(values.size()) {
    if (count_ > 0) std::memcpy(span().data(), values.data(), count_ * sizeof(T));
  }
  [[nodiscard]] std::span<T> span() {
    return {reinterpret_cast<T*>(memory_.data() + kGuard), count_};
  }
  // Fails the test if a guard was written.
  [[nodiscard]] std::vector<T> values() {
    EXPECT_TRUE(is_garbage(memory_.data()));
    EXPECT_TRUE(is_garbage(memory_.data() + memory_.size() - kGuard));
    return {span().begin(), span().end()};
  }

 private:
  // More than a chunk's floats, and 4 bytes after a multiple of a vector.
  static constexpr std::size_t kGuard = kLargestChunk * sizeof(float) + 4;
  static constexpr std::byte kGarbage{0xA5};
  static bool is_garbage(const std::byte* guard) {
    return *guard == kGarbage && std::memcmp(guard, guard + 1, kGuard - 1) == 0;
  }
  std::size_t count_;
  std::vector<std::byte> memory_;
};

inline CpuCodec row_of(const Codec& like) {
  for (const CpuCodec& row : all_cpu_codecs()) {
    if (row.codec == &like) return row;
  }
  throw std::invalid_argument("a codec without kernels");
}

using Sum =
    std::function<void(const Format&, std::span<const std::byte>, std::size_t, std::span<float>)>;
inline Sum reference_sum(const Codec& codec) {
  if (codec.decode == decode_signs) return decode_reduce_signs;
  if (codec.decode == decode_top_k) return decode_reduce_top_k;
  return decode_reduce;
}

}  // namespace codecs::cpu
