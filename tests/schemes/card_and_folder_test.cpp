// SPDX-License-Identifier: Apache-2.0
// A codec that is compiled in and the same codec as a card: one step time, if the card has a row for
// each kernel, or needs none because the codec was not timed either.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "docs/examples/codec-as-folder/mxint8/mxint8.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/times/calibration_rows.hpp"
#include "tests/schemes/sample_step.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

const char* const kInside = "int8_g128";

Calibration h100_table() {
  return read_calibration(source_directory() / "traces/calibration/nvidia_h100_80gb_hbm3.json");
}

Cluster cluster_of(const Calibration& table) {
  Cluster cluster = small_cluster();
  cluster.gpu.name = table.gpu;
  cluster.gpu.launch_latency = *table.launch_latency;
  return cluster;
}

CodecCard card_of_size(const codecs::Format& format) {
  return {.name = "card",
          .summary = "as a codec",
          .bits_per_element = {8 * codecs::encoded_bytes_per_element(format)}};
}

// With the codec's own times, as measured or without a table, of each kernel at sizes of powers of two.
CodecCard card_with_rows(const codecs::Format& format, const Calibration& table, const Gpu& gpu) {
  CodecCard card = card_of_size(format);
  card.gpu = gpu.name;
  card.memory_bandwidth = gpu.memory_bandwidth;
  using codecs::Operation;
  const auto add = [&](const codecs::KernelShape& shape, const std::string& from = {}) {
    auto& times = card.steps[key_of({.operation = shape.operation,
                                     .inputs = shape.inputs,
                                     .value_bytes = shape.value_bytes,
                                     .from = from})];
    for (double elements = 1 << 10; elements < 1e9; elements *= 2) {
      times.push_back({elements, kernel_time(table, gpu, {shape, elements}).seconds});
    }
  };
  add({.operation = Operation::encode_difference, .wire = format, .value_bytes = 2});
  add({.operation = Operation::decode_add, .wire = format, .value_bytes = 2});
  add({.operation = Operation::encode_feedback, .wire = format});
  for (const int bytes : {2, 4}) {
    add({.operation = Operation::encode, .wire = format, .value_bytes = bytes});
    add({.operation = Operation::decode, .wire = format, .value_bytes = bytes});
  }
  for (const int inputs : {2, 4}) {
    codecs::KernelShape sum{
        .operation = Operation::decode_reduce, .wire = format, .inputs = inputs};
    add(sum);
    sum.operation = Operation::decode_reduce_encode;
    sum.wire_out = format;
    add(sum);
    sum.wire = codecs::codec_named(kInside).format;
    add(sum, kInside);
  }
  return card;
}

// Together they launch every kernel that a card may have times for.
std::vector<Scheme> schemes_with(const Wire& wire) {
  Scheme levels = scheme_named("sdp4bit");
  levels.weights.wire = levels.gradients.between = levels.activations.tensor = wire;
  levels.gradients.inside = {codecs::codec_named(kInside).format};
  Scheme flat = scheme_named("ef_sign");
  flat.gradients.between = wire;
  return {levels, flat};
}

Parallelism parallelism_of(const Scheme& scheme) { return defined(scheme, {.tensor = 2}); }

double seconds_of(const Scheme& scheme, const Cluster& cluster, const Calibration& table) {
  const Model model = deep_model();
  return simulate(whole_step({cluster, model, table, parallelism_of(scheme)}, scheme), cluster)
      .makespan_s;
}

// A card without times has fused kernels.
codecs::Format fused_mxint8() {
  static const codecs::Layout fused = [] {
    codecs::Layout layout = *codecs::mxint8.format.layout;
    layout.fuses_feedback = [](const codecs::Format&) { return true; };
    layout.fuses_add = [](const codecs::Format&, int) { return true; };
    return layout;
  }();
  codecs::Format format = codecs::mxint8.format;
  format.layout = &fused;
  return format;
}

TEST(CardAndFolder, OfACodecGiveTheSameStep) {
  const Calibration table = h100_table();
  const Cluster cluster = cluster_of(table);
  for (const codecs::Format& format : {codecs::codec_named("mxfp8").format, fused_mxint8()}) {
    const auto with = [&](CodecCard card) {
      return schemes_with({.card = std::make_shared<const CodecCard>(std::move(card))});
    };
    const auto folders = schemes_with({format});
    const auto rows = with(card_with_rows(format, table, cluster.gpu));
    const auto untimed = with(card_of_size(format));
    for (std::size_t i = 0; i < folders.size(); ++i) {
      const Model model = deep_model();
      EXPECT_TRUE(doubtful_kernels({cluster, model, table, parallelism_of(rows[i])}, rows[i])
                      .substituted.empty());
      const double seconds = seconds_of(folders[i], cluster, table);
      EXPECT_NEAR(seconds_of(rows[i], cluster, table) / seconds, 1, 0.005) << i;
      if (format.scale != codecs::mxint8.format.scale) continue;
      EXPECT_NEAR(seconds_of(untimed[i], cluster, table) / seconds, 1, 0.001) << i;
    }
  }
}

// The rows that the table has of the codec, as they stand, and no others.
CodecCard card_of_table(std::string_view codec, const Calibration& table, const Gpu& gpu) {
  const codecs::Format& format = codecs::codec_named(codec).format;
  CodecCard card = card_of_size(format);
  card.gpu = gpu.name;
  card.memory_bandwidth = scale(table);
  using codecs::Operation;
  for (const Operation operation : {Operation::encode, Operation::decode, Operation::decode_add,
                                    Operation::encode_difference}) {
    for (const int value_bytes : {2, 4}) {
      const codecs::KernelShape shape{
          .operation = operation, .wire = format, .value_bytes = value_bytes};
      const auto found = table.kernels->find(kernel_key(shape, codec, ""));
      if (found == table.kernels->end()) continue;
      card.steps[key_of({.operation = operation, .value_bytes = value_bytes})] = found->second;
    }
  }
  return card;
}

TEST(CardAndFolder, OfACodecsOwnRowsGatherWeightsAlike) {
  const Calibration table = h100_table();
  Cluster cluster = cluster_of(table);
  cluster.gpu.memory_bandwidth = table.memory_bandwidth;
  for (const char* codec : {"int8_g128", "int4_g128", "fp8_e4m3", "mxfp4", "nf4_g64"}) {
    for (const bool difference : {false, true}) {
      for (const int sharding : {1, 3}) {
        // The table lacks the difference's kernel of some codecs; a card makes it of two.
        const bool has_difference =
            table.kernels->contains(kernel_key({.operation = codecs::Operation::encode_difference,
                                                .wire = codecs::codec_named(codec).format,
                                                .value_bytes = 2},
                                               codec, ""));
        if (difference && (sharding == 3 || !has_difference)) continue;
        Scheme folder = scheme_named("sharded");
        folder.weights = {.wire = {codecs::codec_named(codec).format}, .difference = difference};
        Scheme card = folder;
        card.weights.wire = {
            .card = std::make_shared<const CodecCard>(card_of_table(codec, table, cluster.gpu))};
        Parallelism p;
        p.sharding.stage = sharding;
        const auto seconds = [&](const Scheme& scheme) {
          const Model model = deep_model();
          return simulate(whole_step({cluster, model, table, p}, scheme), cluster).makespan_s;
        };
        EXPECT_NEAR(seconds(card) / seconds(folder), 1, 0.003) << codec << sharding << difference;
      }
    }
  }
}

// Launches of 50 us against a few million elements, whose bytes take less. They are warned of
// unless the card was timed for so few.
TEST(CardAndFolder, IsLaunchBoundWhereThatWasNotTimed) {
  const Calibration table = roofline();
  Cluster cluster = small_cluster();
  cluster.gpu.launch_latency = 50_us;
  const Model model = deep_model();
  const auto bound = [&](CodecCard card) {
    const Scheme flat =
        schemes_with({.card = std::make_shared<const CodecCard>(std::move(card))}).back();
    return doubtful_kernels({cluster, model, table, parallelism_of(flat)}, flat).launch_bound;
  };
  const codecs::Format format = codecs::mxint8.format;
  const CodecCard timed = card_with_rows(format, table, cluster.gpu);
  EXPECT_TRUE(bound(timed).empty());
  CodecCard timed_large = timed;
  for (auto& [step, times] : timed_large.steps) times.erase(times.begin(), times.end() - 3);
  for (const CodecCard& card : {card_of_size(format), timed_large}) {
    const auto cards = bound(card);
    ASSERT_EQ(cards.size(), 1u);
    EXPECT_EQ(cards.front().codec, "card");
    EXPECT_GT(cards.front().share, kLaunchBound);
    EXPECT_LT(cards.front().share, 1);
  }
  cluster.gpu.launch_latency = 0_us;
  EXPECT_TRUE(bound(card_of_size(format)).empty());
}

}  // namespace
}  // namespace sim
