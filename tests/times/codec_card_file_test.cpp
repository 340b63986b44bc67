// SPDX-License-Identifier: Apache-2.0
// Codec cards: what is read of one, and each thing that can be wrong with it, on a line of its own.
#include <gtest/gtest.h>

#include <string>

#include "codecs/error/distributions.hpp"
#include "tests/times/sample_card.hpp"

namespace sim {
namespace {

std::string error_of(std::string_view card, std::string_view times = kSampleTimes) {
  return input_error_of([&] { static_cast<void>(read_card(card, times)); });
}

TEST(CodecCardFile, GivesWhatItSaysAndItsTimesSorted) {
  const CodecCard card = read_card();
  EXPECT_EQ(card.name, "sample");
  EXPECT_EQ(card.summary, "a test's");
  EXPECT_EQ(card.bits_per_element, (std::vector<double>{6, 7, 10}));
  EXPECT_EQ(card.overhead, Bytes{64});
  EXPECT_FALSE(card.summable);
  EXPECT_EQ(card.gpu, "measured GPU");
  EXPECT_EQ(card.memory_bandwidth, 2000_GBps);
  EXPECT_EQ(card.error, (std::map<std::string, double>{{"normal", 0.25}, {"student_t3", 0.5}}));
  ASSERT_EQ(card.steps.size(), 3u);
  ASSERT_EQ(card.steps.at("encode").size(), 2u);
  EXPECT_EQ(card.steps.at("encode")[0].elements, 1e6);
  EXPECT_EQ(card.steps.at("encode")[0].seconds, 1e-5);
  EXPECT_EQ(card.steps.at("encode")[1].elements, 1e8);
  EXPECT_EQ(card.steps.at("decode_reduce/4").front().seconds, 5e-5);
}

TEST(CodecCardFile, MayLeaveOutWhatHasADefault) {
  const CodecCard card = read_card(
      "summary = \"a\"\n[wire]\nbits_per_element = 4\n[times]\ngpu = \"a\"\n"
      "memory_bandwidth = \"1 TBps\"\nfile = \"sample.csv\"\n");
  EXPECT_EQ(card.bits_per_element, std::vector<double>{4});
  EXPECT_EQ(card.overhead, Bytes{0});
  EXPECT_FALSE(card.summable || card.rounds);
  EXPECT_TRUE(card.error.empty());
}

TEST(CodecCardFile, TakesErrorsOfEveryDistributionAndOfNoOther) {
  std::string card(kSampleCard.substr(0, kSampleCard.find("[error]")));
  EXPECT_TRUE(read_card(card + "[error]\n").error.empty());
  card += "[error]\n";
  std::map<std::string, double> errors;
  for (const codecs::Distribution& distribution : codecs::all_distributions()) {
    errors.emplace(distribution.name, 0.5);
    card += std::string(distribution.name) + " = 0.5\n";
  }
  EXPECT_EQ(read_card(card).error, errors);
  const std::string error = error_of(card + "gradients_of_mine = 0.5\n");
  EXPECT_NE(error.find("gradients_of_mine: is no distribution; known: "), std::string::npos)
      << error;
  for (const auto& [name, value] : errors) EXPECT_NE(error.find(name), std::string::npos) << error;
}

TEST(CodecCardFile, TakesBlanksAndLineEndsOfOtherSystems) {
  const CodecCard card =
      read_card(kSampleCard,
                "step,inputs,elements,seconds\r\n encode, 1 ,1e6,\t1e-5\r\ndecode,1,1e6,1e-5\r\n");
  EXPECT_EQ(card.steps.at("encode").front().seconds, 1e-5);
}

TEST(CodecCardFile, NeedsNoTimesOfARoofline) {
  const CodecCard card =
      read_card("summary = \"a\"\ntimes = \"roofline\"\n[wire]\nbits_per_element = 4\n");
  EXPECT_FALSE(card.has_times());
  EXPECT_TRUE(card.gpu.empty());
  EXPECT_TRUE(read_card().has_times());
}

// Every operation has its rows; the columns that may follow say of which other codec and values.
TEST(CodecCardFile, HasTimesOfEveryKernelThatASchemeCanLaunch) {
  const CodecCard card = read_card(kSampleCard,
                                   "step,inputs,elements,seconds,to,value_bytes,from\n"
                                   "encode,1,1e6,1e-5,,,\n"
                                   "encode,1,1e6,2e-5,,2,\n"
                                   "encode_difference,1,1e6,3e-5,,2,\n"
                                   "encode_feedback,1,1e6,4e-5,,4,\n"
                                   "decode,1,1e6,5e-5,,4,\n"
                                   "decode_add,1,1e6,6e-5,,4,\n"
                                   "decode_reduce,8,1e6,7e-5,,,\n"
                                   "decode_reduce_encode,8,1e6,8e-5,,,\n"
                                   "decode_reduce_encode,8,1e6,9e-5,int4_g128,,\n"
                                   "decode_reduce_encode,8,1e6,1e-4,,,other.toml\n");
  const std::vector<std::string> keys{"decode",
                                      "decode_add of 4-byte values",
                                      "decode_reduce/8",
                                      "decode_reduce_encode/8",
                                      "decode_reduce_encode/8 from other",
                                      "decode_reduce_encode/8 to int4_g128",
                                      "encode",
                                      "encode of 2-byte values",
                                      "encode_difference",
                                      "encode_feedback"};
  std::vector<std::string> read;
  for (const auto& [key, times] : card.steps) {
    read.push_back(key);
    EXPECT_EQ(times.size(), 1u) << key;
  }
  EXPECT_EQ(read, keys);
  EXPECT_EQ(card.steps.at("decode_reduce_encode/8 to int4_g128").front().seconds, 9e-5);
}

struct Wrong {
  std::string_view line;
  std::string_view damaged;
  std::string_view error;
};

TEST(CodecCardFile, HasOtherEndsAndValuesCheckedWhereAKernelHasThem) {
  const auto error = [](const std::string& line,
                        const std::string& columns = "from,to,value_bytes") {
    return error_of(kSampleCard, "step,inputs,elements,seconds," + columns + "\n" + line +
                                     "\nencode,1,1e6,1e-5,,,\ndecode,1,1e6,1e-5,,,\n");
  };
  constexpr Wrong kWrongs[] = {
      {"decode_reduce,4,1e6,1e-4,int4_g128,,", "",
       "2:1: from: is for decode_reduce_encode alone; leave it empty"},
      {"encode,1,1e7,1e-4,,int4_g128,", "",
       "2:1: to: is for decode_reduce_encode alone; leave it empty"},
      {"decode_reduce_encode,4,1e6,1e-4,int4_g128,int8_g128,", "",
       "2:1: to: one end is the card's own; leave from or to empty"},
      {"decode_reduce_encode,4,1e6,1e-4,int5,,", "",
       "2:1: from: 'int5' is not a codec; `gardenhose list codecs` lists them; a card's file name "
       "ends in .toml"},
      {"decode_reduce_encode,4,1e6,1e-4,,,4", "",
       "2:1: value_bytes: decode_reduce_encode has no values; leave it empty"},
      {"encode,1,1e7,1e-4,,,3", "", "2:1: value_bytes: is neither 2 nor 4"},
      {"decode_reduce_encode,1,1e6,1e-4,,,", "",
       "2:1: inputs: decode_reduce_encode takes 2 or more, not 1"},
  };
  for (const Wrong& wrong : kWrongs) {
    EXPECT_EQ(error(std::string(wrong.line)), "some/sample.csv:" + std::string(wrong.error));
  }
  EXPECT_EQ(error("", "from,to,value"),
            "some/sample.csv:1:1: is not the header; write step,inputs,elements,seconds, and after "
            "them any of from, to, value_bytes");
  EXPECT_EQ(error("", "from,from,to"),
            "some/sample.csv:1:1: from: is the name of two columns; keep one");
}

TEST(CodecCardFile, WithOneDamagedLineHasThatOneRefused) {
  constexpr Wrong kWrongs[] = {
      {"summary = \"a test's\"", "summary = 5",
       "1:1: summary: is a whole number; write a string in quotes"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = 0",
       "4:1: bits_per_element: 0 is out of range; write a number above 0 and at most 64"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = [6, 65]",
       "4:1: bits_per_element: 65 is out of range; write a number above 0 and at most 64"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = [nan, 1.5]",
       "4:1: bits_per_element: nan is out of range; write a number above 0 and at most 64"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = [7, 6]",
       "4:1: bits_per_element: has descending quantiles; write them in ascending order"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = []",
       "4:1: bits_per_element: is not a list of numbers; write e.g. [9.5, 11, 12.5]"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = [6, \"7\"]",
       "4:1: bits_per_element: is not a list of numbers; write e.g. [9.5, 11, 12.5]"},
      {"bits_per_element = [6, 7, 10]", "bits_per_element = \"6 b\"",
       "4:1: bits_per_element: '6 b' is not a number; did you mean 6B?"},
      {"overhead = \"64 B\"", "overhead = 64",
       "5:1: overhead: '64' has no unit; write e.g. \"64 B\""},
      {"overhead = \"64 B\"", "overhead = \"2 MiB\"",
       "5:1: overhead: is more than 1 MiB per message; bytes that grow with the message belong in "
       "bits_per_element"},
      {"summable = false", "summable = true",
       "6:1: summable: needs messages of one size; write false, or a single bits_per_element"},
      {"gpu = \"measured GPU\"", "gpu = \"\"", "9:1: gpu: is empty; write at least one character"},
      {"memory_bandwidth = \"2 TBps\"", "memory_bandwidth = \"0 TBps\"",
       "10:1: memory_bandwidth: is 0; write more than 0"},
      {"memory_bandwidth = \"2 TBps\"\n", "", "8:2: [times]: missing key memory_bandwidth; add it"},
      {"file = \"sample.csv\"", "file = \"../sample.csv\"",
       "11:1: file: is not the name of a file next to the card; write e.g. \"my_codec.csv\""},
      {"file = \"sample.csv\"", "file = \"a\\u0000.csv\"",
       "11:1: file: is not the name of a file next to the card; write e.g. \"my_codec.csv\""},
      {"normal = 0.25", "normal = -0.25",
       "14:1: normal: -0.25 is out of range; write a number of at least 0 and at most 1000000"},
      {"normal = 0.25", "normal = inf",
       "14:1: normal: inf is out of range; write a number of at least 0 and at most 1000000"},
      {"summable = false", "sumable = false", "6:1: sumable: unknown key; did you mean summable?"},
      {"normal = 0.25", "norml = 0.25",
       "14:1: norml: is no distribution; did you mean normal? Known: normal, laplace, student_t5, "
       "student_t3, rowscale, outlier, uniform, lognormal"},
  };
  for (const Wrong& wrong : kWrongs) {
    EXPECT_EQ(error_of(with(kSampleCard, wrong.line, wrong.damaged)),
              "some/sample.toml:" + std::string(wrong.error));
  }
}

TEST(CodecCardFile, WithOneDamagedTimeHasThatOneRefused) {
  constexpr Wrong kWrongs[] = {
      {"step,inputs,elements,seconds", "step,elements,seconds",
       "2:1: is not the header; write step,inputs,elements,seconds, and after them any of from, "
       "to, "
       "value_bytes"},
      {"encode,1,1e8", "encod,1,1e8",
       "3:1: step: 'encod' is not one of: encode, encode_difference, encode_feedback, decode, "
       "decode_add, decode_reduce, decode_reduce_encode"},
      {"encode,1,1e8", "encode,2,1e8", "3:1: inputs: encode takes 1, not 2"},
      {"decode_reduce,4", "decode_reduce,1", "6:1: inputs: decode_reduce takes 2 or more, not 1"},
      {"decode_reduce,4", "decode_reduce,2.5",
       "6:1: inputs: decode_reduce takes 2 or more, not 2.5"},
      {"encode,1,1e8", "encode,1,1e6",
       "4:1: elements: another line has 1000000 of encode; keep one "
       "of the two"},
      {"1e8,1e-3", "0,1e-3", "3:1: elements: '0' is not a number above 0"},
      {"1e8,1e-3", "0.5,1e-3",
       "3:1: elements: 0.5 is out of range; write a number from 1 to 1e+15"},
      {"1e8,1e-3", "1e8,-1", "3:1: seconds: '-1' is not a number above 0"},
      {"1e8,1e-3", "1e8,nan", "3:1: seconds: 'nan' is not a number above 0"},
      {"1e8,1e-3", "1e8,inf", "3:1: seconds: 'inf' is not a number above 0"},
      {"1e8,1e-3", "1e8,1 ms", "3:1: seconds: '1 ms' is not a number above 0"},
      {"1e8,1e-3", "1e8,1e999", "3:1: seconds: '1e999' is not a number above 0"},
      {"1e8,1e-3", "1e8,1e7",
       "3:1: seconds: 10000000 is out of range; write a number from 1e-09 to "
       "1e+06"},
      // 200 MB, or 4 wires of 7.5 bits for each of a million elements, at 2 TB/s; caches are at most
      // four times as fast.
      {"1e8,1e-3", "1e8,2.4e-5",
       "3:1: seconds: 2.4e-05 is impossibly short: reading the input of 1e+08 elements takes "
       "0.0001 s at the card's memory_bandwidth; correct the time or the bandwidth, or write "
       "wire.sampled = true if it reads only what it sends"},
      {"1e6,5e-5", "1e6,4e-7",
       "6:1: seconds: 4e-07 is impossibly short: reading the input of 1e+06 elements takes "
       "1.9e-06 s at the card's memory_bandwidth; correct the time or the bandwidth"},
      {"1e6,5e-5", "1e6,50",
       "6:1: seconds: 50 is impossibly long: reading the input of 1e+06 elements takes 1.9e-06 s "
       "at "
       "the card's memory_bandwidth; are these microseconds?"},
      // No cache holds 400 MB.
      {"1e8,1e-3", "2e8,1.9e-4",
       "3:1: seconds: 0.00019 is impossibly short: reading the input of 2e+08 elements takes "
       "0.0002 s at the card's memory_bandwidth; correct the time or the bandwidth, or write "
       "wire.sampled = true if it reads only what it sends"},
      {"1e8,1e-3", "1e8", "3:1: 3 fields for 4 columns"},
      {"decode,1,1e6,2e-5\n", "", "1:1: has no decode; add a line for each measured size"},
  };
  for (const Wrong& wrong : kWrongs) {
    EXPECT_EQ(error_of(kSampleCard, with(kSampleTimes, wrong.line, wrong.damaged)),
              "some/sample.csv:" + std::string(wrong.error));
  }
  EXPECT_EQ(error_of(kSampleCard, ""),
            "some/sample.csv:1:1: is empty; write step,inputs,elements,seconds and a line for each "
            "size");
  EXPECT_EQ(error_of(kSampleCard, std::string(1 << 21, ' ')),
            "some/sample.csv: is larger than 1 MiB; is it the right file?");
}

// Random-k of one value in 64: of 1e8 values it reads 1.6 million of 4 bytes, in 3 us at 2 TB/s, but not
// in less than a quarter of that. Feedback and decodes still touch everything.
TEST(CodecCardFile, SampledEncodesReadOnlyWhatTheySend) {
  const std::string sampled =
      "summary = \"random-k\"\n[wire]\nbits_per_element = 0.5\nsampled = true\n"
      "[times]\ngpu = \"NVIDIA H200\"\nmemory_bandwidth = \"2 TBps\"\nfile = \"sample.csv\"\n";
  const auto error = [&](const std::string& line) {
    return error_of(sampled, "step,inputs,elements,seconds\n" + line +
                                 "\nencode,1,1e6,1e-5\ndecode,1,1e6,1e-5\n");
  };
  EXPECT_EQ(error("encode,1,1e8,5e-6"), "");
  EXPECT_NE(error("encode,1,1e8,7e-7"), "");
  EXPECT_NE(error("encode_feedback,1,1e8,5e-6"), "");
}

TEST(CodecCardFile, TakesNoTimesButARooflineWithoutTheTable) {
  const auto error = [](const std::string& times) {
    return error_of("summary = \"a\"\n" + times + "[wire]\nbits_per_element = 4\n");
  };
  EXPECT_EQ(
      error("times = \"rofline\"\n"),
      "some/sample.toml:2:1: times: 'rofline' is not one of: roofline; did you mean roofline?");
  EXPECT_EQ(error("times = 5\n"),
            "some/sample.toml:2:1: times: is a whole number; write a string in quotes");
  EXPECT_EQ(
      error(""),
      "some/sample.toml:1:1: missing table [times]; add it with gpu, memory_bandwidth, file; or "
      "write times = \"roofline\" before the first table");
}

TEST(CodecCardFile, HasAllItsProblemsReportedThoseOfItsTimesLast) {
  std::string card = with(kSampleCard, "[6, 7, 10]", "-1");
  card = with(card, "gpu =", "GPU =");
  std::string times = with(kSampleTimes, "encode,1,1e8,1e-3", "encode,1,1e8,x");
  times = with(times, "decode_reduce,4", "reduce,4");
  const auto lines = lines_of(error_of(card, times));
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_TRUE(lines[0].starts_with("some/sample.toml:4:1: bits_per_element: -1 is out of range"));
  EXPECT_EQ(lines[1], "some/sample.toml:8:2: [times]: missing key gpu; add it");
  EXPECT_TRUE(lines[2].starts_with("some/sample.toml:9:1: GPU: unknown key"));
  EXPECT_TRUE(lines[3].starts_with("some/sample.csv:3:1: seconds: 'x'"));
  EXPECT_TRUE(lines[4].starts_with("some/sample.csv:6:1: step: 'reduce'"));
}

TEST(CodecCardFile, OfHundredsOfWrongTimesSaysThatThereAreMore) {
  std::string times = "step,inputs,elements,seconds\n";
  for (int i = 0; i < 1000; ++i) times += "encode,1,1,0\n";
  const auto lines = lines_of(error_of(kSampleCard, times));
  ASSERT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "some/sample.csv: more than 100 problems; the rest are omitted");
}

TEST(CodecCardFile, HasAtMostAThousandQuantiles) {
  std::string many = "[1";
  for (int i = 0; i < 1001; ++i) many += ", 1";
  EXPECT_EQ(error_of(with(kSampleCard, "[6, 7, 10]", many + "]")),
            "some/sample.toml:4:1: bits_per_element: has 1002 quantiles; write at most 1001");
}

}  // namespace
}  // namespace sim
