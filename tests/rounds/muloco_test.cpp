// SPDX-License-Identifier: Apache-2.0
// MuLoCo: DiLoCo with Muon inside the sites, and deltas of 2 bits.
#include <gtest/gtest.h>

#include "sim/rounds/round_report.hpp"
#include "tests/input_errors.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

class MuLoCo : public testing::Test {
 protected:
  static WideArea three_nodes() {
    WideArea area = equal_sites(3, 1e9);
    const auto file = source_directory() / "topologies/dgx_h100_x16.toml";
    area.sites.front().cluster = part_of(read_cluster(file), 1, 8);
    return area;
  }
  RoundContext context(Optimizer optimizer = Optimizer::muon) const {
    return {area_, model_, calibrations_, {.optimizer = optimizer}, scheme_named("sharded")};
  }
  Report report(const Scheme& scheme, Optimizer optimizer = Optimizer::muon) const {
    const RoundContext given = context(optimizer);
    return summarize(given, scheme, simulate_round(given, scheme));
  }

  const WideArea area_ = three_nodes();
  const Model model_ = read_model(source_directory() / "traces/models/gpt_1.3b.toml");
  const std::vector<Calibration> calibrations_{roofline()};
};

// Where both have Muon, to the last bit.
TEST_F(MuLoCo, WithoutCompressionIsDiLoCo) {
  Scheme diloco = scheme_named("diloco");
  diloco.between_sites->inner_steps = 30;
  Scheme plain = scheme_named("muloco");
  plain.between_sites->exchange = &exchanges::ring;
  plain.between_sites->wire = {};
  plain.between_sites->feedback = false;
  const double expected = report(diloco).time_s;
  EXPECT_EQ(report(scheme_named("muloco_fp32")).time_s, expected);
  EXPECT_EQ(report(plain).time_s, expected);
}

// arXiv 2505.23725: 8 times less than BF16, in two bits.
TEST_F(MuLoCo, SendsTwoBitsAParameter) {
  const Report one = report(scheme_named("muloco"));
  EXPECT_NEAR(one.round->bits_per_parameter, 2, 1e-4);
  EXPECT_NEAR(one.compression_ratio_bf16, 8, 1e-3);
}

// The same source: as much memory as DiLoCo, since Muon has one moment where AdamW has two, and the
// residual is as large. Embeddings, which AdamW updates in both, have the residual in addition.
TEST_F(MuLoCo, NeedsTheMemoryOfDiLoCo) {
  const auto state = [&](const char* name, Optimizer optimizer) {
    const MemoryUse memory = site_memory(context(optimizer), 0, scheme_named(name));
    return memory.optimizer + memory.outer_state;
  };
  const StageParameters held = stage_parameters(model_, {}, 0);
  const double others = held.total() - held.matrices;
  EXPECT_NEAR(state("muloco", Optimizer::muon), state("diloco", Optimizer::adamw) + 4 * others / 8,
              64);
}

TEST_F(MuLoCo, IsDefinedWithMuon) {
  const Scheme& muloco = scheme_named("muloco");
  EXPECT_EQ(problem(context(), muloco), "");
  EXPECT_EQ(problem(context(Optimizer::adamw), muloco),
            "`optimizer`: muloco is defined with muon inside the sites; leave out `optimizer`");
}

}  // namespace
}  // namespace sim
