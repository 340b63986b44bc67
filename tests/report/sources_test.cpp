// SPDX-License-Identifier: Apache-2.0
// Every constant says where it comes from.
#include "sim/report/sources.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/schemes/scheme_file.hpp"
#include "tests/input_errors.hpp"
#include "tests/report/sample_report.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

std::map<std::string, std::string> sources(const Cluster& cluster, const Calibration& calibration,
                                           const Scheme& scheme) {
  const Model model = deep_model();
  return sources_of({cluster, model, calibration, defined(scheme)}, scheme);
}

class Sources : public EveryScheme {};

std::set<std::string> formats_that_run(const Schedule& schedule) {
  std::set<std::string> formats;
  for (const Operation& one : schedule.operations) {
    if (one.kind != OperationKind::work || one.seconds == 0) continue;
    if (one.phase != Phase::encode && one.phase != Phase::decode) continue;
    formats.insert(schedule.labels[one.label]);
  }
  return formats;
}

TEST_P(Sources, NameTheCodecKernelsThatRunAndNoOthers) {
  for (const Cluster& cluster :
       {small_cluster(2, 4), small_cluster(1, 8), small_cluster(8, 1), small_cluster(1, 1)}) {
    std::set<std::string> named;
    for (const auto& [constant, source] : sources(cluster, roofline(), scheme())) {
      if (constant.starts_with("codec ")) named.insert(constant.substr(constant.rfind(' ') + 1));
    }
    EXPECT_EQ(named, formats_that_run(plan(cluster, deep_model(), defined(scheme()), scheme())))
        << cluster.nodes << "x" << cluster.gpus_per_node;
  }
}

TEST_P(Sources, WithoutATableAreTheRooflineAndTheDataSheet) {
  const auto listed = sources(small_cluster(), roofline(), scheme());
  for (const auto& [constant, source] : listed) {
    if (constant.starts_with("codec ") || constant == "gemm") {
      EXPECT_TRUE(source.starts_with("roofline: ")) << constant << ": " << source;
    }
  }
  for (const char* constant : {"gpu", "nvlink", "network", "gemm"}) {
    EXPECT_TRUE(listed.contains(constant)) << constant;
  }
  EXPECT_NE(listed.at("gpu").find("data sheet in sample.toml"), std::string::npos);
}

TEST_P(Sources, NameThePassesThatTheGpuMeasured) {
  const Cluster cluster = small_cluster();
  Calibration table = roofline();
  table.name = "sample";
  table.passes[Pass::adam] = {{.moved_bytes = 1e6, .seconds = 1e-6}};
  EXPECT_FALSE(sources(cluster, table, scheme()).contains("passes"));
  table.gpu = cluster.gpu.name;
  EXPECT_EQ(sources(cluster, table, scheme()).at("passes"), "adam: measured (sample)");
}

INSTANTIATE_TEST_SUITE_P(Schemes, Sources, testing::ValuesIn(scheme_rows()), scheme_label);

// A table with one row for each kernel that sdp4bit launches to encode gradients.
Calibration table_of(const std::string& gpu, const std::string& kind) {
  Calibration table{.name = "table", .gpu = gpu, .kind = kind, .source = "a paper"};
  table.memory_bandwidth = 1000_GBps;
  table.kernels.own()["int8_g128_hadamard_sr/encode/1/"] = {{1e6, 1e-3}, {1e8, 1e-1}};
  return table;
}

TEST(CodecSources, SayMeasuredPublishedOrExtrapolated) {
  constexpr const char* kEncode = "codec encode int8_g128_hadamard_sr";
  constexpr const char* kSum = "codec sum int4_g128_hadamard_sr";
  const Scheme& scheme = scheme_named("sdp4bit");
  for (const auto& [kind, origin] :
       {std::pair{"measured", "measured"}, {"published", "published measurements"}}) {
    const auto same = sources(small_cluster(), table_of("sample", kind), scheme);
    EXPECT_EQ(same.at(kEncode), fmt::format("{} on sample (table)", origin));
    EXPECT_TRUE(same.at(kSum).starts_with("roofline: ")) << "the table has no such row";
  }
  const auto other = sources(small_cluster(), table_of("other", "measured"), scheme);
  EXPECT_EQ(other.at(kEncode), "extrapolated by memory bandwidth from other (table)");
}

TEST(CodecSources, AreOfTheKernelsThatRunWhereReplicasAreFewerThanGpus) {
  // With two tensor-parallel ranks a node of four has two replicas: sums are of two wires.
  Calibration table = table_of("sample", "measured");
  table.kernels.own()["int8_g128_hadamard_sr/decode_reduce_encode/2/int4_g128_hadamard_sr"] = {
      {1e6, 1e-3}};
  const Cluster cluster = small_cluster();
  const Model model = deep_model();
  const auto listed = sources_of({cluster, model, table, {.tensor = 2}}, scheme_named("sdp4bit"));
  EXPECT_EQ(listed.at("codec sum and encode again int8_g128_hadamard_sr"),
            "measured on sample (table)");
}

TEST(FittedSources, NameTheRowsThatTheyWereFittedOn) {
  Cluster cluster = small_cluster();
  EXPECT_FALSE(
      sources(cluster, roofline(), scheme_named("sharded")).contains("network.fitted_efficiency"));
  cluster.fitted = {.network_efficiency = 0.5,
                    .communicator_bandwidth = 20_GBps,
                    .compute_efficiency = 0.75,
                    .rows = {"table/one", "table/two"}};
  const auto listed = sources(cluster, roofline(), scheme_named("sharded"));
  for (const char* constant :
       {"network.fitted_efficiency", "network.communicator_bandwidth", "gpu.compute_efficiency"}) {
    EXPECT_TRUE(listed.at(constant).ends_with("fitted to table/one, table/two")) << constant;
  }
}

TEST(FittedSources, SayWhatIsADefaultAndWhatWasTypedByHand) {
  Cluster cluster = small_cluster();
  cluster.default_efficiency = {.efficiency = 0.61, .spread = 0.17, .source = "runs on S"};
  const auto source = [&] {
    return sources(cluster, roofline(), scheme_named("sharded")).at("gpu.compute_efficiency");
  };
  EXPECT_EQ(source(), "0.61, default, give or take 17 %: runs on S");
  cluster.fitted = {.compute_efficiency = 0.75, .rows = {"table/one"}};
  EXPECT_EQ(source(), "0.75, fitted to table/one");
  cluster.fitted.typed = {"compute_efficiency"};
  EXPECT_EQ(source(), "0.75, set by hand: no rows are named");
}

const JsonDocument& shipped_errors() {
  static const JsonDocument table =
      read_json(source_directory() / "traces/calibration/codec_error.json");
  return table;
}

// Of a cluster of 4 nodes with 8 GPUs, as was measured.
CodecErrors errors_of(const Scheme& scheme, const Cluster& cluster = small_cluster(4, 8),
                      const JsonDocument& table = shipped_errors()) {
  const Model model = deep_model();
  const Calibration calibration = roofline();
  return codec_errors(table, {cluster, model, calibration, defined(scheme)}, scheme);
}

TEST(CodecErrors, AreThoseOfTheShippedTableForEverySchemeThatCompresses) {
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    const CodecErrors errors = errors_of(*scheme);
    EXPECT_EQ(errors.empty(), scheme->name == "data_parallel") << scheme->name;
    const bool of_matrices = scheme->gradients.algorithm == &reductions::low_rank;
    for (const auto& [name, error] : errors) {
      EXPECT_EQ(error.has_value(), !of_matrices || name != "sum_of_256") << scheme->name << name;
      EXPECT_GT(error.value_or(1), 0) << scheme->name << ", " << name;
      EXPECT_LT(error.value_or(1), 2) << scheme->name << ", " << name;
    }
    for (const char* name : {"normal", "student_t3"}) {
      EXPECT_EQ(errors.contains(name), !scheme->gradients.is_plain()) << scheme->name;
    }
    EXPECT_EQ(errors.contains("sum_of_256"), scheme->gradients.residual_bytes > 0) << scheme->name;
  }
}

Scheme two_level(const std::string& inside, const std::string& between,
                 const std::string& more = "", bool rounds = false) {
  const std::string text =
      "summary = \"a\"\nzero = [1]\n[gradients]\ncollective = \"two_level\"\n" + more +
      "[gradients.inside]\ncodec = \"" + inside + "\"\n[gradients.between]\ncodec = \"" + between +
      "\"\n";
  return parse_scheme(text, "mine.toml", [rounds](const auto&) {
    return CodecCard{
        .name = "card", .bits_per_element = {8}, .rounds = rounds, .error = {{"normal", 0.5}}};
  });
}

// 64 of 4096 of what 64 of 4096 left: no sum of squares.
TEST(CodecErrors, AreNotKnownWhereTheyWereNotMeasuredAndDoNotCompose) {
  for (const char* inside : {"topk64", "sign_g2048", "random_k64", "terngrad_g512", "card.toml"}) {
    const CodecErrors errors = errors_of(two_level(inside, "int8_g128"));
    EXPECT_FALSE(errors.at("normal")) << inside;
    EXPECT_FALSE(errors.at("student_t3")) << inside;
    EXPECT_FALSE(errors_of(two_level("int8_g128", inside)).at("normal")) << inside;
  }
  const auto fed = errors_of(two_level("int8_g512", "int8_g512", "residual = \"fp32\"\n"));
  EXPECT_TRUE(fed.at("normal"));
  EXPECT_FALSE(fed.at("sum_of_256"));
}

TEST(CodecErrors, OfOneLevelAreThoseOfItsCodec) {
  for (const char* codec : {"topk64", "int4_g2048_sr", "card.toml"}) {
    const CodecErrors inside = errors_of(two_level(codec, "int8_g128"), small_cluster(1, 8));
    const CodecErrors between = errors_of(two_level("int8_g128", codec), small_cluster(8, 1));
    EXPECT_TRUE(inside.at("normal")) << codec;
    EXPECT_EQ(inside.at("normal"), between.at("normal")) << codec;
  }
}

TEST(CodecErrors, OfTwoEncodesThatRoundAddUpByTheirSquares) {
  const auto expect = [](const Scheme& scheme) {
    const double first = *errors_of(scheme, small_cluster(1, 8)).at("normal");
    const double second = *errors_of(scheme, small_cluster(8, 1)).at("normal");
    EXPECT_NEAR(*errors_of(scheme).at("normal"),
                std::sqrt(first * first + second * second * (1 + first * first)), 1e-12);
  };
  expect(two_level("int4_g256_sr", "nf4_g64"));
  expect(two_level("bf16", "card.toml", "", true));
}

// Figures of 8 and of 32 ranks are those of any number where they agree.
TEST(CodecErrors, AreOfTheRanksThatWereMeasuredUnlessThoseDoNotMatter) {
  const auto error = [](double of_few, int nodes) {
    const std::string text = fmt::format(
        R"({{"codecs": {{}}, "weights": {{}}, "fed_reductions": {{}}, "reductions": {{
            "two_level/int8_g128/int8_g128": {{"4x2": {{"normal": {{"relative_l2": {}}}}},
                                               "8x4": {{"normal": {{"relative_l2": 0.4}}}}}}}}}})",
        of_few);
    return errors_of(two_level("int8_g128", "int8_g128"), small_cluster(nodes, nodes == 2 ? 4 : 8),
                     parse_json(text, "ranks.json"))
        .at("normal");
  };
  EXPECT_EQ(error(0.2, 4), 0.4);
  EXPECT_EQ(error(0.2, 2), 0.2);
  EXPECT_EQ(error(0.2, 16), std::nullopt);
  EXPECT_EQ(error(0.41, 2), 0.41);
  EXPECT_EQ(error(0.41, 16), 0.4);
}

TEST(CodecErrors, RefuseATableThatIsNone) {
  for (const char* text : {"{}", "[]", R"({"reductions": {}})"}) {
    const JsonDocument table = parse_json(text, "x.json");
    EXPECT_THROW(static_cast<void>(errors_of(scheme_named("tlq"), small_cluster(), table)),
                 InputError);
  }
}

}  // namespace
}  // namespace sim
