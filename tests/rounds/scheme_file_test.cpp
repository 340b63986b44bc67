// SPDX-License-Identifier: Apache-2.0
// Schemes between sites as files: a round of what is read is that of its row, to the last bit; and
// codecs from cards.
#include "sim/schemes/scheme_file.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "sim/base/toml_document.hpp"
#include "sim/rounds/simulate_round.hpp"
#include "tests/input_errors.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/schemes/scheme_samples.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

Scheme read_text(const std::string& text, const std::filesystem::path& file = "mine.toml") {
  return parse_scheme(text, file, [](const auto& card) -> CodecCard {
    throw InputError(card.string() + ": no such file");
  });
}

// The smallest sites that ship, with storage.
class RoundOfAFile : public testing::Test {
 protected:
  static WideArea small_area() {
    const auto file = source_directory() / "topologies/wide_area/two_sites_10g.toml";
    WideArea area = parse_wide_area(read_input_text(file), file, [](const std::string& name) {
      return source_directory() / "topologies" / (name + ".toml");
    });
    for (Site& site : area.sites) site.cluster = part_of(site.cluster, 1, 8);
    area.store = Store{.upload = Bandwidth::from_base(1e9), .download = Bandwidth::from_base(1e9)};
    return area;
  }
  [[nodiscard]] RoundContext context(const Scheme& scheme) const {
    return {area_, model_, calibrations_, optimized_for(scheme), scheme_named("sharded")};
  }
  [[nodiscard]] double round_s(const Scheme& scheme) const {
    return simulate_round(context(scheme), scheme).round_s;
  }

  const WideArea area_ = small_area();
  const Model model_ = read_model(source_directory() / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations_ =
      std::vector<Calibration>(area_.sites.size(), roofline());
};

TEST_F(RoundOfAFile, IsThatOfTheRowToTheLastBit) {
  for (const Scheme* row : all_schemes(SchemeKind::between_sites)) {
    const Scheme read = read_text(to_toml(*row));
    const RoundResult of_row = simulate_round(context(*row), *row);
    const RoundResult of_file = simulate_round(context(read), read);
    EXPECT_EQ(of_file.round_s, of_row.round_s) << row->name;
    EXPECT_EQ(of_file.timeline.makespan_s, of_row.timeline.makespan_s) << row->name;
    for (std::size_t site = 0; site < area_.sites.size(); ++site) {
      EXPECT_EQ(of_file.shape.sites[site].whole_bytes, of_row.shape.sites[site].whole_bytes);
      EXPECT_EQ(site_memory(context(read), site, read).total(),
                site_memory(context(*row), site, *row).total());
    }
    EXPECT_EQ(codec_sources(context(read), read), codec_sources(context(*row), *row)) << row->name;
  }
}

TEST_F(RoundOfAFile, SaysWhereItsStateIs) {
  Scheme scheme = scheme_named("sparseloco_store");
  scheme.between_sites->outer_state = OuterState::host;
  EXPECT_EQ(read_text(to_toml(scheme)).between_sites, scheme.between_sites);
}

// As inside a site: a card of the codec's bits, and of times that move its bytes.
TEST_F(RoundOfAFile, WithACardIsThatOfItsCodec) {
  const std::string text =
      "summary = \"a\"\n[between_sites]\nexchange = \"all_gather\"\ninner_steps = 10\n"
      "codec = \"int8_g128\"\n";
  Scheme scheme = read_text(text);
  const double coded = round_s(scheme);
  scheme.between_sites->wire = {.card = std::make_shared<const CodecCard>(
                                    card_like("int8_g128", area_.sites.front().cluster.gpu))};
  EXPECT_NEAR(round_s(scheme) / coded, 1, 1e-4);
}

TEST(SchemeBetweenSites, HasNoPartOfASchemeWithinASite) {
  const std::string text = to_toml(scheme_named("diloco_int8"));
  const auto error = [&](const std::string& before, const std::string& after) {
    return input_error_of([&] { static_cast<void>(read_text(before + text + after)); });
  };
  constexpr const char* kWhy =
      ": applies within a site, but [between_sites] makes this a scheme between sites; remove one "
      "of them, and give the scheme within a site a file of its own";
  EXPECT_EQ(error("zero = [1]\n", "[weights]\ncodec = \"nothing\"\n"),
            std::string("mine.toml:1:1: zero") + kWhy);
  EXPECT_EQ(error("", "[overlap]\n"), std::string("mine.toml:12:2: [overlap]") + kWhy);
}

TEST(SchemeBetweenSites, RefusesKeysWithoutEffect) {
  const auto error = [](const std::string& keys) {
    return input_error_of([&] {
      static_cast<void>(read_text("summary = \"a\"\n[between_sites]\nexchange = " + keys));
    });
  };
  const auto expect = [&](const std::string& keys, std::string_view says) {
    EXPECT_NE(error(keys).find(says), std::string::npos) << error(keys);
  };
  expect("\"ring\"\n", "missing key inner_steps");
  expect("\"ring\"\ngradients = true\nfragments = 2\n", "5:1: fragments: applies to weight");
  expect("\"ring\"\ninner_steps = 2\nfragments = 3\n", "5:1: fragments: 3 exceeds the 2");
  expect("\"ring\"\ninner_steps = 2\ndelayed = true\noverlap_steps = 0\n",
         "6:1: overlap_steps: is 0");
  expect("\"ring\"\ninner_steps = 2\ncodec = \"topk64\"\n", "5:1: codec: topk64 cannot be added");
  expect("\"pair\"\ninner_steps = 2\nfeedback = true\n", "5:1: feedback: carries on");
  expect("\"pair\"\ninner_steps = 2\nquorum = 2\n",
         "5:1: quorum: applies only to leader and syncer");
  expect("\"tree_gather\"\ninner_steps = 2\n", "missing key fan_out");
  expect("\"all_gather\"\ninner_steps = 2\nfan_out = 2\n", "5:1: fan_out: applies only");
  expect("\"pair\"\ninner_steps = 2\noptimizer = \"muo\"\n", "5:1: optimizer: 'muo' is not one of");
  expect("\"pair\"\ninner_steps = 2\nring_order = \"best\"\n", "5:1: ring_order: applies only");
  expect("\"pair\"\ninner_steps = 2\nacross_every = 2\n", "5:1: across_every: does not apply to");
  expect("\"ring\"\ngradients = true\nacross_every = 2\n", "5:1: across_every: applies to weight");
  expect("\"ring\"\ngradients = true\nouter_state = \"host\"\n", "5:1: outer_state: applies to");
  expect("\"ring\"\ninner_steps = 2\nouter_state = \"host\"\n", "5:1: outer_state: applies to a");
  expect("\"ring\"\ninner_steps = 2\nstate_bytes = 8\nouter_state = \"cpu\"\n",
         "6:1: outer_state: 'cpu' is not one of: gpu, host");
  expect("\"ring\"\ninner_steps = 1000\nacross_every = 101\n", "5:1: across_every: 101000 steps");
  expect("\"leader\"\ninner_steps = 2\ngrace = \"1 s\"\n", "5:1: grace: begins with a quorum");
}

TEST(SchemeBetweenSites, WithoutATwinHasThePlainFormOfWhatItExchanges) {
  const auto twin = [](const std::string& keys) {
    return read_text("summary = \"a\"\n[between_sites]\nexchange = \"all_gather\"\n" + keys).twin;
  };
  EXPECT_EQ(twin("inner_steps = 9\n"), "mine");
  EXPECT_EQ(twin("inner_steps = 9\ncodec = \"topk64\"\n"), "diloco");
  EXPECT_EQ(twin("gradients = true\ncodec = \"topk64\"\n"), "wan_sync");
}

}  // namespace
}  // namespace sim
