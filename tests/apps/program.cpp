// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace apps_tests {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t kMostMemory = PROGRAM_MEMORY;

// What programs print does not depend on where the tests run.
[[maybe_unused]] const int kOutsideActions = unsetenv("GITHUB_ACTIONS");

int memory_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) throw std::runtime_error("memfd_create");
  return file;
}

std::string text_in(int file) {
  std::string text(static_cast<std::size_t>(lseek(file, 0, SEEK_END)), '\0');
  const ssize_t count = pread(file, text.data(), text.size(), 0);
  text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
  return text;
}

}  // namespace

Arguments words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  Arguments parts;
  for (std::string part; stream >> part;) parts.push_back(part);
  return parts;
}

Program::Program(const Arguments& arguments, const fs::path& folder, int out)
    : out_(memory_file("stdout")), err_(memory_file("stderr")) {
  std::string program = GARDENHOSE_PROGRAM;
  Arguments copies = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out < 0 ? out_ : out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_, STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  const int error = posix_spawn(&id_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error(program + ": cannot be started");
  const rlimit memory{kMostMemory, kMostMemory};
  prlimit(id_, RLIMIT_AS, &memory, nullptr);
}

Program::~Program() {
  if (id_ > 0) {
    kill(id_, SIGKILL);
    waitpid(id_, nullptr, 0);
  }
  close(out_);
  close(err_);
}

Outcome Program::wait() {
  int status = 0;
  if (!comes_true([&] { return waitpid(id_, &status, WNOHANG) == id_; })) {
    kill(id_, SIGKILL);
    waitpid(id_, &status, 0);
  }
  id_ = -1;
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
          .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
          .out = text_in(out_),
          .err = text_in(err_)};
}

Outcome run(const Arguments& arguments, const fs::path& folder) {
  return Program(arguments, folder).wait();
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  const std::string process = "/proc/" + std::to_string(parent);
  std::ifstream ids(process + "/task/" + std::to_string(parent) + "/children");
  for (pid_t id = 0; ids >> id;) {
    std::ifstream stream("/proc/" + std::to_string(id) + "/stat");
    std::string line;
    // "PID (name) state ...", where the name may hold anything.
    if (std::getline(stream, line) && line.find(") Z", line.rfind(')')) == std::string::npos) {
      children.push_back(id);
    }
  }
  return children;
}

Sandbox::Sandbox() {
  std::string name = (fs::temp_directory_path() / "gardenhose_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error(name + ": cannot be made");
  path_ = name;
}

Sandbox::~Sandbox() {
  std::error_code error;
  fs::remove_all(path_, error);
}

void Sandbox::write(const fs::path& name, std::string_view text) const {
  std::ofstream(path_ / name, std::ios::binary) << text;
}

std::vector<std::string> Sandbox::names() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path_)) {
    names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace apps_tests
