// SPDX-License-Identifier: Apache-2.0
// JSON is read strictly: what is wrong is one line that names the file and the place in it.
#include "sim/base/json_reader.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

// The error of parsing `text` and then of what `read` does with it; it must be located.
template <class Read>
std::string error_of(std::string_view text, Read read) {
  std::string error = input_error_of([&] {
    const JsonDocument document = parse_json(text, "x.json");
    read(JsonReader(document));
  });
  EXPECT_LE(lines_of(error).size(), 1u) << error;
  expect_located(error, "x.json");
  return error;
}

std::string parse_error_of(std::string_view text) {
  return error_of(text, [](const JsonReader&) {});
}

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

TEST(JsonReader, ReadsWhatIsThere) {
  const JsonDocument document =
      parse_json(R"({"a": {"b": [1.5, 2]}, "text": "zażółć", "none": 0})", "x.json");
  const JsonReader root(document);
  std::vector<double> numbers;
  root.at("a").at("b").each([&](const JsonReader& one) { numbers.push_back(one.positive()); });
  EXPECT_EQ(numbers, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(root.at("text").text(), "zażółć");
  EXPECT_EQ(root.at("none").not_negative(), 0);
  EXPECT_TRUE(root.has("a"));
  EXPECT_FALSE(root.has("b"));
  EXPECT_FALSE(root.at("text").has("a"));
  std::vector<std::string> keys;
  root.each_key([&](const std::string& key, const JsonReader&) { keys.push_back(key); });
  EXPECT_EQ(keys, (std::vector<std::string>{"a", "none", "text"}));
  root.only({"a", "none", "text"});
}

TEST(JsonReader, SaysWhereAWrongValueStands) {
  const std::string_view text = R"({"a": [1, {"b": "x\ny", "c": 1.5, "d": -1, "e": 1e300}]})";
  const auto error = [&](auto read) {
    return error_of(text, [&](const JsonReader& root) {
      root.at("a").each([&](const JsonReader& row) {
        if (row.has("b")) read(row);
      });
    });
  };
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("z")); }),
            "x.json: /a/1: missing key z");
  EXPECT_EQ(error([](const auto& row) {
              row.only({"b", "c", "d"});
            }),
            "x.json: /a/1: unknown key e; known: b, c, d");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("b").text()); }),
            "x.json: /a/1/b: holds a line break or another control character");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("c").text()); }),
            "x.json: /a/1/c: is not a string");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("d").positive()); }),
            "x.json: /a/1/d: is not a number above 0");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("b").not_negative()); }),
            "x.json: /a/1/b: is not a number of at least 0");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("c").whole()); }),
            "x.json: /a/1/c: is not a whole number from 1 to 1000000000000000");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("e").whole(7)); }),
            "x.json: /a/1/e: is not a whole number from 1 to 7");
  EXPECT_EQ(error([](const auto& row) { row.each([](const auto&) {}); }),
            "x.json: /a/1: is not a list");
  EXPECT_EQ(error([](const auto& row) { row.at("c").each_key([](const auto&, const auto&) {}); }),
            "x.json: /a/1/c: is not an object");
  EXPECT_EQ(error([](const auto& row) { static_cast<void>(row.at("c").at("z")); }),
            "x.json: /a/1/c: missing key z");
}

TEST(JsonReader, NumbersEndWhereTheyAreAllowedTo) {
  const auto error = [](std::string_view text, auto read) { return error_of(text, read); };
  const auto whole = [](const JsonReader& one) { static_cast<void>(one.whole(7)); };
  EXPECT_EQ(error("7", whole), "");
  EXPECT_NE(error("8", whole), "");
  EXPECT_NE(error("0", whole), "");
  const auto positive = [](const JsonReader& one) { static_cast<void>(one.positive()); };
  EXPECT_EQ(error("5e-324", positive), "");
  EXPECT_NE(error("0", positive), "");
  EXPECT_NE(error("true", positive), "");
  EXPECT_NE(error("null", positive), "");
}

TEST(JsonDocument, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "[1,]", "{\"a\": 1} x", "{\"a\": NaN}", "{'a': 1}", "\"\xff\"",
                           "// comment\n1", "\"a\nb\""}) {
    EXPECT_NE(parse_error_of(text).find(": is not JSON"), std::string::npos) << text;
  }
  EXPECT_EQ(parse_error_of("[1e999]"), "x.json: contains a number that is too large");
}

TEST(JsonDocument, RefusesOneKeyTwiceInOneObjectAlone) {
  EXPECT_EQ(parse_error_of(R"({"a": 1, "b": {"a": 2}, "a": 3})"), "x.json: key a appears twice");
  EXPECT_EQ(parse_error_of(R"({"b": [{"c": 1, "c": 1}]})"), "x.json: key c appears twice");
  EXPECT_EQ(parse_error_of(R"({"a": 1, "b": {}, "a": 3})"), "x.json: key a appears twice");
  EXPECT_EQ(parse_error_of(R"({"a": {"a": [{"a": 1}, {"a": 1}]}})"), "");
  EXPECT_EQ(parse_error_of(R"({"a": {"b": 1}, "b": 1})"), "");
  EXPECT_EQ(parse_error_of(R"({"a\nb": 1, "a\nb": 1})"), "x.json: key a?b appears twice");
}

struct Nest {
  const char *open, *close;
  int depth;
};

TEST(JsonDocument, NestedDeeperThanTheStackIsNoCrash) {
  for (const auto& [open, close, depth] : {Nest{"[", "]", 200'000}, {"{\"a\":", "}", 50'000}}) {
    EXPECT_NE(parse_error_of(repeated(open, depth)), "");
    EXPECT_NE(parse_error_of(repeated(open, depth) + "1" + repeated(close, depth - 1)), "");
    const std::string whole = repeated(open, depth) + "1" + repeated(close, depth);
    EXPECT_EQ(parse_error_of(whole), "");
    EXPECT_EQ(error_of(whole, [](const JsonReader& root) { static_cast<void>(root.copy()); }),
              "x.json: /: is nested too deeply");
  }
}

// Python's json writes them; nobody else takes them for JSON.
TEST(JsonDocument, OfPythonMayHaveNumbersThatAreNotFinite) {
  const std::string text = R"({"z": NaN, "a": [Infinity, -Infinity, 1.5]})";
  EXPECT_NE(parse_error_of(text).find(": is not JSON"), std::string::npos);
  const JsonDocument document = parse_json_of_python(text, "x.json");
  const nlohmann::json copy = JsonReader(document).copy();
  EXPECT_TRUE(std::isnan(copy["z"].get<double>()));
  EXPECT_EQ(copy["a"][0], std::numeric_limits<double>::infinity());
  EXPECT_EQ(copy["a"][1], -std::numeric_limits<double>::infinity());
  EXPECT_EQ(copy["a"][2], 1.5);
  for (const auto read : {&JsonReader::number, &JsonReader::not_negative, &JsonReader::positive}) {
    const JsonReader infinite = JsonReader(document).at("a").element(0, 3);
    EXPECT_NE(input_error_of([&] { static_cast<void>((infinite.*read)()); }), "");
  }
  EXPECT_NE(input_error_of([&] { static_cast<void>(parse_json_of_python("[nan]", "x.json")); }),
            "");
  const std::string deep = repeated("[", 50'000) + "NaN" + repeated("]", 50'000);
  const JsonDocument nested = parse_json_of_python(deep, "x.json");
  EXPECT_NE(input_error_of([&] { static_cast<void>(JsonReader(nested).copy()); }), "");
}

TEST(JsonReader, CopiesKeysInTheFilesOrderIfAsked) {
  const JsonDocument document = parse_json(R"({"b": {"z": 1, "a": 2}, "a": []})", "x.json");
  EXPECT_EQ(JsonReader(document).ordered_copy().dump(), R"({"b":{"z":1,"a":2},"a":[]})");
  const std::string deep = repeated("{\"a\":", 50'000) + "1" + repeated("}", 50'000);
  EXPECT_EQ(error_of(deep, [](const JsonReader& root) { static_cast<void>(root.ordered_copy()); }),
            "x.json: /: is nested too deeply");
}

TEST(JsonReader, CopiesAllThatAValueHolds) {
  for (const char* text : {R"({"a":[1,-2,0.5,true,null,"x"],"b":{"c":18446744073709551615}})", "[]",
                           "{}", "1e300", R"("\u0000")"}) {
    const JsonDocument document = parse_json(text, "x.json");
    EXPECT_EQ(JsonReader(document).copy(), nlohmann::json::parse(text)) << text;
  }
}

TEST(JsonReader, TellsKindsApart) {
  const JsonDocument document = parse_json(R"([null, true, 1, "x", [], {}])", "x.json");
  std::vector<JsonKind> kinds;
  JsonReader(document).each([&](const JsonReader& one) { kinds.push_back(one.kind()); });
  EXPECT_EQ(kinds, (std::vector{JsonKind::null, JsonKind::truth, JsonKind::number, JsonKind::text,
                                JsonKind::list, JsonKind::object}));
}

TEST(JsonDocument, IsReadFromARegularFile) {
  for (const auto& file : shipped_files("traces/calibration", ".json")) {
    EXPECT_EQ(read_json(file).file, file.string());
  }
  const std::map<std::string, std::string> problems{
      {"missing.json", "no such file"},
      {"/", "is a directory; name a file in it"},
      {"/dev/zero", "is not a regular file; name one that is"}};
  for (const auto& one : problems) {
    EXPECT_EQ(input_error_of([&] { static_cast<void>(read_json(one.first)); }),
              one.first + ": " + one.second);
  }
}

}  // namespace
}  // namespace sim
