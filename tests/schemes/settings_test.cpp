// SPDX-License-Identifier: Apache-2.0
// `set` scheme.KEY=VALUE: each key moves the step in the direction that it should, and nothing
// else is taken.
#include <gtest/gtest.h>

#include "sim/schemes/scheme_file.hpp"
#include "tests/input_errors.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Scheme changed(const char* scheme, const std::string& key, const std::string& value) {
  const Setting setting{key, value};
  return with_settings(scheme_named(scheme), {&setting, 1});
}

SentBytes sent(const Scheme& scheme, Phase phase) {
  return sent_bytes(plan(small_cluster(), sample_model(), {}, scheme), phase);
}

TEST(SchemeSettings, LargerGroupsSendFewerScales) {
  const Scheme& row = scheme_named("sdp4bit");
  const double n = kSampleParameters;
  // 4 bytes a group of what one rank sends: 7/8 of the weights, 3/4 of the gradients inside its
  // node, 1/2 of a quarter of them between nodes.
  const double weights =
      mean(sent(row, Phase::weight_comm).intra_node) -
      mean(sent(changed("sdp4bit", "scheme.weight_group", "4096"), Phase::weight_comm).intra_node);
  EXPECT_DOUBLE_EQ(weights, 3.0 / 4 * 7 / 8 * n * 4 * (1.0 / 2048 - 1.0 / 4096));
  const double inside =
      mean(sent(row, Phase::gradient_comm).intra_node) -
      mean(sent(changed("sdp4bit", "scheme.intra_group", "256"), Phase::gradient_comm).intra_node);
  EXPECT_DOUBLE_EQ(inside, 3.0 / 4 * n * 4 * (1.0 / 128 - 1.0 / 256));
  const double between =
      mean(sent(row, Phase::gradient_comm).inter_node) -
      mean(sent(changed("sdp4bit", "scheme.inter_group", "256"), Phase::gradient_comm).inter_node);
  EXPECT_DOUBLE_EQ(between, 1.0 / 2 / 4 * n * 4 * (1.0 / 128 - 1.0 / 256));
}

TEST(SchemeSettings, SlicesOverlapTheLevelsAndSendTheSame) {
  Cluster cluster = without_fixed_times(small_cluster());
  cluster.nvlink.bandwidth = 100_GBps;
  const Scheme whole = changed("tlq", "scheme.slices", "1");
  const Scheme sliced = changed("tlq", "scheme.slices", "4");
  EXPECT_EQ(sent(whole, Phase::gradient_comm).intra_node,
            sent(sliced, Phase::gradient_comm).intra_node);
  EXPECT_LT(step_time(cluster, sample_model(), {}, sliced),
            step_time(cluster, sample_model(), {}, whole));
}

TEST(SchemeSettings, AnUnfusedTransformIsAPassOverTheGradients) {
  const auto encode_s = [](const Scheme& scheme) {
    return work_seconds(plan(small_cluster(), sample_model(), {}, scheme), 0, Phase::encode);
  };
  const Scheme unfused = changed("sdp4bit", "scheme.fused_hadamard", "false");
  // FP32 read and written once more.
  EXPECT_NEAR(encode_s(unfused) - encode_s(scheme_named("sdp4bit")),
              (4 + 4) * kSampleParameters / 2000e9, 1e-12);
  EXPECT_EQ(encode_s(unfused), encode_s(scheme_named("sdp4bit_unfused")));
  EXPECT_EQ(encode_s(changed("sdp4bit_unfused", "scheme.fused_hadamard", "true")),
            encode_s(scheme_named("sdp4bit")));
}

// The scheme as a file, with other text in place of some.
Scheme rewritten(const char* scheme, const std::string& old, const std::string& text) {
  std::string file = to_toml(scheme_named(scheme));
  file.replace(file.find(old), old.size(), text);
  return parse_scheme(file, "x.toml", read_codec_card);
}

TEST(SchemeSettings, DoWhatTheKeyOfAFileDoes) {
  struct Case {
    const char* scheme;
    Setting setting;
    std::string old, text;
  };
  const Case cases[] = {
      {"sdp4bit", {"scheme.weight_group", "512"}, "[weights]", "[weights]\ngroup = 512"},
      {"sdp4bit",
       {"scheme.intra_group", "256"},
       "[gradients.inside]",
       "[gradients.inside]\ngroup = 256"},
      {"sdp4bit",
       {"scheme.inter_group", "256"},
       "[gradients.between]",
       "[gradients.between]\ngroup = 256"},
      {"ef_sign", {"scheme.inter_group", "256"}, "[gradients]", "[gradients]\ngroup = 256"},
      {"tlq", {"scheme.slices", "3"}, "slices = 8", "slices = 3"},
      {"power_sgd", {"scheme.factor_rank", "3"}, "factor_rank = 4", "factor_rank = 3"}};
  for (const Case& one : cases) {
    const Scheme set = with_settings(scheme_named(one.scheme), {&one.setting, 1});
    const Scheme written = rewritten(one.scheme, one.old, one.text);
    EXPECT_EQ(set.gradients, written.gradients) << one.setting.key;
    EXPECT_EQ(set.weights, written.weights) << one.setting.key;
    EXPECT_NE(set, scheme_named(one.scheme)) << one.setting.key;
  }
}

TEST(SchemeSettings, RefuseWhatTheSchemeDoesNotHaveOrNobodyKnows) {
  struct Wrong {
    const char* scheme;
    Setting setting;
    const char* says;
  };
  const Wrong wrong[] = {
      {"tlq", {"scheme.weight_group", "2048"}, "tlq has no groups to set here"},
      {"sharded", {"scheme.intra_group", "128"}, "sharded has no groups to set here"},
      {"sharded_all_to_all", {"scheme.inter_group", "128"}, "has no groups to set here"},
      {"fp8_gradients", {"scheme.intra_group", "256"}, "fp8_gradients has no groups to set here"},
      {"ef_sign", {"scheme.inter_group", "96"}, "sign_g2048 does not take groups of 96"},
      {"sdp4bit", {"scheme.factor_rank", "2"}, "sdp4bit sends no factors"},
      {"loco", {"scheme.inter_group", "128"}, "loco has kernels for one group size only"},
      {"sharded_all_to_all", {"scheme.slices", "2"}, "has no second level"},
      {"tlq", {"scheme.fused_hadamard", "true"}, "tlq has no Hadamard transform"},
      {"sdp4bit", {"scheme.fused_hadamard", "yes"}, "is a string; write true or false"},
      {"sdp4bit", {"scheme.slices", "0"}, "0 is out of range; write a whole number from 1 to 1024"},
      {"sdp4bit", {"scheme.slices", "4.5"}, "write a whole number without quotes"},
      {"sdp4bit", {"scheme.slices", "99999999999"}, "99999999999 is out of range"},
      {"sdp4bit",
       {"scheme.intra_group", "100"},
       "does not take groups of 100; write a multiple of 32"},
      {"sdp4bit", {"scheme.intra_group", ""}, "'' is not a whole number; write e.g. 8"},
      {"sdp4bit", {"scheme.group", "128"}, "unknown key; known: scheme.weight_group"}};
  for (const Wrong& one : wrong) {
    const std::string error = input_error_of([&] {
      static_cast<void>(with_settings(scheme_named(one.scheme), {&one.setting, 1}));
    });
    EXPECT_TRUE(error.starts_with("`set` " + one.setting.key + ": ")) << error;
    EXPECT_NE(error.find(one.says), std::string::npos) << error;
  }
}

TEST(TwoLevelSchemes, RefuseReplicasSpreadUnevenlyOverTheNodes) {
  // Two stages of three replicas on three nodes of two GPUs: a stage has two on one node, one on
  // the next.
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    const Parallelism parallelism = defined(*scheme, {.pipeline = 2});
    const bool two_level =
        scheme->gradients.algorithm == &reductions::two_level || scheme->weights.secondary_shards;
    const std::string error = input_error_of(
        [&] { static_cast<void>(plan(small_cluster(3, 2), deep_model(), parallelism, *scheme)); });
    EXPECT_EQ(error.find("needs the same number of replicas on every node") != std::string::npos,
              two_level);
  }
}

}  // namespace
}  // namespace sim
