// SPDX-License-Identifier: Apache-2.0
#include "apps/serve/worker_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>

#include "apps/serve/answers.hpp"
#include "sim/base/child_process.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps::serve {
namespace {

// A question that needs more memory is refused; a worker that has held this much is replaced.
constexpr rlim_t kMostMemory = rlim_t{4} << 30;
constexpr long kKeptMemory_kB = 256L << 10;

bool read_whole(int channel, void* into, std::size_t size) {
  auto* at = static_cast<char*>(into);
  while (size > 0) {
    const ssize_t count = read(channel, at, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_whole(int channel, const void* from, std::size_t size) {
  const auto* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t count = send(channel, at, size, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    at += count;
    size -= static_cast<std::size_t>(count);
  }
  return true;
}

bool has_grown() {
  rusage used{};
  return getrusage(RUSAGE_SELF, &used) == 0 && used.ru_maxrss > kKeptMemory_kB;
}

[[noreturn]] void answer_all(int channel, int jobs) {
  QuestionHead head;
  while (read_whole(channel, &head, sizeof head)) {
    std::string question(head.length, '\0');
    if (!read_whole(channel, question.data(), question.size())) break;
    const Reply reply = answer(question, jobs);
    const bool is_last = has_grown();
    const ReplyHead reply_head{static_cast<std::uint32_t>(reply.status),
                               static_cast<std::uint32_t>(reply.text.size()), is_last ? 1U : 0U};
    if (!write_whole(channel, &reply_head, sizeof reply_head)) break;
    if (!write_whole(channel, reply.text.data(), reply.text.size())) break;
    if (is_last) break;
  }
  _exit(0);
}

[[noreturn]] void become_worker(int channel, pid_t parent, const WorkerKind& kind) {
  sim::end_with_parent(parent);
  setpgid(0, 0);
  for (const int one : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD}) signal(one, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int one : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, one);
  // What browsers are connected by is the parent's.
  const int kept = dup2(channel, STDERR_FILENO + 1);
  fcntl(kept, F_SETFD, FD_CLOEXEC);
  close_range(static_cast<unsigned>(kept) + 1, UINT_MAX, 0);
  const rlimit memory{kMostMemory, kMostMemory}, no_core{0, 0};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CORE, &no_core);
  setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + kind.niceness);
  if (chdir("/") != 0) _exit(1);  // where no file has a name that a page may give
  answer_all(kept, kind.jobs);
}

}  // namespace

WorkerProcess start_worker(const WorkerKind& kind) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw sim::LacksResources("gardenhose serve: no worker can be started: " +
                              sim::system_problem(errno));
  }
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t id = fork();
  const int error = errno;
  if (id == 0) become_worker(ends[1], parent, kind);
  if (id > 0) setpgid(id, id);  // whichever of the two comes first
  close(ends[1]);
  if (id > 0) return {id, ends[0]};
  close(ends[0]);
  throw sim::LacksResources("gardenhose serve: no worker can be started: " +
                            sim::system_problem(error));
}

void end_worker(const WorkerProcess& worker) {
  kill(-worker.id, SIGKILL);
  close(worker.channel);
  waitpid(worker.id, nullptr, 0);
}

}  // namespace apps::serve
