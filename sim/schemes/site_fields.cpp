// SPDX-License-Identifier: Apache-2.0
// The keys of [between_sites] in scheme files: what each exchange has, and what it cannot do.
#include <fmt/format.h>

#include <algorithm>

#include "sim/schemes/scheme_fields.hpp"
#include "sim/workload/parallelism_names.hpp"

namespace sim {
namespace {

constexpr int kMostInnerSteps = 100'000;
constexpr NumberRange kInnerSteps = from_to(1, kMostInnerSteps);
constexpr NumberRange kSiteCounts = from_to(1, 1024);
constexpr NumberRange kBytesPerParameter = from_to(0, 1024);

using When = Condition<SiteExchange>;
constexpr When kOfCodecs{
    "codec", [](const SiteExchange& x, std::string_view) { return !x.wire.is_plain(); },
    "carries on what a codec loses, and these values travel uncompressed; remove it, or name a "
    "codec"};
constexpr When kOfRounds{
    "gradients", [](const SiteExchange& x, std::string_view) { return !x.gradients; },
    "applies to weight changes, but gradients are exchanged in every step; remove it, or write "
    "gradients = false",
    "exchanges gradients in every step"};
template <bool Exchange::*is>
constexpr When exchange_that(std::string_view why, std::string_view lack) {
  return {"exchange", [](const SiteExchange& x, std::string_view) { return x.exchange->*is; }, why,
          lack};
}
constexpr When kOfLeaders = exchange_that<&Exchange::has_leader>(
    "applies only to leader and syncer, which wait for a quorum; remove it", "has no quorum");
constexpr When kOfStates{
    "state_bytes", [](const SiteExchange& x, std::string_view) { return x.state_bytes > 0; },
    "applies to a state that the scheme does not keep; write state_bytes", "keeps no outer state"};

constexpr auto kSiteFields = joined_rows(
    choice<&SiteExchange::exchange, all_exchanges>(
        "exchange", needed("required in this table, which makes the file a scheme between sites"),
        "How the sites' values are combined. `flat_ring` is one ring over the GPUs of all sites; "
        "with the others, each GPU exchanges its shard with its counterparts at other sites: by a "
        "`ring`; by a `quantized_ring`, whose sites encode the sum anew before they pass it on; by "
        "`all_to_all`, where each site sums a part, encodes it again and sends it to all; by "
        "`all_gather`; by `grouped_gather`, which sends a value into each other region once; by "
        "`tree_gather`, where sites pass on what they receive; through object storage (`store`); "
        "with one partner per round (`pair`); through the first site (`leader`); or through the "
        "`[syncer]` of the sites file, if it has one, else through the first site (`syncer`)."),
    wire_rows<&SiteExchange::wire>({"codec", "group", "group"}, left_out("FP32, not encoded"),
                                   "values between sites"),
    field<&SiteExchange::feedback>(
        "feedback", kAny, kUsualValue,
        "Error feedback: encoding adds the error of the previous encoding.")
        .only(kOfCodecs),
    field<&SiteExchange::sent_per_byte>(
        "sent_per_byte", {.lowest = 0, .highest = 1024, .above_zero = true}, kUsualValue,
        "Bytes sent per byte of the codec's format: above 1 if codes are not packed, or if a "
        "second tensor travels too."),
    field<&SiteExchange::gradients>("gradients", kAny, kUsualValue,
                                    "Exchange the gradients of every step before its update, "
                                    "instead of a round's weight changes."),
    field<&SiteExchange::inner_steps>("inner_steps", kInnerSteps,
                                      needed("required without gradients"),
                                      "Steps inside a site between two exchanges.")
        .only(kOfRounds)
        .settable(),
    field<&SiteExchange::across_every>(
        "across_every", kSiteCounts, kUsualValue,
        "Rounds from one exchange among all sites to the next; in the rounds between, the sites of "
        "each region exchange among themselves. A region is named by the sites' `region`. Not with "
        "`flat_ring`, `pair`, `leader` and `syncer`.")
        .only(kOfRounds)
        .only(exchange_that<&Exchange::works_in_regions>(
            "does not apply to flat_ring, pair, leader and syncer; remove it",
            "does not exchange by regions"))
        .settable(),
    field<&SiteExchange::fragments>(
        "fragments", kSiteCounts, kUsualValue,
        "Parts of the model, exchanged one after another; at most `inner_steps`.")
        .only(kOfRounds)
        .settable(),
    field<&SiteExchange::delayed>(
        "delayed", kAny, kUsualValue,
        "Sites take a result when it arrives, and wait only if an exchange of `overlap_steps` "
        "before, or earlier, is still running when the next one is due.")
        .only(kOfRounds),
    field<&SiteExchange::overlap_steps>(
        "overlap_steps", from_to(0, kMostInnerSteps), left_out("0"),
        "Inner steps that overlap with the exchange; at most `inner_steps`. With `delayed`, at "
        "least 1, which is then the default.")
        .only(kOfRounds)
        .filled_by(
            [](SiteExchange& exchange) { exchange.overlap_steps = exchange.delayed ? 1 : 0; })
        .settable(),
    choice<&SiteExchange::ring_order, kRingOrders>(
        "ring_order", kUsualValue,
        "Order of the sites around a ring: that of their names, or the one that makes the ring as "
        "fast or as slow as possible. Only with rings.")
        .only(exchange_that<&Exchange::is_ring>("applies only to rings; remove it", "has no ring"))
        .settable(),
    field<&SiteExchange::fan_out>(
        "fan_out", kSiteCounts, needed("required with tree_gather"),
        "Sites that each site passes a value on to. Only with `tree_gather`.")
        .only(exchange_that<&Exchange::fans_out>("applies only to tree_gather; remove it",
                                                 "has no tree"))
        .settable(),
    field<&SiteExchange::quorum>(
        "quorum", kSiteCounts, left_out("all sites"),
        "Sites whose results the leader or the syncer waits for. Only with `leader` and `syncer`.")
        .only(kOfLeaders)
        .settable(),
    field<&SiteExchange::grace>(
        "grace", kAny, left_out("0 s"),
        "How long the leader or the syncer keeps waiting once it has a quorum.", "10 s")
        .only(kOfLeaders)
        .settable(),
    choice<&SiteExchange::optimizer, kOptimizers>(
        "optimizer", left_out("any"),
        "`optimizer` of the steps inside the sites that the scheme is defined with."),
    field<&SiteExchange::state_bytes>(
        "state_bytes", kBytesPerParameter, kUsualValue,
        "Bytes that a GPU keeps per parameter of its shard: outer weights, momentum, residual."),
    choice<&SiteExchange::outer_state, kOuterStates>(
        "outer_state", kUsualValue,
        "Where outer weights, momentum and residual are kept between exchanges. On the host, they "
        "take no GPU memory and are copied over the link of `gpu.host_bandwidth`.")
        .only(kOfRounds)
        .only(kOfStates)
        .settable(),
    field<&SiteExchange::update_bytes>(
        "update_bytes", kBytesPerParameter, kUsualValue,
        "Bytes of memory traffic of the outer update per parameter of the shard."));

std::string cannot_be_summed(const SiteExchange& x) {
  if (!x.exchange->sums_in_flight || x.wire.is_summable()) return {};
  return fmt::format(
      "{} cannot be added up in flight, as a ring does; write another exchange, "
      "such as quantized_ring or all_to_all",
      x.wire.name());
}

std::string waits_after_all(const SiteExchange& x) {
  if (!x.delayed || x.overlap_steps > 0) return {};
  return "is 0, but a delayed exchange overlaps at least one step; write 1 or more";
}

std::string too_far_apart(const SiteExchange& x) {
  const std::int64_t steps = std::int64_t{x.inner_steps} * x.across_every;
  if (steps <= kMostInnerSteps) return {};
  return fmt::format(
      "{} steps between two exchanges across regions exceed the limit of {}; write "
      "less",
      steps, kMostInnerSteps);
}

template <int SiteExchange::*steps>
std::string longer_than_a_round(const SiteExchange& x) {
  if (x.*steps <= x.inner_steps) return {};
  return fmt::format("{} exceeds the {} inner steps of a round; write less", x.*steps,
                     x.inner_steps);
}

// Where a setting changes the inner steps alone.
template <int SiteExchange::*steps>
std::string shorter_round(const SiteExchange& x) {
  if (x.*steps <= x.inner_steps) return {};
  const char* noun = steps == &SiteExchange::fragments ? "fragments" : "steps of overlap";
  return fmt::format("{} is less than the scheme's {} {}", x.inner_steps, x.*steps, noun);
}

std::string begins_without(const SiteExchange& x) {
  return x.quorum > 0 ? "" : "begins with a quorum; write quorum too";
}

constexpr Rule<SiteExchange> kSiteRules[] = {
    {"codec", {"exchange"}, cannot_be_summed},
    {"overlap_steps", {"delayed"}, waits_after_all},
    {"fragments", {"inner_steps"}, longer_than_a_round<&SiteExchange::fragments>},
    {"overlap_steps", {"inner_steps"}, longer_than_a_round<&SiteExchange::overlap_steps>},
    {"inner_steps", {"fragments"}, shorter_round<&SiteExchange::fragments>},
    {"inner_steps", {"overlap_steps"}, shorter_round<&SiteExchange::overlap_steps>},
    {"across_every", {"inner_steps"}, too_far_apart},
    {"inner_steps", {"across_every"}, too_far_apart},
    {"grace", {"quorum"}, begins_without},
};

}  // namespace

std::span<const Field<SiteExchange>> site_exchange_fields() { return kSiteFields; }
std::span<const Rule<SiteExchange>> site_exchange_rules() { return kSiteRules; }

}  // namespace sim
