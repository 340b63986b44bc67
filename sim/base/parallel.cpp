// SPDX-License-Identifier: Apache-2.0
#include "sim/base/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace sim {
namespace {

// Calls are handed out in order, so that all before the first that fails have been made.
class Calls {
 public:
  Calls(std::size_t count, const std::function<void(std::size_t)>& f) : count_(count), f_(f) {}

  void run() {
    for (std::size_t i = 0; take(i);) {
      try {
        f_(i);
      } catch (...) {
        fail(i);
      }
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  bool take(std::size_t& i) {
    const std::lock_guard lock(mutex_);
    if (next_ >= std::min(count_, failed_)) return false;
    i = next_++;
    return true;
  }

  void fail(std::size_t i) {
    const std::lock_guard lock(mutex_);
    if (i > failed_) return;
    failed_ = i;
    failure_ = std::current_exception();
  }

  const std::size_t count_;
  const std::function<void(std::size_t)>& f_;
  std::mutex mutex_;
  std::size_t next_ = 0;
  std::size_t failed_ = static_cast<std::size_t>(-1);  // the first call that did
  std::exception_ptr failure_;
};

}  // namespace

void for_each_in_parallel(int jobs, std::size_t count, const std::function<void(std::size_t)>& f) {
  Calls calls(count, f);
  {
    std::vector<std::jthread> others;
    const std::size_t threads = std::min(static_cast<std::size_t>(jobs), count);
    try {
      while (others.size() + 1 < threads) others.emplace_back([&] { calls.run(); });
    } catch (const std::system_error&) {
      // The system has no more threads: those that there are do all the work.
    }
    calls.run();
  }
  calls.rethrow();
}

}  // namespace sim
