// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_document.hpp"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/input_errors.hpp"

namespace {

using namespace sim;
namespace fs = std::filesystem;

// `text` again and again after `result`.
std::string repeated(const std::string& text, int times, std::string result = {}) {
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

std::string parse_error_of(const std::string& text, std::vector<Setting> settings = {}) {
  return input_error_of([&] { static_cast<void>(parse_toml(text, "x.toml", settings)); });
}

const std::string* string_at(const TomlDocument& document, std::string_view key) {
  const auto leaf = document.leaves.find(key);
  if (leaf == document.leaves.end()) return nullptr;
  const auto* scalar = std::get_if<TomlScalar>(&leaf->second.value);
  return scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
}

TEST(TomlDocument, KeepsEveryLeafAndTableWithItsPlace) {
  const TomlDocument document = parse_toml("a = 1\n[t]\n  b.c = [1, 2]\n", "x.toml");
  ASSERT_EQ(document.leaves.size(), 2u);
  EXPECT_EQ(document.leaves.at("a").place.line, 1u);
  EXPECT_EQ(document.leaves.at("t.b.c").place.line, 3u);
  EXPECT_EQ(document.leaves.at("t.b.c").place.column, 5u);
  EXPECT_TRUE(std::holds_alternative<TomlArray>(document.leaves.at("t.b.c").value));
  ASSERT_EQ(document.tables.size(), 2u);
  EXPECT_EQ(document.tables.at("t").line, 2u);
}

struct Hostile {
  const char* name;
  std::string text;
  const char* place;  // where the error must be
};

TEST(TomlDocument, RefusesHostileTextAtItsPlace) {
  const std::string deep_value = repeated("[", 100'000, "a = ");
  const std::string deep_key = repeated(".a", 50'000, "k = 1\na") + " = 1\n";
  const std::array hostile{
      Hostile{"empty", "", "x.toml:1:1: "},
      Hostile{"truncated string", "a = 1\nb = \"x", "x.toml:2:"},
      Hostile{"truncated table", "a = 1\n[b", "x.toml:2:"},
      Hostile{"no value", "a =\n", "x.toml:1:"},
      Hostile{"NUL", std::string("a = 1\nb\0 = 2\n", 13), "x.toml:2:2: "},
      Hostile{"ELF",
              std::string("\x7f"
                          "ELF\2\1\1\0",
                          8),
              "x.toml:1:1: "},
      Hostile{"not UTF-8", "a = 1\nb = \"\xff\xfe\"\n", "x.toml:2:"},
      Hostile{"arrays in arrays", deep_value, "x.toml:1:68: "},
      Hostile{"dotted key", deep_key, "x.toml:2:"},
      Hostile{"dotted header", repeated(".a", 50'000, "[a") + "]\n", "x.toml:1:"},
      Hostile{"quoted dotted key", repeated(".\"a\"", 5'000, "a") + " = 1\n", "x.toml:1:"},
      Hostile{"tables in tables", repeated("a = {", 50'000), "x.toml:1:"},
      Hostile{"dotted tables in arrays", repeated("a.b.c = [{", 5'000), "x.toml:1:"},
      Hostile{"table too deep", "[a.b.c.d.e.f.g.h.i]\nj = 1\n", "x.toml:1:"},
      Hostile{"key too long", std::string(65, 'k') + " = 1\n", "x.toml:1:1: "},
      Hostile{"key of many lines", "\"a\\nb\" = 1\n", "x.toml:1:1: "},
      Hostile{"empty key", "\"\" = 1\n", "x.toml:1:1: "},
      Hostile{"letter beyond ASCII", "a = 1\nµ = 2\n", "x.toml:2:1: "},
      Hostile{"blank beyond ASCII",
              "a =\xC2\xA0"
              "1\n",
              "x.toml:1:4: "},
      Hostile{"letter beyond ASCII after joined lines", "a = \"\"\"\\\n \n µ\"\"\"",
              "x.toml:3:2: "},
      Hostile{"escaped letter beyond ASCII", "a = \"\"\"\\µ\"\"\"", "x.toml:1:9: "},
      Hostile{"deep after five quotes",
              repeated(".a", 50'000, "a = [\"\"\"x\"\"\"\"\", {a") + "=1}]\n", "x.toml:1:"},
      Hostile{"deep after four quotes", repeated(".a", 50'000, "a = ['''x'''', {a") + "=1}]\n",
              "x.toml:1:"},
      Hostile{"list closed by a brace", "a = 1\nb = [}\n", "x.toml:2:6: "},
      Hostile{"date without its time", "a = [1979-05-27T: s\n", "x.toml:1:6: "},
      Hostile{"header of two lines", "[\na]\n", "x.toml:1:1: "},
      Hostile{"header without a key", "a = 1\n [ %]\n", "x.toml:2:2: "},
      Hostile{"array header without a key", "\xEF\xBB\xBF[[%]]\n", "x.toml:1:1: "},
      Hostile{"key twice", "a = 1\n\na = 2\n", "x.toml:3:"},
      Hostile{"table twice", "[a]\n[b]\n[a]\n", "x.toml:3:"},
      Hostile{"integer overflow", "a = 99999999999999999999\n", "x.toml:1:"},
      Hostile{"larger than 1 MiB", std::string((1 << 20) + 1, '#'), "x.toml: "}};
  for (const Hostile& entry : hostile) {
    const std::string error = parse_error_of(entry.text);
    EXPECT_TRUE(error.starts_with(entry.place)) << entry.name << " says: " << error;
    expect_located(error, "x.toml");
  }
}

// A setting beside what its table is named like: TOML has no other way to write it.
TEST(TomlDocument, TakesADottedKeyInQuotes) {
  const TomlDocument document =
      parse_toml("[grid]\nscheme = 1\n\"scheme.keep\" = 2\n", "some/test.toml");
  EXPECT_EQ(document.leaves.size(), 2u);
  EXPECT_TRUE(document.leaves.contains("grid.scheme.keep"));
  for (const char* key : {"\"a.\"", "\".a\"", "\"a..b\"", "\".\"", "\"a.b c\""}) {
    EXPECT_THROW(static_cast<void>(parse_toml(std::string(key) + " = 1\n", "x.toml")), InputError)
        << key;
  }
  EXPECT_THROW(static_cast<void>(parse_toml("a.b = 1\n\"a.b\" = 2\n", "x.toml")), InputError);
}

TEST(TomlDocument, TakesWhatOnlyLooksDeep) {
  // Dots and brackets in comments and strings nest nothing.
  const std::string dots = repeated(".", 1000);
  const std::string brackets = repeated("[{", 1000);
  const TomlDocument document =
      parse_toml(std::string("# ") + dots + brackets + "\na = \"" + dots + brackets + "\" # " +
                     dots + "\nb = '" + brackets + "\\'\nc = \"\"\"\n" + dots + "\"\\\"\n" +
                     brackets + "\"\"\"\nd = '''\n'" + brackets + "\n'''\n",
                 "x.toml");
  EXPECT_EQ(document.leaves.size(), 4u);
}

TEST(TomlDocument, TakesLettersBeyondAsciiInCommentsAndQuotes) {
  const TomlDocument document = parse_toml(
      "# µ\na = \"zażółć \\t µ\"\nb = \"\"\"\n  µ \\\n  x\n\n\\u00b5µ\"\"\"\nc = 'µ'\n", "x.toml");
  ASSERT_NE(string_at(document, "b"), nullptr);
  EXPECT_EQ(*string_at(document, "a"), "zażółć \t µ");
  EXPECT_EQ(*string_at(document, "b"), "  µ x\n\nµµ");
  EXPECT_EQ(*string_at(document, "c"), "µ");
}

TEST(TomlDocument, ColumnsCountCharactersNotBytes) {
  EXPECT_TRUE(parse_error_of(std::string("a = \"µµ\" \x01", 12)).starts_with("x.toml:1:10: "))
      << parse_error_of(std::string("a = \"µµ\" \x01", 12));
}

TEST(Settings, ReplaceAddAndTheLastOneWins) {
  const std::array<Setting, 4> settings{Setting{"t.a", "200 Gbps"}, Setting{"t.a", "100 Gbps"},
                                        Setting{"u.b", "\"quoted\""}, Setting{"c", "7"}};
  const TomlDocument document = parse_toml("c = 1\n[t]\na = \"x\"\n", "x.toml", settings);
  ASSERT_NE(string_at(document, "t.a"), nullptr);
  EXPECT_EQ(*string_at(document, "t.a"), "100 Gbps");
  EXPECT_EQ(*string_at(document, "u.b"), "quoted");
  EXPECT_TRUE(document.tables.contains("u"));
  const auto& number = std::get<TomlScalar>(document.leaves.at("c").value);
  EXPECT_EQ(std::get<std::int64_t>(number), 7);
  EXPECT_TRUE(document.leaves.at("c").place.from_setting);
}

TEST(Settings, AValueCannotSmuggleInASecondKey) {
  const std::array<Setting, 1> settings{Setting{"c", "1\nd = 2"}};
  const TomlDocument document = parse_toml("c = 1\n", "x.toml", settings);
  EXPECT_EQ(document.leaves.size(), 1u);
  ASSERT_NE(string_at(document, "c"), nullptr);
  EXPECT_EQ(*string_at(document, "c"), "1\nd = 2");
}

TEST(Settings, RefuseKeysThatAreNone) {
  const std::array<std::string, 9> keys{
      "", ".", "t.", ".t", "t..a", "t a", "t.\"a\"", "a\nb", "a.b.c.d.e.f.g.h.i.j"};
  for (const std::string& key : keys) {
    const std::string error = parse_error_of("c = 1\n", {{key, "1"}});
    EXPECT_TRUE(error.starts_with("`set` ")) << key << " says: " << error;
    EXPECT_NE(error.find("is not a key"), std::string::npos) << error;
    expect_located(error, "x.toml");
  }
}

TEST(Settings, RefuseTablesAndWhatLiesUnderAValue) {
  EXPECT_EQ(parse_error_of("[t]\na = 1\n", {{"t", "1"}}),
            "`set` t: is a table; set one of its keys, e.g. t.KEY");
  EXPECT_EQ(parse_error_of("[t]\na = 1\n", {{"t.a.b", "1"}}),
            "`set` t.a.b: t.a is a value, not a table");
}

TEST(Settings, HostileValuesAreTextAtMost) {
  for (const std::string& value :
       {repeated("[", 100'000), std::string("1 = 2"), std::string("\0", 1), std::string("\xff"),
        repeated(".a", 10'000, "a")}) {
    const std::array<Setting, 1> settings{Setting{"c", value}};
    const TomlDocument document = parse_toml("c = 1\n", "x.toml", settings);
    ASSERT_NE(string_at(document, "c"), nullptr);
    EXPECT_EQ(*string_at(document, "c"), value);
  }
}

class InputFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  // The error of reading `file`, which must be one located line.
  static std::string error_of(const fs::path& file) {
    std::string error = input_error_of([&] { static_cast<void>(read_input_text(file)); });
    EXPECT_EQ(lines_of(error).size(), 1u) << file;
    expect_located(error, file.string());
    return error;
  }

  fs::path folder_ = fs::path(testing::TempDir()) / ("input_files_" + std::to_string(getpid()));
};

TEST_F(InputFiles, AreReadWhole) {
  const std::string text = repeated("# line\n", 10'000);
  std::ofstream(folder_ / "good.toml") << text;
  EXPECT_EQ(read_input_text(folder_ / "good.toml"), text);
}

TEST_F(InputFiles, MustBeThereAndRegular) {
  ASSERT_EQ(mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  fs::create_symlink(folder_ / "loop", folder_ / "loop");
  EXPECT_NE(error_of(folder_ / "none.toml").find("no such file"), std::string::npos);
  EXPECT_NE(error_of(folder_).find("is a directory"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "fifo").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of("/dev/null").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of("/dev/zero").find("not a regular file"), std::string::npos);
  EXPECT_NE(error_of(folder_ / "loop").find("cannot be read"), std::string::npos);
  EXPECT_NE(error_of(folder_ / std::string(300, 'n')).find("cannot be read"), std::string::npos);
  EXPECT_NE(error_of("/dev/null/x.toml").find("no such file"), std::string::npos);
}

TEST_F(InputFiles, OfMoreThanOneMebibyteAreRefusedWithoutReadingThemAll) {
  std::ofstream(folder_ / "large.toml") << "#";
  fs::resize_file(folder_ / "large.toml", std::uintmax_t{1} << 40);  // sparse
  EXPECT_NE(error_of(folder_ / "large.toml").find("larger than 1 MiB"), std::string::npos);
}

// While it lives this thread has no capabilities: root may read what any owner may, no more.
class WithoutCapabilities {
 public:
  WithoutCapabilities() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_.data()), 0);
    Halves none = before_;
    for (auto& half : none) half.effective = 0;
    set(none);
  }
  ~WithoutCapabilities() { set(before_); }
  WithoutCapabilities(const WithoutCapabilities&) = delete;
  WithoutCapabilities& operator=(const WithoutCapabilities&) = delete;

 private:
  using Halves = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;
  void set(const Halves& halves) { EXPECT_EQ(syscall(SYS_capset, &header_, halves.data()), 0); }

  __user_cap_header_struct header_{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  Halves before_{};
};

TEST_F(InputFiles, WithoutPermissionSaySo) {
  std::ofstream(folder_ / "secret.toml") << "a = 1\n";
  fs::permissions(folder_ / "secret.toml", fs::perms::none);
  const WithoutCapabilities as_everyone;
  EXPECT_NE(error_of(folder_ / "secret.toml").find("ermission denied"), std::string::npos);
}

}  // namespace
