// SPDX-License-Identifier: Apache-2.0
// Schemes as files: what is printed reads back as the same, and what has a default may be left out.
#include "sim/schemes/scheme_file.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "sim/base/error.hpp"
#include "tests/input_errors.hpp"
#include "tests/schemes/sample_step.hpp"
#include "tests/schemes/scheme_samples.hpp"

namespace sim {
namespace {

CodecCard no_card(const std::filesystem::path& file) {
  throw InputError(file.string() + ": no such file");
}

Scheme parsed(const std::string& text, const std::string& file = "some/mine.toml",
              const CardOf& card_of = no_card) {
  return parse_scheme(text, file, card_of);
}

// Of both kinds.
class EverySchemeAsAFile : public EveryScheme {};
INSTANTIATE_TEST_SUITE_P(All, EverySchemeAsAFile,
                         testing::ValuesIn(all_schemes().begin(), all_schemes().end()),
                         scheme_label);

TEST_P(EverySchemeAsAFile, ReadsBackAsItself) {
  EXPECT_EQ(parsed(to_toml(scheme()), "some/" + scheme().name + ".toml"), scheme());
}

// Its own twin is called as the file is.
TEST_P(EverySchemeAsAFile, ReadsBackUnderAnotherNameAsTheSame) {
  Scheme same = scheme();
  same.name = "mine";
  if (!scheme().compresses()) same.twin = "mine";
  EXPECT_EQ(parsed(to_toml(scheme())), same);
}

TEST_P(EverySchemeAsAFile, ReadsBackWithItsSettings) {
  const Setting all[] = {{"scheme.weight_group", "512"}, {"scheme.inter_group", "1024"},
                         {"scheme.slices", "3"},         {"scheme.fused_hadamard", "false"},
                         {"scheme.factor_rank", "32"},   {"scheme.inner_steps", "200"},
                         {"scheme.fragments", "2"},      {"scheme.overlap_steps", "3"},
                         {"scheme.group", "512"},        {"scheme.quorum", "3"},
                         {"scheme.grace", "1.1 ms"}};
  for (const Setting& setting : all) {
    Scheme changed;
    try {
      changed = with_settings(scheme(), {&setting, 1});
    } catch (const InputError&) {
      continue;  // it lacks the part
    }
    changed.name = "mine";
    EXPECT_EQ(parsed(to_toml(changed)), changed) << setting.key;
  }
}

TEST(FormatName, IsReadBackOfEveryCodecInEveryGroup) {
  for (const codecs::Codec* codec : codecs::all_codecs()) {
    codecs::Format format = codec->format;
    EXPECT_EQ(codecs::format_named(codec->name), format) << codec->name;
    if (!codecs::has_groups(format)) continue;
    for (const std::size_t group : {32UL, 96UL, 128UL, 256UL, 1024UL, 8192UL, 1UL << 20}) {
      format.group = group;
      if (!codecs::takes_group(format, group)) continue;
      EXPECT_EQ(codecs::format_named(codecs::format_name(format)), format)
          << codecs::format_name(format);
    }
  }
  for (const char* none : {"", "int4", "int4_g", "int4_g0", "int4_g33_sr", "int4_g2097152_sr",
                           "int4_g128_", "int4_g0128", "int4_g99999999999999999999"}) {
    EXPECT_EQ(codecs::format_named(none), std::nullopt) << none;
  }
}

TEST(SchemeFile, WithoutAnythingIsPlain) {
  const Scheme scheme = parsed("summary = \"nothing\"\nzero = [2, 1]\n");
  EXPECT_EQ(scheme, (Scheme{.name = "mine", .summary = "nothing", .zero = {2, 1}, .twin = "mine"}));
  EXPECT_FALSE(scheme.compresses());
}

TEST(SchemeFile, ThatNamesNoTwinHasThePlainFormOfItsSharding) {
  const std::string coded = "[gradients]\ncollective = \"all_to_all\"\ncodec = \"int8_g128\"\n";
  EXPECT_EQ(parsed("summary = \"a\"\nzero = [3, 1]\n" + coded).twin, "sharded");
  EXPECT_EQ(parsed("summary = \"a\"\nzero = [0]\n" + coded).twin, "data_parallel");
}

TEST(SchemeFile, TakesTheGroupInPlaceOfTheCodecsOwn) {
  const Scheme scheme = parsed(R"(summary = "a"
zero = [1]
[weights]
codec = "int4_g2048_sr"
group = 512
[gradients]
collective = "two_level"
[gradients.inside]
codec = "int8_g128_sr"
group = 96
[gradients.between]
codec = "int4_g96_sr"
)");
  EXPECT_EQ(scheme.weights.wire.name(), "int4_g512_sr");
  EXPECT_EQ(scheme.gradients.inside.name(), "int8_g96_sr");
  EXPECT_EQ(scheme.gradients.between.name(), "int4_g96_sr");
}

TEST(SchemeFile, TakesCodecsOfActivations) {
  const Scheme scheme = parsed(R"(summary = "a"
zero = [1]
[activations.tensor]
codec = "mxfp8"
[activations.pipeline]
codec = "int8_g128"
group = 512
)");
  EXPECT_EQ(scheme.activations.tensor.name(), "mxfp8");
  EXPECT_EQ(scheme.activations.pipeline.name(), "int8_g512");
  EXPECT_EQ(scheme.twin, "sharded");
  EXPECT_EQ(parsed(to_toml(scheme)), scheme);
}

TEST(SchemeFile, ReadsACardOnceFromWhereItLies) {
  int read = 0;
  const Scheme scheme = parsed(R"(summary = "a"
zero = [1]
[weights]
codec = "cards/mine.toml"
[activations.tensor]
codec = "cards/mine.toml"
)",
                               "some/mine.toml", [&](const std::filesystem::path& file) {
                                 EXPECT_EQ(file, "some/cards/mine.toml");
                                 ++read;
                                 return card_like("int8_g128", small_cluster().gpu);
                               });
  EXPECT_EQ(read, 1);
  EXPECT_EQ(scheme.weights.wire, scheme.activations.tensor);
  EXPECT_EQ(scheme.weights.wire.name(), "int8_g128");
}

TEST(SchemeFile, MayCallItselfAsAShippedSchemeThatItIs) {
  const std::string tlq = to_toml(scheme_named("tlq"));
  EXPECT_EQ(parsed(tlq, "tlq.toml"), scheme_named("tlq"));
  EXPECT_EQ(input_error_of([&] { static_cast<void>(parsed(tlq, "some/ulq.toml")); }),
            "some/ulq.toml: differs from the shipped scheme of this name; rename the file");
}

TEST(SchemeFile, QuotesTextAsTomlDoes) {
  Scheme scheme = scheme_named("sharded");
  scheme.name = scheme.twin = "mine";
  scheme.summary = "a \"b\" \\ '''c''' \t\x01\x7f \xC3\xA9 \xF0\x9F\x98\x80";
  EXPECT_EQ(parsed(to_toml(scheme)), scheme);
}

// Its bits, and times that move its bytes as the table of no GPU has them: the same step.
TEST(CardOfACodec, GivesTheStepOfThatCodec) {
  const Cluster cluster = small_cluster();
  for (const char* codec : {"int8_g128_sr", "int4_minmax_g512_sr", "mxfp8"}) {
    Scheme scheme = scheme_named("fp8_gradients");
    scheme.gradients.between = {codecs::codec_named(codec).format};
    const Schedule coded = plan(cluster, sample_model(), {}, scheme);
    const auto card = std::make_shared<const CodecCard>(card_like(codec, cluster.gpu));
    scheme.gradients.between = {.card = card};
    const Schedule carded = plan(cluster, sample_model(), {}, scheme);
    EXPECT_EQ(coded.operations.size(), carded.operations.size());
    const double seconds = simulate(coded, cluster).makespan_s;
    EXPECT_NEAR(simulate(carded, cluster).makespan_s / seconds, 1, 1e-4) << codec;
  }
}

// A wire of 16 bits either way: that sizes vary makes the slowest wait for the largest.
TEST(CardOfVaryingSizes, IsSlowerThanOneOfTheirMean) {
  const Cluster cluster = without_fixed_times(small_cluster());
  const auto step_of = [&](std::vector<double> bits) {
    CodecCard card = card_like("bf16", cluster.gpu);
    card.bits_per_element = std::move(bits);
    Scheme scheme = scheme_named("fp8_gradients");
    scheme.gradients.between = {.card = std::make_shared<const CodecCard>(std::move(card))};
    return step_time(cluster, sample_model(), {}, scheme);
  };
  EXPECT_GT(step_of({8, 24}), step_of({16}));
  EXPECT_LT(step_of({8, 24}), step_of({24}));
}

}  // namespace
}  // namespace sim
