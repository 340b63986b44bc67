// SPDX-License-Identifier: Apache-2.0
// What each rank sends, by phase and level, against the formulas of the papers.
#include <gtest/gtest.h>

#include "sim/schemes/formats.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

struct SentOfRank {
  double intra_node = 0;
  double inter_node = 0;
};

SentOfRank sent_on_average(const Schedule& schedule, Phase phase) {
  const SentBytes sent = sent_bytes(schedule, phase);
  return {mean(sent.intra_node), mean(sent.inter_node)};
}

// A code and its part of the group's scale; of what is chosen of a group, its index or nothing.
double element_bytes(const Wire& wire) {
  const codecs::Format& format = wire.format;
  const double code = codecs::bits_of(format.element) / 8.0;
  const auto group = static_cast<double>(format.group);
  const double scale = format.group > 1 && format.group != codecs::kWholeTensor
                           ? static_cast<double>(codecs::bytes_of(format.scale)) / group
                           : 0;
  if (format.keep == 0) return code + scale;
  const double index = format.choice == codecs::Choice::largest ? 12.0 / 8 : 0;
  return static_cast<double>(format.keep) / group * (code + index) + scale;
}

// P nodes of M GPUs, n = P M.
struct Shape {
  int nodes;
  int gpus;
  [[nodiscard]] double all() const { return nodes * gpus; }
};

// A ring sends (n-1)/n of the buffer; of each M hops of it one leaves the node.
SentOfRank ring(const Shape& shape, double bytes) {
  const double sent = (shape.all() - 1) / shape.all() * bytes;
  const double leaving = shape.nodes > 1 ? sent / shape.gpus : 0;
  return {sent - leaving, leaving};
}

// All at once: 1/n of the buffer to each of M-1 GPUs of the node and n-M of others.
SentOfRank flat(const Shape& shape, double bytes) {
  return {(shape.gpus - 1) / shape.all() * bytes, (shape.all() - shape.gpus) / shape.all() * bytes};
}

// SDP4Bit section 3.2: (M-1)/M of the gradients inside the node, then (P-1)/P of the 1/M that each
// GPU has summed for its node.
SentOfRank two_level(const Shape& shape, const GradientExchange& exchange, double parameters) {
  const double m = shape.gpus;
  const double p = shape.nodes;
  return {(m - 1) / m * parameters * element_bytes(exchange.inside),
          (p - 1) / p / m * parameters * element_bytes(exchange.between)};
}

SentOfRank operator+(const SentOfRank& a, const SentOfRank& b) {
  return {a.intra_node + b.intra_node, a.inter_node + b.inter_node};
}

// Of rank r: r (n + m) values for each matrix of n x m, and the vectors. The sample's layers have
// four matrices of h x h, two of 4 h x h and two norms; its words are one of 1019 x h.
double low_rank_values(double r) {
  const double h = 512;
  const double vectors = 2 * 2 * h + h;
  EXPECT_EQ(2 * 12 * h * h + 1019 * h + vectors, kSampleParameters);
  return 2 * r * (4 * (h + h) + 2 * (4 * h + h)) + r * (1019 + h) + vectors;
}

SentOfRank gradients_of(const Shape& shape, const Scheme& scheme, Precision precision) {
  const double n = kSampleParameters;
  const GradientExchange& gradients = scheme.gradients;
  const double wire = n * element_bytes(gradients.between);
  const bool whole = scheme.is_defined_for(0);
  const Reduction* reduction = gradients.algorithm;
  if (reduction == &reductions::ring) {
    const SentOfRank once = ring(shape, n * bytes_of(precision));
    return whole ? once + once : once;
  }
  if (reduction == &reductions::all_to_all) {
    return whole ? flat(shape, wire) + ring(shape, wire) : flat(shape, wire);
  }
  if (reduction == &reductions::two_level) return two_level(shape, gradients, n);
  if (reduction == &reductions::all_gather) return ring(shape, shape.all() * wire);
  if (reduction == &reductions::all_reduce) return ring(shape, wire) + ring(shape, wire);
  EXPECT_EQ(reduction, &reductions::low_rank) << "has no closed form here";
  const SentOfRank once = ring(shape, 4 * low_rank_values(gradients.factor_rank));
  return once + once;
}

// Scales of a last group that is not full, and wires that are padded to 16 bytes.
constexpr double kPadding = 1e-3;

void expect_sent(const SentOfRank& sent, const SentOfRank& expected, const Shape& shape) {
  EXPECT_NEAR(sent.intra_node, expected.intra_node, kPadding * expected.intra_node)
      << shape.nodes << "x" << shape.gpus;
  EXPECT_NEAR(sent.inter_node, expected.inter_node, kPadding * expected.inter_node)
      << shape.nodes << "x" << shape.gpus;
}

constexpr Shape kShapes[] = {{2, 4}, {4, 2}, {1, 8}, {8, 1}, {1, 2}, {2, 1}, {1, 1}};

class SchemeWireBytes : public EveryScheme {};

// Once a step of what every rank keeps whole. Of shards the layers forward and backward, and the ends
// once; second shards are gathered backward in BF16 inside nodes.
SentOfRank weights_of(const Shape& shape, const Scheme& scheme, int stage) {
  const double ends = 1024 * 512;
  const double layers = kSampleParameters - ends;
  const double wire = element_bytes(scheme.weights.wire);
  if (stage == 0) return {};
  if (stage < 3) return ring(shape, (layers + ends) * wire);
  const SentOfRank forward = ring(shape, (layers + ends) * wire);
  if (!scheme.weights.secondary_shards || shape.nodes == 1) {
    return forward + ring(shape, layers * wire);
  }
  return forward + SentOfRank{2 * layers * (shape.gpus - 1) / shape.gpus, 0};
}

TEST_P(SchemeWireBytes, OfWeightsAreRingsOfTheirFormat) {
  for (const int stage : scheme().zero) {
    for (const Shape& shape : kShapes) {
      const auto schedule = plan(small_cluster(shape.nodes, shape.gpus), sample_model(),
                                 {.sharding = {.stage = stage}}, scheme());
      expect_sent(sent_on_average(schedule, Phase::weight_comm), weights_of(shape, scheme(), stage),
                  shape);
    }
  }
}

TEST_P(SchemeWireBytes, OfGradientsAreTheirAlgorithms) {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    for (const Shape& shape : kShapes) {
      const auto schedule = plan(small_cluster(shape.nodes, shape.gpus), sample_model(),
                                 defined(scheme(), {.gradients = precision}), scheme());
      expect_sent(sent_on_average(schedule, Phase::gradient_comm),
                  gradients_of(shape, scheme(), precision), shape);
    }
  }
}

TEST_P(SchemeWireBytes, AreNoneOnOneGpu) {
  const SentBytes sent =
      sent_bytes(plan(small_cluster(1, 1), sample_model(), defined(scheme()), scheme()));
  EXPECT_EQ(sent.intra_node, std::vector<double>{0});
  EXPECT_EQ(sent.inter_node, std::vector<double>{0});
}

// Over both levels: what goes to each rank alone leaves the node more often than a ring does.
TEST_P(SchemeWireBytes, AreNeverMoreThanTheTwins) {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    for (const Shape& shape : kShapes) {
      const auto cluster = small_cluster(shape.nodes, shape.gpus);
      const Parallelism parallelism = defined(scheme(), {.gradients = precision});
      const SentBytes mine = sent_bytes(plan(cluster, sample_model(), parallelism, scheme()));
      const SentBytes twins = sent_bytes(plan(cluster, sample_model(), parallelism, twin()));
      for (std::size_t rank = 0; rank < mine.intra_node.size(); ++rank) {
        EXPECT_LE(mine.intra_node[rank] + mine.inter_node[rank],
                  twins.intra_node[rank] + twins.inter_node[rank])
            << shape.nodes << "x" << shape.gpus;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, SchemeWireBytes, testing::ValuesIn(scheme_rows()), scheme_label);

class ReducedShards : public EveryScheme {};

// Without compression each of the collectives moves (n-1)/n of the buffer, once.
TEST_P(ReducedShards, OfFp32GradientsOnOneLevelTakeTheBytesOfRings) {
  Scheme passes = scheme();
  passes.gradients.inside = passes.gradients.between = {formats::kFp32};
  for (const Shape& shape : {Shape{1, 8}, Shape{8, 1}}) {
    const SentOfRank expected = ring(shape, 4 * kSampleParameters);
    const auto schedule =
        plan(small_cluster(shape.nodes, shape.gpus), sample_model(), defined(passes), passes);
    const SentOfRank sent = sent_on_average(schedule, Phase::gradient_comm);
    EXPECT_DOUBLE_EQ(sent.intra_node, expected.intra_node);
    EXPECT_DOUBLE_EQ(sent.inter_node, expected.inter_node);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ReducedShards,
                         testing::ValuesIn(scheme_rows([](const Scheme& one) {
                           return !one.is_defined_for(0);
                         })),
                         scheme_label);

// The rows as the paper states them: bits of a weight, of a gradient inside and between nodes.
struct Published {
  const char* scheme;
  double weight_bits;
  double inside_bits;
  double between_bits;
};

TEST(PublishedWireBytes, AreThoseOfSdp4bit) {
  // arXiv 2410.15526: a float32 scale a group, of 128 gradients or 2048 weights in its runs.
  constexpr double kScale128 = 32.0 / 128;
  constexpr double kScale2048 = 32.0 / 2048;
  const Shape shape{2, 4};
  for (const Published& row :
       {Published{"tlq", 16, 8 + kScale128, 4 + kScale128},
        Published{"tlq_hs", 16, 8 + kScale128, 4 + kScale128},
        Published{"ulq", 16, 4 + kScale128, 4 + kScale128},
        Published{"sdp4bit", 4 + kScale2048, 8 + kScale128, 4 + kScale128}}) {
    const auto schedule =
        plan(small_cluster(shape.nodes, shape.gpus), sample_model(), {}, scheme_named(row.scheme));
    const double n = kSampleParameters;
    const SentOfRank weights = sent_on_average(schedule, Phase::weight_comm);
    EXPECT_DOUBLE_EQ(weights.intra_node + weights.inter_node, 7.0 / 8 * n * row.weight_bits / 8);
    const SentOfRank gradients = sent_on_average(schedule, Phase::gradient_comm);
    EXPECT_DOUBLE_EQ(gradients.intra_node, 3.0 / 4 * n * row.inside_bits / 8) << row.scheme;
    EXPECT_DOUBLE_EQ(gradients.inter_node, 1.0 / 2 / 4 * n * row.between_bits / 8) << row.scheme;
  }
}

}  // namespace
}  // namespace sim
