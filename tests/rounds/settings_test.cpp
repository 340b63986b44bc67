// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "sim/base/json_reader.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

SiteExchange set(std::string_view name, std::string key, std::string value) {
  const Setting setting{std::move(key), std::move(value)};
  return *with_settings(scheme_named(name), {&setting, 1}).between_sites;
}

TEST(SettingsBetweenSites, ChangeTheirPart) {
  EXPECT_EQ(set("diloco", "scheme.inner_steps", "7").inner_steps, 7);
  EXPECT_EQ(set("diloco", "scheme.across_every", "7").across_every, 7);
  EXPECT_EQ(set("streaming_diloco", "scheme.fragments", "4").fragments, 4);
  EXPECT_EQ(set("streaming_diloco", "scheme.overlap_steps", "5").overlap_steps, 5);
  EXPECT_EQ(set("diloco_int8", "scheme.group", "128").wire.format.group, 128u);
  EXPECT_EQ(set("sparseloco", "scheme.keep", "32").wire.format.keep, 32u);
  EXPECT_EQ(set("diloco", "scheme.ring_order", "worst").ring_order, RingOrder::worst);
  EXPECT_EQ(set("diloco", "scheme.outer_state", "host").outer_state, OuterState::host);
  EXPECT_EQ(set("decoupled_diloco", "scheme.quorum", "3").quorum, 3);
  EXPECT_EQ(set("decoupled_diloco", "scheme.grace", "2 s").grace, 2_s);
  EXPECT_EQ(set("decoupled_diloco", "scheme.inner_steps", "48").inner_steps, 48);
  EXPECT_EQ(set("decoupled_diloco", "scheme.overlap_steps", "5").overlap_steps, 5);
  EXPECT_EQ(set("eager_diloco", "scheme.overlap_steps", "5").overlap_steps, 5);
}

TEST(SettingsBetweenSites, MoveOnlyStateThatThereIs) {
  Scheme averaging = scheme_named("diloco");
  averaging.between_sites->state_bytes = 0;
  const Setting host{"scheme.outer_state", "host"};
  EXPECT_EQ(input_error_of([&] {
              static_cast<void>(with_settings(averaging, {&host, 1}));
            }),
            "`set` scheme.outer_state: diloco keeps no outer state");
}

TEST(SettingsBetweenSites, HoldToTheRulesOfTheFileTogether) {
  const auto error = [](Scheme scheme, std::vector<Setting> settings) {
    return input_error_of([&] { static_cast<void>(with_settings(scheme, settings)); });
  };
  Scheme patient = scheme_named("decoupled_diloco");
  patient.between_sites->quorum = 0;
  const Setting grace{"scheme.grace", "2 s"}, quorum{"scheme.quorum", "3"};
  EXPECT_EQ(error(patient, {grace}), "`set` scheme.grace: begins with a quorum; write quorum too");
  EXPECT_EQ(error(patient, {grace, quorum}), "") << "in either order";
  // The key that is given is to blame, once.
  Scheme regions = scheme_named("diloco");
  regions.between_sites->across_every = 4;
  EXPECT_EQ(error(regions, {{"scheme.inner_steps", "50000"}}),
            "`set` scheme.inner_steps: 200000 steps between two exchanges across regions exceed "
            "the limit of 100000; write less");
  EXPECT_EQ(error(scheme_named("streaming_diloco"), {{"scheme.inner_steps", "2"},
                                                     {"scheme.fragments", "3"},
                                                     {"scheme.overlap_steps", "1"}}),
            "`set` scheme.fragments: 3 exceeds the 2 inner steps of a round; write less");
}

TEST(SettingsBetweenSites, RefuseWhatTheSchemeDoesNotHave) {
  const auto error = [](const char* name, const char* key, const char* value) {
    return input_error_of([&] { static_cast<void>(set(name, key, value)); });
  };
  EXPECT_EQ(error("wan_sync", "scheme.inner_steps", "5"),
            "`set` scheme.inner_steps: wan_sync exchanges gradients in every step");
  EXPECT_EQ(error("diloco", "scheme.keep", "4"), "`set` scheme.keep: diloco sends all elements");
  EXPECT_EQ(error("diloco", "scheme.group", "64"),
            "`set` scheme.group: diloco has no groups to set here");
  EXPECT_EQ(error("diloco", "scheme.ring_order", "first"),
            "`set` scheme.ring_order: 'first' is not one of: given, best, worst");
  EXPECT_EQ(error("decoupled_diloco", "scheme.grace", "2"),
            "`set` scheme.grace: '2' has no unit; write e.g. \"2 s\"");
  EXPECT_EQ(error("sparseloco", "scheme.ring_order", "best"),
            "`set` scheme.ring_order: sparseloco has no ring");
  EXPECT_EQ(error("diloco", "scheme.outer_state", "cpu"),
            "`set` scheme.outer_state: 'cpu' is not one of: gpu, host; did you mean gpu?");
  EXPECT_EQ(error("demo", "scheme.outer_state", "host"),
            "`set` scheme.outer_state: demo exchanges gradients in every step");
  EXPECT_EQ(error("noloco", "scheme.across_every", "2"),
            "`set` scheme.across_every: noloco does not exchange by regions");
  EXPECT_EQ(error("wan_sync", "scheme.across_every", "2"),
            "`set` scheme.across_every: wan_sync exchanges gradients in every step");
  EXPECT_EQ(error("diloco", "scheme.across_every", "201"),
            "`set` scheme.across_every: 100500 steps between two exchanges across regions exceed "
            "the limit of 100000; write less");
  EXPECT_EQ(error("sparseloco", "scheme.fan_out", "2"),
            "`set` scheme.fan_out: sparseloco has no tree");
  EXPECT_EQ(error("wan_sync", "scheme.overlap_steps", "2"),
            "`set` scheme.overlap_steps: wan_sync exchanges gradients in every step");
  EXPECT_EQ(error("eager_diloco", "scheme.overlap_steps", "0"),
            "`set` scheme.overlap_steps: is 0, but a delayed exchange overlaps at least one step; "
            "write 1 or more");
  EXPECT_EQ(error("diloco", "scheme.quorum", "2"), "`set` scheme.quorum: diloco has no quorum");
  EXPECT_EQ(error("diloco", "scheme.inner_steps", "0"),
            "`set` scheme.inner_steps: 0 is out of range; write a whole number from 1 to 100000");
  EXPECT_NE(error("diloco", "scheme.nothing", "0").find("unknown key"), std::string::npos);
  EXPECT_NE(error("streaming_diloco", "scheme.fragments", "500").find("inner steps"),
            std::string::npos);
  // Who has set the inner steps alone has not written the fragments.
  EXPECT_TRUE(error("streaming_diloco", "scheme.inner_steps", "1")
                  .starts_with("`set` scheme.inner_steps: 1 is less than the scheme's "));
}

TEST(SchemesBetweenSites, HoldTheWiresThatOneSumTakes) {
  constexpr int kSites = 20;
  const std::map<const Exchange*, double> expected{{&exchanges::store, kSites - 1},
                                                   {&exchanges::all_gather, kSites - 1},
                                                   {&exchanges::leader, kSites - 1}};
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    const SiteExchange& exchange = *scheme->between_sites;
    const auto found = expected.find(exchange.exchange);
    EXPECT_NEAR(arriving_wires(exchange, 1'000'000, kSites),
                found == expected.end() ? 1 : found->second, 1e-4)
        << scheme->name;
  }
}

TEST(SchemesBetweenSites, HaveErrorsWhereTheirWireWasMeasured) {
  const JsonDocument table = read_json(source_directory() / "traces/calibration/codec_error.json");
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    const CodecErrors errors = codec_errors(table, *scheme);
    EXPECT_EQ(errors.contains("sum_of_256"), scheme->between_sites->feedback) << scheme->name;
    const bool once = !scheme->between_sites->exchange->encodes_sums;
    for (const auto& [name, error] : errors) EXPECT_EQ(error.has_value(), once) << scheme->name;
  }
  Scheme other_keep = scheme_named("sparseloco");
  other_keep.between_sites = set("sparseloco", "scheme.keep", "32");
  const CodecErrors other = codec_errors(table, other_keep);
  EXPECT_EQ(other, (CodecErrors{{"normal", {}}, {"student_t3", {}}, {"sum_of_256", {}}}));
}

// Every scheme names a twin that exists, sends 16 or 32 bits, and agrees on the rest.
TEST(SchemesBetweenSites, HaveATwinWithoutCompression) {
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    const Scheme& twin = scheme_named(scheme->twin);
    EXPECT_FALSE(twin.compresses()) << scheme->name;
    EXPECT_EQ(twin.between_sites->gradients, scheme->between_sites->gradients) << scheme->name;
    const double bits = 8 * twin.between_sites->wire.bytes_per_element();
    EXPECT_TRUE(bits == 16 || bits == 32) << scheme->name;
    EXPECT_TRUE(!scheme->compresses() ||
                8 * scheme->between_sites->wire.bytes_per_element() < bits);
    EXPECT_LE(scheme->summary.size(), 90u) << scheme->name;
  }
}

}  // namespace
}  // namespace sim
