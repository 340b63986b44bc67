// SPDX-License-Identifier: Apache-2.0
#include "tests/emulator/fiber.hpp"

#include <boost/context/protected_fixedsize_stack.hpp>
#include <utility>

// Defined where the program is built with the address sanitizer, and null elsewhere.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** fake, const void* bottom,
                                                  std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* fake, const void** bottom,
                                                   std::size_t* bytes);
}
// NOLINTEND(bugprone-reserved-identifier)

namespace emulator {
namespace {

constexpr std::size_t kStackBytes = std::size_t{256}
                                    << 10;  // pages that are not touched cost nothing

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  boost::context::protected_fixedsize_stack allocator(kStackBytes);
  const boost::context::stack_context stack = allocator.allocate();
  own_.bytes = stack.size;
  own_.bottom = static_cast<const char*>(stack.sp) - stack.size;
  fiber_ = boost::context::fiber(
      std::allocator_arg, boost::context::preallocated(stack.sp, stack.size, stack), allocator,
      [this](boost::context::fiber&& caller) {
        caller_ = std::move(caller);
        if (__sanitizer_finish_switch_fiber != nullptr) {
          __sanitizer_finish_switch_fiber(nullptr, &callers_.bottom, &callers_.bytes);
        }
        body_();
        return std::move(caller_);
      });
}

void Fiber::resume() { leave(callers_, own_, fiber_); }

void Fiber::yield() { leave(own_, callers_, caller_); }

void Fiber::leave(Stack& from, const Stack& to, boost::context::fiber& into) {
  if (__sanitizer_start_switch_fiber != nullptr) {
    __sanitizer_start_switch_fiber(&from.fake, to.bottom, to.bytes);
  }
  into = std::move(into).resume();
  if (__sanitizer_finish_switch_fiber != nullptr) {
    __sanitizer_finish_switch_fiber(from.fake, nullptr, nullptr);
  }
}

}  // namespace emulator
