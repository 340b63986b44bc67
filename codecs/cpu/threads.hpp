// SPDX-License-Identifier: Apache-2.0
// Work in parts, one for each thread.
#pragma once

#include <cstddef>
#include <functional>

namespace codecs::cpu {

// Calls work(first, last) for consecutive parts of [0, count), about equally large, at the same
// time; the caller's thread takes the first. Throws std::invalid_argument unless threads > 0.
void in_parts(int threads, std::size_t count,
              const std::function<void(std::size_t first, std::size_t last)>& work);

}  // namespace codecs::cpu
