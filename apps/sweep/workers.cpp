// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/workers.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <ctime>
#include <utility>

#include "apps/exit_code.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"

namespace apps {
namespace {

constexpr int kCannotRun = 127;  // as of a shell

int memory_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) {
    throw sim::InputError("-j: no worker can be started: " + sim::system_problem(errno));
  }
  return file;
}

std::string text_in(int file) {
  const off_t size = lseek(file, 0, SEEK_END);
  std::string text(size < 0 ? 0 : static_cast<std::size_t>(size), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace

Signals::Signals() {
  sigemptyset(&taken_);
  sigaddset(&taken_, SIGCHLD);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup, and shells that start something in the background, ignore them on purpose.
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_IGN) sigaddset(&taken_, signal);
  }
  sigprocmask(SIG_BLOCK, &taken_, &before_);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &usual, &child_before_);
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignored, &size_before_);
}

Signals::~Signals() { restore(); }

void Signals::restore() const {
  sigaction(SIGXFSZ, &size_before_, nullptr);
  sigaction(SIGCHLD, &child_before_, nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int Signals::wait(std::chrono::milliseconds limit) const {
  const timespec time{limit.count() / 1000, (limit.count() % 1000) * 1'000'000};
  const int signal = sigtimedwait(&taken_, nullptr, &time);
  return signal < 0 ? 0 : signal;
}

void Signals::wait_or_stop(std::chrono::milliseconds limit) const {
  const int signal = wait(limit);
  if (signal != 0 && signal != SIGCHLD) throw Stopped{signal};
}

Workers::~Workers() {
  for (const Worker& worker : running_) kill(worker.process, SIGKILL);
  for (const Worker& worker : running_) {
    waitpid(worker.process, nullptr, 0);
    close(worker.out);
    close(worker.err);
  }
}

// In the child. However the parent ends, nobody is left to hear of the result; and a Ctrl-C at the
// terminal is the parent's.
void Workers::become(const Worker& worker, const Arguments& arguments, pid_t parent) const {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  setpgid(0, 0);
  signals_->restore();
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(worker.out, STDOUT_FILENO);
  dup2(worker.err, STDERR_FILENO);
  close_range(STDERR_FILENO + 1, UINT_MAX, 0);  // the store and its lock are the parent's
  if (chdir(folder_.c_str()) != 0) _exit(kCannotRun);
  _exit(exit_code_of("run", [&] { return run_command({arguments.begin() + 1, arguments.end()}); }));
}

void Workers::start(std::size_t tag, const Arguments& arguments) {
  Worker worker{tag, -1, memory_file("out"), memory_file("err"), Clock::now()};
  std::fflush(nullptr);  // or the worker would print what this process has buffered
  const pid_t parent = getpid();
  worker.process = fork();
  if (worker.process == 0) become(worker, arguments, parent);
  if (worker.process < 0) {
    throw sim::InputError("-j: no worker can be started: " + sim::system_problem(errno));
  }
  running_.push_back(worker);
}

std::vector<Ended> Workers::take_ended() {
  std::vector<Ended> all;
  std::erase_if(running_, [&](const Worker& worker) {
    Ended ended{.tag = worker.tag};
    if (waitpid(worker.process, &ended.status, WNOHANG) != worker.process) return false;
    ended.out = text_in(worker.out);
    ended.err = text_in(worker.err);
    ended.wall_s = std::chrono::duration<double>(Clock::now() - worker.start).count();
    close(worker.out);
    close(worker.err);
    all.push_back(std::move(ended));
    return true;
  });
  return all;
}

}  // namespace apps
