// SPDX-License-Identifier: Apache-2.0
// What the GPU tests share: guarded device memory.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "codecs/cuda/resources.hpp"
#include "tests/codecs/awkward.hpp"

namespace codecs::cuda {

// Device memory that a kernel fills, between guards that it must leave alone.
class GuardedBytes {
 public:
  explicit GuardedBytes(std::size_t bytes)
      : memory_(std::vector<std::byte>(bytes + 2 * kGuard, kGarbage)) {}
  [[nodiscard]] std::byte* get() const { return memory_.get() + kGuard; }
  // Fails the test if a guard was written.
  [[nodiscard]] std::vector<std::byte> to_host() const {
    const std::vector<std::byte> all = memory_.to_host();
    for (std::size_t i = 0; i < kGuard; ++i) {
      EXPECT_EQ(all[i], kGarbage);
      EXPECT_EQ(all[all.size() - 1 - i], kGarbage);
    }
    return {all.begin() + kGuard, all.end() - kGuard};
  }

 private:
  static constexpr std::size_t kGuard = 256;
  static constexpr std::byte kGarbage{0xA5};
  DeviceBuffer<std::byte> memory_;
};

template <typename T>
std::vector<T> as_values(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace codecs::cuda
