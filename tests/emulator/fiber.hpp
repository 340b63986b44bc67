// SPDX-License-Identifier: Apache-2.0
// A function that can stop in the middle and go on later, on a stack of its own.
#pragma once

#include <boost/context/fiber.hpp>
#include <cstddef>
#include <functional>

namespace emulator {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Runs the body until it calls yield(). It must not return.
  void resume();
  // Called by the body: back to the caller of resume().
  void yield();

 private:
  // The address sanitizer has to know of every change of stacks.
  struct Stack {
    const void* bottom = nullptr;
    std::size_t bytes = 0;
    void* fake = nullptr;
  };
  static void leave(Stack& from, const Stack& to, boost::context::fiber& into);

  std::function<void()> body_;
  Stack own_, callers_;
  boost::context::fiber fiber_, caller_;
};

}  // namespace emulator
