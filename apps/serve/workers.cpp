// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/workers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <csignal>
#include <optional>
#include <utility>

#include "apps/serve/worker_process.hpp"
#include "sim/base/error.hpp"

namespace apps::serve {
namespace {

namespace asio = boost::asio;
using Failure = boost::system::error_code;

// By lane: a scheme and what it is compared with at once for somebody who waits.
constexpr WorkerKind kWorkerKinds[] = {{.jobs = 2}, {.niceness = 5}};
constexpr std::size_t kMostReply = std::size_t{256} << 20;
// Before another worker takes the place of one that has ended, unless a question waits for it: what is asked
// now comes first.
constexpr std::chrono::milliseconds kRest{200};
// And of one that could not be started.
constexpr std::chrono::seconds kTryAgain{1};

}  // namespace

struct Workers::Worker {
  Worker(asio::io_context& context, Lane its_lane, const WorkerProcess& process)
      : lane(its_lane),
        id(process.id),
        channel(context, asio::local::stream_protocol(), process.channel),
        limit(context) {}
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  const Lane lane;
  const pid_t id;
  asio::local::stream_protocol::socket channel;
  asio::steady_timer limit;  // of its task
  std::optional<Task> task;
  QuestionHead question;
  ReplyHead reply;
  std::string text;
};

namespace {

// A handler may have been queued before its task ended.
bool works_on(const auto& worker, Workers::Number number) {
  return worker.task && worker.task->number == number;
}

}  // namespace

Workers::Workers(asio::io_context& context, const WorkerLimits& limits)
    : context_(context), limits_(limits), reaper_(context) {
  for (int i = 0; i < limits_.workers; ++i) {
    for (const Lane lane : kLanes) start(lane);
  }
}

Workers::~Workers() {
  for (Queue& all : queues_) {
    for (const auto& worker : all.workers) end(*worker);
  }
}

// With what it has started.
void Workers::end(Worker& worker) {
  kill(-worker.id, SIGKILL);
  Failure ignored;
  worker.channel.close(ignored);
  reaper_.take(worker.id);
}

void Workers::start(Lane lane) {
  const WorkerProcess process = start_worker(kWorkerKinds[static_cast<std::size_t>(lane)]);
  std::shared_ptr<Worker> worker;
  try {
    worker = std::make_shared<Worker>(context_, lane, process);
  } catch (...) {
    end_worker(process);
    throw;
  }
  queue(lane).workers.push_back(worker);
  watch_idle(worker);
}

// What ends while it has nothing to do is replaced.
void Workers::watch_idle(const std::shared_ptr<Worker>& worker) {
  worker->channel.async_wait(asio::local::stream_protocol::socket::wait_read,
                             [this, weak = std::weak_ptr(worker)](const Failure& failure) {
                               const auto one = weak.lock();
                               if (failure || !one || one->task) return;
                               replace(one, {});
                             });
}

void Workers::give_out(Lane lane) {
  Queue& all = queue(lane);
  while (!all.waiting.empty()) {
    const auto idle = std::ranges::find_if(all.workers, [](const auto& one) { return !one->task; });
    if (idle == all.workers.end()) {
      if (start_if_missing(lane)) continue;
      return;
    }
    Task task = std::move(all.waiting.front());
    all.waiting.pop_front();
    give(*idle, std::move(task));
  }
}

Workers::Number Workers::ask(Lane lane, std::string question, Done done) {
  Queue& all = queue(lane);
  const Number number = ++last_;
  if (all.waiting.size() >= limits_.waiting) {
    asio::post(context_, [done = std::move(done)] {
      done({kBusy, problem("too many questions wait for an answer; try again")});
    });
    return number;
  }
  all.waiting.push_back({number, std::move(question), std::move(done)});
  give_out(lane);
  return number;
}

void Workers::cancel(Number number) {
  for (Queue& all : queues_) {
    std::erase_if(all.waiting, [&](const Task& task) { return task.number == number; });
    const auto found = std::ranges::find_if(all.workers, [&](const auto& worker) {
      return worker->task && worker->task->number == number;
    });
    if (found == all.workers.end()) continue;
    (*found)->task->done = [](const Reply&) {};
    replace(*found, {});
    return;
  }
}

void Workers::give(const std::shared_ptr<Worker>& worker, Task task) {
  worker->task = std::move(task);
  worker->question.length = static_cast<std::uint32_t>(worker->task->question.size());
  worker->channel.cancel();  // no longer idle
  worker->limit.expires_after(limits_.longest);
  worker->limit.async_wait([this, worker, number = worker->task->number](const Failure& failure) {
    if (failure || !works_on(*worker, number)) return;
    replace(worker, {kBusy, problem(fmt::format("takes longer than {} s; run the command instead",
                                                limits_.longest.count()))});
  });
  const std::array<asio::const_buffer, 2> parts{
      asio::buffer(&worker->question, sizeof worker->question),
      asio::buffer(worker->task->question)};
  asio::async_write(worker->channel, parts, [this, worker](const Failure& failure, std::size_t) {
    if (failure == asio::error::operation_aborted) return;
    take_reply(worker);  // what cannot be written to is found there
  });
}

void Workers::take_reply(const std::shared_ptr<Worker>& worker) {
  const auto crashed = [this, worker](const Failure& failure) {
    if (failure == asio::error::operation_aborted) return;
    replace(worker, {kFailed, problem("the simulation has crashed")});
  };
  asio::async_read(
      worker->channel, asio::buffer(&worker->reply, sizeof worker->reply),
      [this, worker, crashed](const Failure& failure, std::size_t) {
        if (failure || worker->reply.length > kMostReply) return crashed(failure);
        worker->text.resize(worker->reply.length);
        asio::async_read(
            worker->channel, asio::buffer(worker->text),
            [this, worker, crashed](const Failure& late, std::size_t) {
              if (late) return crashed(late);
              finish(worker, {static_cast<int>(worker->reply.status), std::move(worker->text)});
            });
      });
}

// A reply may be there already when nobody waits for it any more.
void Workers::finish(const std::shared_ptr<Worker>& worker, const Reply& reply) {
  if (!worker->task) return;
  if (worker->reply.is_last != 0) return replace(worker, reply);
  worker->limit.cancel();
  const Task task = std::move(*worker->task);
  worker->task.reset();
  watch_idle(worker);
  give_out(worker->lane);
  task.done(reply);
}

// Ends the worker, whose task gets the reply.
void Workers::replace(std::shared_ptr<Worker> worker,
                      const Reply& reply) {  // a copy: the list loses its own
  Queue& all = queue(worker->lane);
  if (std::erase(all.workers, worker) == 0) return;
  worker->limit.cancel();
  end(*worker);
  const std::optional<Task> task = std::exchange(worker->task, std::nullopt);
  start_after(worker->lane, kRest);
  give_out(worker->lane);
  if (task) task->done(reply);
}

// Whether it has.
bool Workers::start_if_missing(Lane lane) {
  if (queue(lane).workers.size() >= static_cast<std::size_t>(limits_.workers)) return false;
  try {
    start(lane);
    return true;
  } catch (const std::exception&) {  // no room for a process or a file descriptor
    start_after(lane, kTryAgain);
    return false;
  }
}

void Workers::start_after(Lane lane, std::chrono::milliseconds pause) {
  const auto timer = std::make_shared<asio::steady_timer>(context_, pause);
  timer->async_wait([this, timer, lane](const Failure& failure) {
    if (!failure && start_if_missing(lane)) give_out(lane);
  });
}

}  // namespace apps::serve
