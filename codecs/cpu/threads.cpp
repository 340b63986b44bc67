// SPDX-License-Identifier: Apache-2.0
#include "codecs/cpu/threads.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs::cpu {

void in_parts(int threads, std::size_t count, const PartWork& work) {
  require(threads > 0, "at least one thread");
  const std::size_t parts = std::min(static_cast<std::size_t>(threads), count);
  if (parts == 0) return;
  // Parts that differ by one at most.
  const auto begin = [&](std::size_t part) {
    return count / parts * part + std::min(part, count % parts);
  };
  std::vector<std::jthread> others;
  for (std::size_t part = 1; part < parts; ++part) {
    others.emplace_back(work, begin(part), begin(part + 1));
  }
  work(0, begin(1));
}

}  // namespace codecs::cpu
