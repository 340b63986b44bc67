// Every constant says where it comes from.
#include "sim/report/sources.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "sim/base/error.hpp"
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
  table.passes["adam"] = {{.moved_bytes = 1e6, .seconds = 1e-6}};
  EXPECT_FALSE(sources(cluster, table, scheme()).contains("passes"));
  table.gpu = cluster.gpu.name;
  EXPECT_EQ(sources(cluster, table, scheme()).at("passes"), "adam: measured (sample)");
}

INSTANTIATE_TEST_SUITE_P(Schemes, Sources, testing::ValuesIn(scheme_rows()), scheme_label);

// A table with one row for each kernel that sdp4bit launches to encode gradients.
Calibration table_of(const std::string& gpu, const std::string& kind) {
  Calibration table{.name = "table", .gpu = gpu, .kind = kind, .source = "a paper"};
  table.memory_bandwidth = 1000_GBps;
  table.kernels["int8_g128_hadamard_sr/encode/1/"] = {{1e6, 1e-3}, {1e8, 1e-1}};
  return table;
}

TEST(CodecSources, SayMeasuredPublishedOrExtrapolated) {
  constexpr const char* kEncode = "codec encode int8_g128_hadamard_sr";
  constexpr const char* kSum = "codec sum int4_g128_hadamard_sr";
  const Scheme& scheme = scheme_named("sdp4bit");
  for (const std::string kind : {"measured", "published"}) {
    const auto same = sources(small_cluster(), table_of("sample", kind), scheme);
    EXPECT_EQ(same.at(kEncode), kind + " on sample (table)");
    EXPECT_TRUE(same.at(kSum).starts_with("roofline: ")) << "the table has no such row";
  }
  const auto other = sources(small_cluster(), table_of("other", "measured"), scheme);
  EXPECT_EQ(other.at(kEncode), "extrapolated by memory bandwidth from other (table)");
}

TEST(CodecSources, AreOfTheKernelsThatRunWhereReplicasAreFewerThanGpus) {
  // With two tensor-parallel ranks a node of four has two replicas: sums are of two wires.
  Calibration table = table_of("sample", "measured");
  table.kernels["int8_g128_hadamard_sr/decode_reduce_encode/2/int4_g128_hadamard_sr"] = {
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
    EXPECT_TRUE(listed.at(constant).ends_with("fitted on table/one, table/two")) << constant;
  }
}

TEST(CodecErrors, AreThoseOfTheShippedTableForEverySchemeThatCompresses) {
  const auto table = source_directory() / "traces/calibration/codec_error.json";
  for (const Scheme* scheme : all_schemes()) {
    const auto errors = codec_errors(table, *scheme);
    EXPECT_EQ(errors.empty(), scheme->name == "data_parallel") << scheme->name;
    for (const auto& [distribution, error] : errors) {
      EXPECT_GT(error, 0) << scheme->name << ", " << distribution;
      EXPECT_LT(error, 2) << scheme->name << ", " << distribution;
    }
    const bool reduces = scheme->gradients.algorithm == GradientExchange::Algorithm::low_rank ||
                         !scheme->gradients.between.is_plain();
    const bool rings = scheme->gradients.algorithm == GradientExchange::Algorithm::ring;
    EXPECT_EQ(errors.contains("normal"), reduces && !rings) << scheme->name;
    EXPECT_EQ(errors.contains("sum_of_256"), scheme->gradients.residual_bytes > 0) << scheme->name;
  }
}

TEST(CodecErrors, RefuseATableThatIsNone) {
  EXPECT_THROW(static_cast<void>(codec_errors("/", scheme_named("tlq"))), InputError);
  EXPECT_THROW(static_cast<void>(codec_errors("missing.json", scheme_named("tlq"))), InputError);
}

}  // namespace
}  // namespace sim
