// SPDX-License-Identifier: Apache-2.0
// Exchanges that nothing else knows: one inside sites, and one between them. What steps, rounds,
// memory, bytes, errors, sources and bounds need of each is its row.
#include <gtest/gtest.h>

#include <cmath>

#include "apps/data_files.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/program/kernels_of.hpp"
#include "sim/program/lay_out.hpp"
#include "sim/report/sources.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/schemes/formats.hpp"
#include "sim/schemes/kernels.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"
#include "sim/study/plan/site_times.hpp"
#include "sim/study/search/first_bound.hpp"
#include "tests/apps/jobs.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/schedule/whole_step.hpp"

namespace sim {
namespace {

JsonDocument shipped_errors() { return read_json(apps::codec_error_file()); }

const Wire kInt8{codecs::codec_named("int8_g2048").format};

// Every rank gets the wires of its node and sums them; then, encoded again, the sums of all nodes.
Communication by_two_gathers(const StepSizes& shape, int, const Bucket& bucket) {
  const GradientExchange& gradients = shape.scheme.gradients;
  const Wire& wire = gradients.between;
  const double elements = bucket.parameters;
  const auto gather = [&](Among among, int ranks) {
    return Transfer{.collective = CollectiveKind::all_gather,
                    .among = among,
                    .bytes = wire.bytes(elements) * ranks,
                    .label = "all_gather gradients",
                    .wire = wire,
                    .encoded = elements};
  };
  Communication reduction{.elements = elements, .start = {{Stream::compute}}};
  reduction.add(gradient_encode(gradients, wire, elements, shape.data), Phase::encode);
  reduction.add(gather(Among::inside, shape.places()));
  reduction.add(gradient_encode_sum(gradients, wire, wire, shape.places(), elements, shape.data),
                Phase::decode);
  reduction.add(gather(Among::between, shape.nodes));
  reduction.add(Kernel(gradient_sum(wire, shape.nodes, elements), Phase::decode));
  return reduction;
}

constexpr Reduction kTwoGathers{.name = "two_gathers",
                                .leaves = Reduction::Leaves::all,
                                .is_by_node = true,
                                .lay_out = by_two_gathers};

class ToyReduction : public testing::Test {
 protected:
  const Scheme scheme_{.name = "toy",
                       .summary = "gathers inside nodes, then between them",
                       .zero = {0},
                       .gradients = {.algorithm = &kTwoGathers, .inside = kInt8, .between = kInt8},
                       .twin = "data_parallel"};
  const sim::study::Job job_ = apps_tests::job_of(
      "--topology dgx_h100_x16 --model gpt_125m --nodes 2 --scheme data_parallel");
  const sim::study::Setup setup_ = job_.setup_of(scheme_);
  const StepContext context_ = job_.context(setup_);
  const double wire_ =
      kInt8.bytes(buckets_of(context_.model, context_.parallelism, 0)[0].parameters);
};

TEST_F(ToyReduction, RunsAStepThatSendsItsBytes) {
  const Schedule schedule = whole_step(context_, scheme_);
  const SentBytes sent = sent_bytes(schedule, Phase::gradient_comm);
  for (std::size_t rank = 0; rank < 16; ++rank) {
    EXPECT_NEAR(sent.intra_node[rank], 7 * wire_, 1e-3 * wire_);
    EXPECT_NEAR(sent.inter_node[rank], wire_, 1e-3 * wire_);
  }
  const double plain =
      simulate(whole_step(context_, scheme_named("data_parallel")), context_.cluster).makespan_s;
  const double toy = simulate(schedule, context_.cluster).makespan_s;
  EXPECT_GT(toy, 0.5 * plain);
  EXPECT_LT(toy, 5 * plain);
}

TEST_F(ToyReduction, KeepsTheWiresOfANode) {
  const CodecMemory memory = codec_memory(context_, scheme_);
  EXPECT_NEAR(memory.buffers, 8 * kInt8.bytes_per_element(), 1e-3);
  EXPECT_EQ(memory.state, 0);
}

TEST_F(ToyReduction, LosesWhatItsTwoEncodesLose) {
  const CodecErrors all = codec_errors(shipped_errors(), context_, scheme_);
  Scheme once = scheme_named("data_parallel");
  once.gradients = {.algorithm = &reductions::all_gather, .inside = kInt8, .between = kInt8};
  const double one = codec_errors(shipped_errors(), context_, once).at("normal").value();
  EXPECT_NEAR(all.at("normal").value(), std::hypot(one, one * std::hypot(1, one)), 0.02 * one);
}

TEST_F(ToyReduction, NamesTheSourcesOfItsKernels) {
  EXPECT_EQ(codec_sources(context_, scheme_).size(), 3u);
}

TEST_F(ToyReduction, IsNoFasterThanItsBound) {
  const sim::study::FirstBound bound = sim::study::FirstBounds().of(job_, setup_);
  EXPECT_NEAR(bound.bytes, 8 * wire_, 1e-3 * wire_);  // of each node's eight ranks
  const double step_s = simulate(whole_step(context_, scheme_), context_.cluster).makespan_s;
  EXPECT_LE(bound.seconds(job_.cluster()), step_s);
  EXPECT_GE(bound.seconds(job_.cluster()), 0.3 * step_s);
}

// Each site sends all that it has to the next one, around a circle.
void run_around_a_circle(Meeting& meeting) {
  const std::vector<int>& sites = meeting.heard();
  Meeting::Ids sent;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const int from = sites[i];
    sent.push_back(meeting.send(from, sites[(i + 1) % sites.size()], meeting.whole_bytes(from), 1,
                                meeting.ready(from, meeting.encoded(from))));
    meeting.arrive(from, sent.back());
  }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const int to = sites[(i + 1) % sites.size()];
    meeting.finish(to, meeting.member(to, "from a neighbour", meeting.encoded(to), {sent[i]}));
  }
}

constexpr Exchange kCircle{
    .name = "circle",
    .add_kernels =
        [](const SiteExchange& exchange, std::size_t elements, int, ExchangeKernels& kernels) {
          kernels.decode = {use_of(exchange, codecs::Operation::decode_reduce, elements, 2)};
        },
    .run = run_around_a_circle};

class ToyExchange : public testing::Test {
 protected:
  static WideArea area_of_lines(double line_Bps) {
    WideArea area = equal_sites(kSites, line_Bps);
    const auto file = apps::data_directory() / "topologies/dgx_h100_x16.toml";
    area.sites.front().cluster = part_of(read_cluster(file), 1, 8);
    return area;
  }
  [[nodiscard]] RoundContext context() const {
    return {area_, model_, calibrations_, {}, scheme_named("sharded")};
  }

  static constexpr int kSites = 5;
  static constexpr double kLine = 1e9;
  const Scheme scheme_{.name = "toy",
                       .summary = "neighbours around a circle",
                       .between_sites = SiteExchange{.exchange = &kCircle,
                                                     .wire = kInt8,
                                                     .inner_steps = 10,
                                                     .state_bytes = 4,
                                                     .update_bytes = 12},
                       .twin = "diloco"};
  const WideArea area_ = area_of_lines(kLine);
  const Model model_ = read_model(apps::data_directory() / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations_{roofline()};
};

TEST_F(ToyExchange, RunsARoundThatSendsItsBytes) {
  const RoundResult result = simulate_round(context(), scheme_);
  const SiteWork& site = result.shape.sites.front();
  const double kernels_s = site.encode_s + site.decode_s + site.update_s;
  EXPECT_GT(site.decode_s, 0);
  EXPECT_NEAR(result.round_s, 10 * site.step_s + kernels_s + site.whole_bytes / kLine,
              1e-3 * result.round_s);
  const Report report = summarize(context(), scheme_, result);
  EXPECT_NEAR(report.wire_bytes_wan, whole_bytes(context(), 0, scheme_),
              1e-6 * report.wire_bytes_wan);
}

TEST_F(ToyExchange, KeepsItsStateAndBuffers) {
  const MemoryUse memory = site_memory(context(), 0, scheme_);
  const auto shard = static_cast<double>(shard_sizes(context(), 0, 1).front().elements);
  EXPECT_EQ(memory.outer_state, 4 * shard);
  EXPECT_GE(memory.codec, 2 * kInt8.bytes_per_element() * shard);
}

TEST_F(ToyExchange, LosesWhatItsCodecLoses) {
  const CodecErrors errors = codec_errors(shipped_errors(), scheme_);
  EXPECT_GT(errors.at("normal").value(), 0);
}

TEST_F(ToyExchange, NamesTheSourcesOfItsKernels) {
  EXPECT_EQ(codec_sources(context(), scheme_).size(), 2u);
}

TEST_F(ToyExchange, SendsNoLessThanItsBound) {
  EXPECT_EQ(sim::study::least_sent(context(), 0, scheme_), whole_bytes(context(), 0, scheme_));
}

}  // namespace
}  // namespace sim
