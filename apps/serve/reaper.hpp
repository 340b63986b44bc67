// SPDX-License-Identifier: Apache-2.0
// Reaper: collects processes that have been told to end, without waiting for them. A killed process takes
// milliseconds to give back its memory.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <vector>

namespace apps::serve {

class Reaper {
 public:
  explicit Reaper(boost::asio::io_context& context);
  ~Reaper();  // waits for those that are left
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

  // A child of this process.
  void take(pid_t process);

 private:
  void watch();
  void collect();

  boost::asio::signal_set ends_;
  std::vector<pid_t> processes_;
};

}  // namespace apps::serve
