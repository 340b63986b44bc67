// SPDX-License-Identifier: Apache-2.0
// Processes beside this one that answer questions, one at a time each. They begin with what this process
// has read and worked out, and keep what they do. One that crashes, takes too long or is not waited for any
// more is replaced.
#pragma once

#include <sys/types.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "apps/serve/answers.hpp"
#include "apps/serve/reaper.hpp"

namespace apps::serve {

// What somebody waits for has processes of its own, so that what may come later does not delay it.
enum class Lane { now, later };
inline constexpr Lane kLanes[] = {Lane::now, Lane::later};

struct WorkerLimits {
  int workers = 1;                   // of each lane
  std::size_t waiting = 64;          // questions in each lane's queue
  std::chrono::seconds longest{60};  // of a question, in a worker
};

class Workers {
 public:
  using Number = std::uint64_t;
  using Done = std::function<void(Reply)>;

  // Starts all.
  Workers(boost::asio::io_context& context, const WorkerLimits& limits);
  ~Workers();  // ends all, with what they have started
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // Calls `done` later, once, unless it is cancelled before.
  Number ask(Lane lane, std::string question, Done done);
  // Nobody waits for it any more: its worker ends, and `done` is dropped.
  void cancel(Number number);

 private:
  struct Task {
    Number number = 0;
    std::string question;
    Done done;
  };
  struct Worker;
  struct Queue {
    std::deque<Task> waiting;
    std::vector<std::shared_ptr<Worker>> workers;
  };

  [[nodiscard]] Queue& queue(Lane lane) { return queues_[static_cast<std::size_t>(lane)]; }
  void start(Lane lane);
  bool start_if_missing(Lane lane);
  void start_after(Lane lane, std::chrono::milliseconds pause);
  void give_out(Lane lane);
  void give(const std::shared_ptr<Worker>& worker, Task task);
  void take_reply(const std::shared_ptr<Worker>& worker);
  void finish(const std::shared_ptr<Worker>& worker, const Reply& reply);
  void replace(std::shared_ptr<Worker> worker, const Reply& reply);
  void end(Worker& worker);
  void watch_idle(const std::shared_ptr<Worker>& worker);

  boost::asio::io_context& context_;
  const WorkerLimits limits_;
  Reaper reaper_;
  Queue queues_[std::size(kLanes)];
  Number last_ = 0;
};

}  // namespace apps::serve
