#include "apps/python/worker.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace python {
namespace {

constexpr int kBeat_ms = 50;

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class File {
 public:
  File(int number, const char* what) : number_(number) { check(number < 0 ? errno : 0, what); }
  ~File() { close(number_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] std::string text() const {
    std::string text(static_cast<std::size_t>(lseek(number_, 0, SEEK_END)), '\0');
    const ssize_t count = pread(number_, text.data(), text.size(), 0);
    text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return text;
  }

 private:
  int number_;
};

// As a program expects to be started: the interpreter ignores SIGPIPE, and a thread of it may have
// blocked signals.
class Attributes {
 public:
  Attributes() {
    posix_spawnattr_init(&attributes_);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

pid_t start(const std::string& program, std::vector<std::string>& arguments, const File& out,
            const File& err) {
  std::string name = "gardenhose";
  std::vector<char*> argv{name.data()};
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.number(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.number(), STDERR_FILENO);
  pid_t process = -1;
  const int error =
      posix_spawn(&process, program.c_str(), &actions, Attributes().get(), argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  check(error, program);
  return process;
}

// Ends with this object at the latest.
class Process {
 public:
  explicit Process(pid_t id) : id_(id) {}
  ~Process() {
    if (id_ < 0) return;
    kill(id_, SIGKILL);
    wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int wait() {
    int status = 0;
    while (waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

}  // namespace

Ended run_program(const std::string& program, std::vector<std::string> arguments,
                  const std::function<void()>& beat) {
  const File out(memfd_create("out", MFD_CLOEXEC), "memfd_create");
  const File err(memfd_create("err", MFD_CLOEXEC), "memfd_create");
  const pid_t id = start(program, arguments, out, err);
  Process process(id);
  // Not the C library's function, whose header is not for C++ (glibc 2.36).
  const File handle(static_cast<int>(syscall(SYS_pidfd_open, id, 0)), "pidfd_open");
  pollfd ended{.fd = handle.number(), .events = POLLIN, .revents = 0};
  while (poll(&ended, 1, kBeat_ms) <= 0) beat();
  const int status = process.wait();
  return {status, out.text(), err.text()};
}

}  // namespace python
