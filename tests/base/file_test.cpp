// A file is written whole or not at all.
#include "sim/base/file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

namespace fs = std::filesystem;

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
  write_file(folder / "x", text);
  EXPECT_EQ(text_of(folder / "x"), text);
  write_file(folder / "x", "shorter");
  EXPECT_EQ(text_of(folder / "x"), "shorter");
  write_file(folder / "x", "");
  EXPECT_EQ(text_of(folder / "x"), "");
  EXPECT_EQ(files(), 1);
}

TEST_F(File, ReplacesTheOldOneAtOnce) {
  // Who has the old file open still reads the old text: it was replaced, not overwritten.
  write_file(folder / "x", "old");
  std::ifstream reader(folder / "x");
  write_file(folder / "x", "new");
  std::string text;
  reader >> text;
  EXPECT_EQ(text, "old");
}

TEST_F(File, StaysAsItWasWhenTheDiskIsFull) {
  write_file(folder / "x", "old");
  const std::string error = [&] {
    const FileSizeLimit full(1000);
    return input_error_of([&] { write_file(folder / "x", std::string(1 << 20, 'n')); });
  }();
  EXPECT_TRUE(error.starts_with((folder / "x").string() + ": cannot be written: ")) << error;
  EXPECT_EQ(text_of(folder / "x"), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(FileInMemory, LeavesNothingBehindWhereTheProcessIsKilled) {
  write_file(folder / "x", "old");
  for (const fs::path& name : {folder / "x", fs::path("new")}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      fs::current_path(folder);
      const FileSizeLimit full(1000);
      std::signal(SIGXFSZ, SIG_DFL);  // kills in the middle of the writing
      write_file(name, std::string(1 << 20, 'n'));
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
  const std::string error = input_error_of([&] { write_file(folder / "x", "new"); });
  EXPECT_TRUE(error.starts_with((folder / "x").string() + ": cannot be written: ")) << error;
  EXPECT_EQ(text_of(folder / "x" / "inside"), "kept");
  EXPECT_EQ(files(), 1);
}

TEST_F(File, IsWrittenWhereAKilledProcessLeftAPart) {
  // Where files need names, one of the same number may have been killed.
  std::ofstream(folder / ("x.part" + std::to_string(getpid()))) << "longer than the text";
  write_file(folder / "x", "new");
  EXPECT_EQ(text_of(folder / "x"), "new");
  EXPECT_EQ(files(), 1);
}

TEST_F(File, WithoutAFolderInItsNameIsInTheCurrentOne) {
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write_file("x", "text");
  fs::current_path(before);
  EXPECT_EQ(text_of(folder / "x"), "text");
}

TEST_F(File, InAFolderThatIsMissingIsAnError) {
  const fs::path file = folder / "missing" / "x";
  const std::string error = input_error_of([&] { write_file(file, "new"); });
  EXPECT_EQ(error, file.string() + ": cannot be written: No such file or directory");
  EXPECT_EQ(files(), 0);
}

// What write_file() would say, said before the work.
TEST_F(File, ThatCannotBeWrittenIsKnownBeforehand) {
  fs::create_directory(folder / "x");
  for (const fs::path& file : {folder / "missing" / "x", folder / "x"}) {
    const std::string before = input_error_of([&] { require_writable(file); });
    EXPECT_NE(before, "");
    EXPECT_EQ(before, input_error_of([&] { write_file(file, "new"); }));
  }
  write_file(folder / "old", "old");
  for (const fs::path& file :
       {folder / "new", folder / "old", fs::path("new"), fs::path("/dev/null")}) {
    EXPECT_EQ(input_error_of([&] { require_writable(file); }), "") << file;
  }
  EXPECT_EQ(text_of(folder / "old"), "old");
  EXPECT_EQ(files(), 2);
}

TEST_F(File, ThatIsADeviceOrPipeIsWrittenToAndNotReplaced) {
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::fstream reader(pipe);  // both ways, so that opening waits for nobody
  write_file(pipe, "text\n");
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(files(), 1);
  std::string text;
  ASSERT_TRUE(fs::is_fifo(pipe) && reader >> text);
  EXPECT_EQ(text, "text");
}

TEST_F(File, BehindALinkIsTheOneThatIsReplaced) {
  write_file(folder / "x", "old");
  fs::create_symlink("x", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(text_of(folder / "x"), "new");
}

}  // namespace
}  // namespace sim
