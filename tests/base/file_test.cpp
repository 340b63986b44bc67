// SPDX-License-Identifier: Apache-2.0
// A file is written whole or not at all.
#include "sim/base/file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "sim/base/files_in_use.hpp"
#include "tests/input_errors.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

void write(const fs::path& file, std::string_view text) { write_file("test", file, text); }

class File : public testing::Test {
 protected:
  explicit File(const fs::path& parent = fs::temp_directory_path()) {
    std::string pattern = (parent / "gardenhose-file-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~File() override { fs::remove_all(folder); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // How many files the folder holds: a temporary one must not stay.
  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  fs::path folder;
};

// In memory, where every Linux has files without names.
class FileInMemory : public File {
 protected:
  FileInMemory() : File("/dev/shm") {}
};

// No file of this process grows beyond `bytes`, as if the disk were full.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(File, HasExactlyWhatWasWritten) {
  const std::string text("a\r\n\0b", 5);
  write(folder / "x", text);
  EXPECT_EQ(text_of(folder / "x"), text);
  write(folder / "x", "shorter");
  EXPECT_EQ(text_of(folder / "x"), "shorter");
  write(folder / "x", "");
  EXPECT_EQ(text_of(folder / "x"), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(File, ReplacesTheOldOneAtOnce) {
  // Who has the old file open still reads the old text: it was replaced, not overwritten.
  write(folder / "x", "old");
  std::ifstream reader(folder / "x");
  write(folder / "x", "new");
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(File, StaysAsItWasWhenTheDiskIsFull) {
  write(folder / "x", "old");
  const std::string error = [&] {
    const FileSizeLimit full(1000);
    return input_error_of([&] { write(folder / "x", std::string(1 << 20, 'n')); });
  }();
  EXPECT_TRUE(error.starts_with((folder / "x").string() + ": cannot be written: ")) << error;
  EXPECT_EQ(text_of(folder / "x"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileInMemory, LeavesNothingBehindWhereTheProcessIsKilled) {
  write(folder / "x", "old");
  for (const fs::path& name : {folder / "x", fs::path("new")}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      fs::current_path(folder);
      const FileSizeLimit full(1000);
      std::signal(SIGXFSZ, SIG_DFL);  // kills in the middle of the writing
      write(name, std::string(1 << 20, 'n'));
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(text_of(folder / "x"), "old");
    EXPECT_EQ(files(), 1) << name;
  }
}

TEST_F(File, ThatCannotBeReplacedLeavesNothingBehind) {
  fs::create_directory(folder / "x");
  std::ofstream(folder / "x" / "inside") << "kept";
  const std::string error = input_error_of([&] { write(folder / "x", "new"); });
  EXPECT_TRUE(error.starts_with((folder / "x").string() + ": cannot be written: ")) << error;
  EXPECT_EQ(text_of(folder / "x" / "inside"), "kept");
  EXPECT_EQ(files(), 1);
}

// In a folder that others may write, they put links where they expect the part of a file.
TEST_F(File, FollowsNoLinkThatLiesInWait) {
  std::ofstream(folder / "victim") << "kept";
  write(folder / "x", "old");
  fs::create_symlink("victim", folder / ("x.part" + std::to_string(getpid())));
  write(folder / "x", "new");
  EXPECT_EQ(text_of(folder / "x"), "new");
  EXPECT_EQ(text_of(folder / "victim"), "kept");
  EXPECT_EQ(files(), 3);
}

TEST_F(File, KeepsThePermissionsOfTheOneItReplaces) {
  write(folder / "x", "secret");
  fs::permissions(folder / "x", fs::perms::owner_read | fs::perms::owner_write);
  write(folder / "x", "new");
  EXPECT_EQ(fs::status(folder / "x").permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

// What a child makes of the folder, which is its root: without /proc a file without a name can never
// get one, as where the file system has none.
TEST_F(File, IsWrittenWholeWhereFilesNeedNames) {
  if (getuid() != 0) GTEST_SKIP() << "only root changes its root";
  write(folder / "x", "old");
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    bool right = chroot(folder.c_str()) == 0 && chdir("/") == 0;
    write("/x", "new");
    write("/y", "new");
    {
      OutputFile dropped("test", "/x");
      dropped.write(std::string(1 << 20, 'n'));
      right = right && std::distance(fs::directory_iterator("/"), {}) == 3;
    }
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(folder / "x"), "new");
  EXPECT_EQ(text_of(folder / "y"), "new");
  EXPECT_EQ(files(), 2);
}

// `check --junit /dev/stdout > log`: the log has both, in the order in which they were written.
TEST_F(File, ThatStandardOutputGoesToIsContinued) {
  const fs::path log = folder / "log";
  std::fflush(stdout);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600), STDOUT_FILENO);
    bool right = ::write(STDOUT_FILENO, "a", 1) == 1;
    write("/dev/stdout", "b");
    write(log, "c");
    right = right && ::write(STDOUT_FILENO, "d", 1) == 1;
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(text_of(log), "abcd");
}

TEST_F(File, WithoutAFolderInItsNameIsInTheCurrentOne) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write("x", "text");
  fs::current_path(before);
  EXPECT_EQ(text_of(folder / "x"), "text");
}

TEST_F(File, InAFolderThatIsMissingIsAnError) {
  const fs::path file = folder / "missing" / "x";
  const std::string error = input_error_of([&] { write(file, "new"); });
  EXPECT_EQ(error, file.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(files(), 0);
}

// What write() would say, said before the work.
TEST_F(File, ThatCannotBeWrittenIsKnownBeforehand) {
  fs::create_directory(folder / "x");
  for (const fs::path& file : {folder / "missing" / "x", folder / "x"}) {
    const std::string before = input_error_of([&] { require_writable("test", file); });
    EXPECT_NE(before, "");
    EXPECT_EQ(before, input_error_of([&] { write(file, "new"); }));
  }
  write(folder / "old", "old");
  for (const fs::path& file :
       {folder / "new", folder / "old", fs::path("new"), fs::path("/dev/null")}) {
    EXPECT_EQ(input_error_of([&] { require_writable("test", file); }), "") << file;
  }
  EXPECT_EQ(text_of(folder / "old"), "old");
  EXPECT_EQ(files(), 2);
}

TEST_F(File, ThatIsADeviceOrPipeIsWrittenToAndNotReplaced) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::fstream reader(pipe);  // both ways, so that opening waits for nobody
  write(pipe, "text\n");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(files(), 1);
  std::string text;
  ASSERT_TRUE(fs::is_fifo(pipe) && reader >> text);
  EXPECT_EQ(text, "text");
}

TEST_F(File, WithoutANameIsWrittenWhereItIs) {
  const int descriptor = memfd_create("x", 0);
  ASSERT_EQ(::write(descriptor, "longer than new", 15), 15);
  const fs::path link = "/proc/self/fd/" + std::to_string(descriptor);
  write(link, "new");
  EXPECT_EQ(text_of(link), "new");
  EXPECT_FALSE(fs::exists("/memfd:x (deleted)"));
  close(descriptor);
}

TEST_F(File, BehindALinkIsTheOneThatIsReplaced) {
  write(folder / "x", "old");
  fs::create_symlink("x", folder / "link");
  write(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(text_of(folder / "x"), "new");
  // Also one that is not there yet.
  fs::create_symlink(folder / "y", folder / "to_y");
  write(folder / "to_y", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "to_y"));
  EXPECT_EQ(text_of(folder / "y"), "new");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_NE(input_error_of([&] { write(folder / "loop", "new"); }).find("links"),
            std::string::npos);
}

// The file that results come from is never written, by whatever name and in whatever order.
TEST_F(File, IsNotWrittenIfItIsAnInput) {
  std::ofstream(folder / "in") << "text";
  fs::create_symlink("in", folder / "link");
  fs::create_hard_link(folder / "in", folder / "other");
  EXPECT_EQ(read_file(folder / "in"), "text");
  const auto refused = [&](const fs::path& output) {
    return input_error_of([&] { require_writable("--output", output); });
  };
  const fs::path names[] = {folder / "in", folder / "link", folder / "other",
                            folder / ".." / folder.filename() / "in"};
  for (const fs::path& file : names) {
    const std::string problem = file.string() + ": is an input (" + (folder / "in").string() +
                                "), which it would overwrite; name another file";
    EXPECT_EQ(refused(file), "--output: " + problem);
    EXPECT_EQ(input_error_of([&] { write_file("--other", file, "new"); }), "--other: " + problem);
  }
  EXPECT_EQ(text_of(folder / "in"), "text");
  for (const fs::path& file : {fs::path("/dev/null"), folder / "missing", folder / "new"}) {
    EXPECT_EQ(refused(file), "") << file;
  }
  note_input(folder / "read by others");
  EXPECT_NE(refused(folder / "read by others"), "");
}

TEST_F(File, IsNotReadAsAnInputIfItWillBeWritten) {
  std::ofstream(folder / "out") << "old";
  require_writable("--output", folder / "out");
  fs::create_hard_link(folder / "out", folder / "other");
  const auto refused = [&] { return input_error_of([&] { (void)read_file(folder / "other"); }); };
  EXPECT_TRUE(refused().starts_with("--output: " + (folder / "out").string() + ": is an input"))
      << refused();
  EXPECT_EQ(read_to_replace(folder / "out", 9), "old");
  write_file("--output", folder / "out", "new");
  EXPECT_EQ(read_file(folder / "out"), "new");
  write_file("--output", folder / "out", "newer");
  EXPECT_EQ(text_of(folder / "out"), "newer");
}

TEST_F(File, IsTheOutputOfOnePlace) {
  fs::create_symlink("out", folder / "link");
  require_writable("--one", folder / "out");
  for (const fs::path& file : {folder / "out", folder / "link", folder / "." / "out"}) {
    EXPECT_EQ(input_error_of([&] { require_writable("--two", file); }),
              "--two: " + file.string() + ": is the file of --one; name another one");
  }
  require_writable("--one", "/dev/null");
  require_writable("--two", "/dev/null");
}

TEST_F(File, IsReadWhereItHasAnEnd) {
  std::ofstream(folder / "x") << "12345";
  EXPECT_EQ(read_input(folder / "x", 5), "12345");
  EXPECT_EQ(input_error_of([&] { (void)read_input(folder / "x", 4); }),
            (folder / "x").string() + ": is larger than 0 MiB; is it the right file?");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  for (const fs::path& file : {folder / "pipe", fs::path("/dev/zero")}) {
    EXPECT_EQ(input_error_of([&] { (void)read_input(file, 5); }),
              file.string() + ": is not a regular file; name one that is");
  }
}

}  // namespace
}  // namespace sim
