// SPDX-License-Identifier: Apache-2.0
// Work in parts, one for each thread.
#pragma once

#include <cstddef>

namespace codecs::cpu {

// A reference to a callable as work(first, last): unlike std::function it takes no memory.
class PartWork {
 public:
  template <typename Work>
  PartWork(const Work& work)  // NOLINT(google-explicit-constructor): for lambdas as arguments
      : work_(&work), call_([](const void* of, std::size_t first, std::size_t last) {
          (*static_cast<const Work*>(of))(first, last);
        }) {}
  void operator()(std::size_t first, std::size_t last) const { call_(work_, first, last); }

 private:
  const void* work_;
  void (*call_)(const void* work, std::size_t first, std::size_t last);
};

// Calls work(first, last) for consecutive parts of [0, count), about equally large, at the same
// time; the caller's thread takes the first, and alone allocates nothing. Throws
// std::invalid_argument unless threads > 0.
void in_parts(int threads, std::size_t count, const PartWork& work);

}  // namespace codecs::cpu
