// SPDX-License-Identifier: Apache-2.0
// No dead key: each one of a scheme's file, of a codec card and of its times moves the answer.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/apps/scheme_files.hpp"

namespace apps_tests {
namespace {

using Json = nlohmann::json;

enum Direction { up, down, changed };

// Of one figure of the report, a JSON pointer, where `from` becomes `to` in a file.
struct Change {
  std::string from;
  std::string to;
  std::string figure;
  Direction direction;
  std::string flags = {};
};

Json figure_of(const OwnFiles& files, const Change& change) {
  const Outcome outcome = run_files(files, change.flags);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  if (outcome.code != 0) return {};
  const Json answer = Json::parse(outcome.out);
  const Json report = answer.is_array() ? answer.back() : answer;
  const Json::json_pointer pointer(change.figure);
  return report.contains(pointer) ? report.at(pointer) : Json();
}

void expect_change(const OwnFiles& files, std::string OwnFiles::*file, const Change& change) {
  SCOPED_TRACE(change.to);
  OwnFiles other = files;
  other.*file = replaced(files.*file, change.from, change.to);
  const Json before = figure_of(files, change), after = figure_of(other, change);
  EXPECT_NE(before, after);
  if (change.direction == changed) return;
  ASSERT_TRUE(before.is_number() && after.is_number()) << before << after;
  EXPECT_EQ(after.get<double>() > before.get<double>(), change.direction == up)
      << before << " became " << after;
}

void expect_changes(const std::string& scheme, std::initializer_list<Change> changes) {
  const OwnFiles files{.scheme = scheme};
  for (const Change& change : changes) expect_change(files, &OwnFiles::scheme, change);
}

constexpr const char* kBetween = "/wire_bytes_inter_node";
constexpr const char* kInside = "/wire_bytes_intra_node";
constexpr const char* kCodec = "/codec_s";
constexpr const char* kStep = "/step_time_s";
constexpr const char* kAll = "--overlap all";

TEST(KeysOfSchemes, MoveTheAnswer) {
  const std::string rows = printed_scheme("sdp4bit");
  expect_changes(
      rows + "\n[overlap]\nweights = true\ngradients = true\n",
      {{"SDP4Bit: qwd", "another: qwd", "/sources/scheme mine", changed},
       {"2410.15526", "2410", "/sources/scheme mine", changed},
       {"twin = \"sharded\"", "twin = \"sharded_all_to_all\"", "/baseline", changed,
        "--baseline twin"},
       {"zero = [1, 2]", "zero = [2]", "/zero_stage", up},
       {"\"int4_g2048_sr\"", "\"int8_g2048_sr\"", kBetween, up},
       {"\"int4_g2048_sr\"", "\"int4_g2048_sr\"\ngroup = 32", kBetween, up},
       {"difference = true", "difference = false", kCodec, down},
       {"slices = 8", "slices = 1", "/gradient_exchange_s", changed},
       {"slices = 8", "slices = 8\nresidual = \"bf16\"", "/memory_by_part_bytes/codec", up},
       {"slices = 8", "slices = 8\nresidual = \"fp32\"", kCodec, up},
       {"slices = 8", "slices = 8\nfused_hadamard = false", kCodec, up},
       {"\"int8_g128_hadamard_sr\"", "\"int4_g128_hadamard_sr\"", kInside, down},
       {"\"int8_g128_hadamard_sr\"", "\"int8_g128_hadamard_sr\"\ngroup = 512", kInside, down},
       {"\"int4_g128_hadamard_sr\"", "\"int8_g128_hadamard_sr\"", kBetween, up},
       {"\"int4_g128_hadamard_sr\"", "\"int4_g128_hadamard_sr\"\ngroup = 512", kBetween, down},
       {"weights = true", "weights = false", kStep, up, kAll},
       {"gradients = true", "gradients = false", kStep, up, kAll}});
}

TEST(KeysOfSchemes, OfOtherCollectivesMoveTheAnswer) {
  expect_changes(printed_scheme("zeropp"),
                 {{"secondary_shards = true", "secondary_shards = false", kBetween, up}});
  expect_changes(printed_scheme("loco"), {{"method = \"loco\"", "", kCodec, changed}});
  expect_changes(printed_scheme("power_sgd"),
                 {{"factor_rank = 4", "factor_rank = 32", kBetween, up}});
  expect_changes(printed_scheme("ef_sign"),
                 {{"= \"all_to_all\"", "= \"all_gather\"", kBetween, up},
                  {"\"sign_g2048\"", "\"sign_g2048\"\ngroup = 128", kBetween, up}});
}

TEST(KeysOfSchemes, OfActivationsMoveTheAnswer) {
  expect_changes("summary = \"a\"\nzero = [1]\n[activations.tensor]\ncodec = \"mxfp8\"\n",
                 {{"\"mxfp8\"", "\"int4_g128\"", "/wire_bytes_by_phase/tensor_comm/intra_node",
                   down, "--tp 4"},
                  {"\"mxfp8\"", "\"mxfp8\"\ngroup = 512",
                   "/wire_bytes_by_phase/tensor_comm/intra_node", down, "--tp 4"},
                  {"tensor", "pipeline", "/wire_bytes_by_phase/pipeline_comm/inter_node", down,
                   "--pp 2 --tp 4"}});
}

TEST(KeysOfSchemes, OfExpertsMoveTheAnswer) {
  OwnFiles files{.job =
                     "--topology dgx_h100_x16 --nodes 2 --set model.order=experts --set "
                     "model.experts.count=8 --set model.experts.top_k=2 --set "
                     "model.experts.width=3072 --ep 8 --range off"};
  const auto expect = [&](const char* scheme, std::initializer_list<Change> changes) {
    files.scheme = std::string("summary = \"a\"\nzero = [1]\n") + scheme;
    for (const Change& change : changes) expect_change(files, &OwnFiles::scheme, change);
  };
  constexpr const char* kRows = "/wire_bytes_by_phase/expert_comm/intra_node";
  constexpr const char* kGradients = "/wire_bytes_by_phase/gradient_comm/inter_node";
  constexpr const char* kWeights = "/wire_bytes_by_phase/weight_comm/inter_node";
  expect("[activations]\nfused = false\n[activations.dispatch]\ncodec = \"mxfp8\"\n",
         {{"\"mxfp8\"", "\"int4_g128\"", kRows, down},
          {"\"mxfp8\"", "\"mxfp8\"\ngroup = 512", kRows, down},
          {"dispatch]", "combine]\ncodec = \"mxfp8\"\n[activations.dispatch]", kRows, down},
          {"= false", "= true", kCodec, down}});
  expect("[activations.combine]\ncodec = \"mxfp8\"\n",
         {{"\"mxfp8\"", "\"int4_g128\"", kRows, down},
          {"\"mxfp8\"", "\"mxfp8\"\ngroup = 512", kRows, down}});
  expect(
      "[experts.weights]\ncodec = \"int8_g128\"\n[experts.gradients]\n"
      "collective = \"all_to_all\"\ncodec = \"int8_g128\"\n",
      {{"weights]\ncodec = \"int8_g128\"", "weights]\ncodec = \"int4_g128\"", kWeights, down},
       {"int8_g128\"\n[experts.gradients]", "int8_g128\"\ngroup = 1024\n[experts.gradients]",
        kWeights, down},
       {"int8_g128\"\n[experts.gradients]", "int8_g128\"\ndifference = true\n[experts.gradients]",
        kCodec, up},
       {"all_to_all\"\ncodec = \"int8_g128\"", "all_to_all\"\ncodec = \"int4_g128\"", kGradients,
        down},
       {"all_to_all\"\ncodec = \"int8_g128\"", "ring\"", kGradients, up}});
}

TEST(KeysOfSchemes, BetweenSitesMoveTheAnswer) {
  const auto expect = [](std::string scheme, std::initializer_list<Change> changes) {
    const OwnFiles files{.scheme = std::move(scheme),
                         .job =
                             "--topology two_sites_10g --set sites.east.nodes=1 --set "
                             "sites.west.nodes=1 --range off"};
    for (const Change& change : changes) expect_change(files, &OwnFiles::scheme, change);
  };
  constexpr const char* kRound = "/round_time_s";
  constexpr const char* kSent = "/wire_bytes_wan";
  expect(printed_scheme("streaming_diloco"),
         {{"twin = \"streaming_diloco_bf16\"", "", "/baseline", changed, "--baseline twin"},
          {"\"all_to_all\"", "\"all_gather\"", kRound, changed},
          {"\"mxfp4\"", "\"mxfp8\"", kSent, up},
          {"\"mxfp4\"", "\"mxfp4\"\ngroup = 64", kSent, down},
          {"\"mxfp4\"", "\"mxfp4\"\nfeedback = true", "/codec_error", changed},
          {"fragments = 8", "fragments = 1", "/fragments", down},
          {"overlap_steps = 1", "overlap_steps = 0", kRound, up},
          {"inner_steps = 100", "inner_steps = 50", kRound, down},
          {"state_bytes = 8", "state_bytes = 16", "/by_site/0/memory_per_gpu_bytes", up},
          {"state_bytes = 8", "state_bytes = 8\nouter_state = \"host\"",
           "/by_site/0/memory_per_gpu_bytes", down},
          {"state_bytes = 8", "state_bytes = 8\nouter_state = \"host\"",
           "/by_site/0/host_memory_per_node_bytes", up},
          {"update_bytes = 28", "update_bytes = 56", kRound, up}});
  expect(printed_scheme("noloco"), {{"sent_per_byte = 2", "sent_per_byte = 3", kSent, up}});
  expect(printed_scheme("diloco"), {{"inner_steps = 500", "gradients = true", "/inner_steps", down},
                                    {"= 500", "= 500\nacross_every = 10", "/inner_steps", up},
                                    {"\"ring\"", "\"ring\"\ncodec = \"bf16\"", kSent, down}});
  expect(printed_scheme("muloco"),
         {{"\"muon\"", "\"adamw\"", "/by_site/0/memory_per_gpu_bytes", up}});
  OwnFiles four_sites{.scheme = printed_scheme("diloco_int8"),
                      .job = "--topology four_sites_mixed --range off"};
  expect_change(four_sites, &OwnFiles::scheme,
                {"ring_order = \"best\"", "ring_order = \"worst\"", kRound, up});
  four_sites.scheme =
      replaced(printed_scheme("sparseloco"), "\"all_gather\"", "\"tree_gather\"\nfan_out = 3");
  expect_change(four_sites, &OwnFiles::scheme, {"fan_out = 3", "fan_out = 1", kRound, changed});
  const std::string leader = replaced(printed_scheme("eager_diloco"), "\"ring\"",
                                      "\"leader\"\nquorum = 2\ngrace = \"10 s\"");
  expect(leader, {{"delayed = true", "delayed = false", kRound, up}});
  expect(replaced(leader, "quorum = 2", "quorum = 1"), {{"10 s", "0 s", "/outcome", changed}});
  expect(printed_scheme("decoupled_diloco"), {{"\"int4_g2048\"", "\"int8_g2048\"", kSent, up}});
  expect(replaced(leader, "10 s", "0 s"), {{"quorum = 2", "quorum = 1", "/outcome", changed}});
}

TEST(KeysOfCards, MoveTheAnswer) {
  const auto expect = [](std::initializer_list<Change> changes) {
    for (const Change& change : changes) expect_change({}, &OwnFiles::card, change);
  };
  expect({{"a code", "another code", "/sources/card mine", changed},
          {"[10, 11, 12]", "8", kBetween, down},
          {"[10, 11, 12]", "[10, 11, 20]", kBetween, up},
          {"256 B", "1 MiB", kBetween, up},
          {"A100-SXM4-40GB", "another", "/sources/codec encode mine", changed},
          {"normal = 0.25", "normal = 0.5", "/codec_error/normal", up}});
  // On another GPU times go with memory bandwidth.
  OwnFiles elsewhere;
  elsewhere.card = replaced(elsewhere.card, "A100-SXM4-40GB", "another");
  expect_change(elsewhere, &OwnFiles::card, {"1555 GBps", "3110 GBps", kCodec, up});
  OwnFiles renamed;
  renamed.card = replaced(renamed.card, "mine.csv", "other.csv");
  EXPECT_EQ(run_files(renamed).code, 2);
}

TEST(KeysOfCards, SayWhetherWiresCanBeSummed) {
  OwnFiles files;
  files.scheme = replaced(replaced(files.scheme, "[1]", "[0]"), "all_to_all", "all_reduce");
  files.card = replaced(files.card, "[10, 11, 12]", "8");
  EXPECT_EQ(run_files(files).code, 2);
  files.card = replaced(files.card, "summable = false", "summable = true");
  EXPECT_EQ(run_files(files).code, 0) << run_files(files).err;
}

// Gradients that are encoded again on their way lose what two encodes do, if these add up.
TEST(KeysOfCards, SayWhetherErrorsAddUp) {
  OwnFiles files;
  files.scheme = replaced(files.scheme, "[1]", "[0]");
  expect_change(files, &OwnFiles::card,
                {"summable = false", "rounds = true", "/codec_error/normal", changed});
  EXPECT_TRUE(figure_of(files, {.figure = "/codec_error/normal"}).is_null());
}

TEST(ColumnsOfTimes, MoveTheAnswer) {
  const auto expect = [](std::initializer_list<Change> changes) {
    for (const Change& change : changes) expect_change({}, &OwnFiles::times, change);
  };
  expect({{"encode,1,1e8,1e-3", "encode,1,1e8,1e-2", kCodec, up},
          {"decode_reduce,8,1e7,1e-3", "decode_reduce,8,1e7,1e-2", kCodec, up},
          {"decode_reduce,8,1e7", "decode_reduce,8,1e8", kCodec, down},
          {"decode_reduce,8,1e5,1e-5\ndecode_reduce,8,1e7,1e-3\n", "", kCodec, changed},
          {"decode_reduce,8,1e5,1e-5\ndecode_reduce,8,1e7,1e-3\n",
           "decode_reduce,4,1e5,1e-5\ndecode_reduce,4,1e7,1e-3\n", kCodec, changed}});
}

}  // namespace
}  // namespace apps_tests
