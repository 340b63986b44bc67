// SPDX-License-Identifier: Apache-2.0
// The keys of [sites.NAME], [links.NAME] and [backbone], whose rates may vary.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "sim/base/number_text.hpp"
#include "sim/topology/ranks.hpp"
#include "sim/topology/wide_area_fields.hpp"

namespace sim {
namespace {

constexpr NumberRange kSiteCounts = from_to(1, 65'536);
constexpr int kMostSteps = 100'000;  // inner steps of a round, as a scheme's
// What idle GPUs draw, about: 70 W of an H100's 700.
constexpr double kIdlePower = 0.1;
// A simulation plays every change until the slowest transfer ends: rounds of days need that.
constexpr Seconds kShortestSpacing = Seconds::from_base(1);

// "100 s: 0.5": from then on that share of the rate.
std::optional<ShareChange> parse_change(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const auto at = parse_quantity<Seconds>(std::string_view(text).substr(0, colon));
  const auto share = parse_number(std::string_view(text).substr(colon + 1)).value;
  if (!at.value || at.value->base() <= 0 || !share || !(*share >= 0 && *share <= 1)) {
    return std::nullopt;
  }
  return ShareChange{*at.value, *share};
}

template <class T>
void read_changes(TomlReader& reader, std::string_view key, const Field<T>&, T& into) {
  std::vector<ShareChange>& changes = into.variation.changes;
  for (const std::string& text : reader.texts(key)) {
    const auto change = parse_change(text);
    if (!change) {
      return reader.wrong(key, fmt::format("'{}' is not TIME: SHARE; write e.g. \"100 s: 0.5\", a "
                                           "time above 0 and a share from 0 (down) to 1",
                                           printable(text)));
    }
    if (!changes.empty() && change->at <= changes.back().at) {
      return reader.wrong(
          key,
          fmt::format("'{}' does not come after '{} s'; write the changes in chronological order",
                      printable(text), changes.back().at.base()));
    }
    changes.push_back(*change);
  }
}

// Of a site or a path, as are its fields.
template <class T>
std::string bad_period(const T& of) {
  const auto& [changes, period] = of.variation;
  if (changes.empty()) return "without changes there is nothing to repeat; add changes";
  if (*period <= changes.back().at) {
    return "does not exceed the time of the last change; write a longer period";
  }
  if (*period >= kShortestSpacing * static_cast<double>(changes.size())) return {};
  return fmt::format("is less than {} s per change; write a longer period",
                     kShortestSpacing.base());
}

template <class T>
constexpr Field<T> changes_field(std::string_view meaning) {
  return {.name = "changes",
          .usual = left_out("the rate never changes"),
          .meaning = meaning,
          .value = field_values::words<field_values::Texts>,
          .read = read_changes<T>};
}

template <class T>
constexpr Field<T> kRepeatsField = field<&T::variation, &Variation::repeats>(
    "repeats", kAboveZero, left_out("the changes happen once"),
    "Period after which the changes start over.", "24 h");

template <class T>
constexpr Rule<T> kRepeatsRule = {"repeats", {"changes"}, bad_period<T>};

constexpr Usual kOfTheJob = left_out("the job's");

constexpr Field<Site> kSiteFields[] = {
    field<&Site::count>("count", from_to(0, kMostPlaces), kUsualValue,
                        "Number of identical sites that this table describes, named `NAME_0`, "
                        "`NAME_1`, ... in reports; 0 leaves them out."),
    field<&Site::cluster, &Cluster::name>(
        "cluster", kAny, kRequired,
        "Cluster at the site: a shipped topology, or a file next to this one."),
    field<&Site::cluster, &Cluster::nodes>(
        "nodes", kSiteCounts, left_out("all nodes of the cluster"),
        "Number of the cluster's nodes to use, starting with the first."),
    field<&Site::power_cap>("power_cap", kAboveZero, left_out("no limit"),
                            "Power limit for all GPUs of the site together. If they would "
                            "otherwise draw more, their clock rate is reduced in proportion to the "
                            "square root of the limit.",
                            "100 kW"),
    field<&Site::uplink>("uplink", kAboveZero, kRequired, "Bandwidth out of the site.", "10 Gbps"),
    field<&Site::downlink>("downlink", kAboveZero, kRequired, "Bandwidth into the site.",
                           "10 Gbps"),
    field<&Site::egress>("egress", kAny, kRequired, "Price of the traffic that the site sends."),
    field<&Site::region>("region", kAny, left_out("a region of its own"),
                         "Region of the site: schemes with `across_every` exchange more often "
                         "inside regions than between them."),
    field<&Site::speed>("speed", from_to(0.001, 1), kUsualValue,
                        "Speed of the site's steps, relative to the full speed of its GPUs."),
    field<&Site::setup, &SiteSetup::micro_batch>("micro_batch", kSiteCounts, kOfTheJob,
                                                 "Sequences of a micro-batch at the site."),
    field<&Site::setup, &SiteSetup::accumulation>(
        "accumulation", kSiteCounts, kOfTheJob,
        "Micro-batches of an inner step, of each replica at the site."),
    field<&Site::setup, &SiteSetup::tensor>("tp", kSiteCounts, kOfTheJob,
                                            "Tensor parallelism inside the site."),
    field<&Site::setup, &SiteSetup::pipeline>("pp", kSiteCounts, kOfTheJob,
                                              "Pipeline parallelism inside the site."),
    field<&Site::setup, &SiteSetup::zero>(
        "zero", from_to(0, 3), kOfTheJob,
        "ZeRO stage inside the site; the software stays that of the job."),
    field<&Site::setup, &SiteSetup::inner_scheme>(
        "inner_scheme", kAny, kOfTheJob,
        "Shipped scheme for weights and gradients inside the site. Unless `zero` is given, it runs "
        "at the job's stage if it is defined there."),
    field<&Site::setup, &SiteSetup::inner_steps>(
        "inner_steps", from_to(1, kMostSteps), left_out("the scheme's"),
        "Inner steps of the site in a round; for schemes that exchange in every step, 1 whatever "
        "is written."),
    field<&Site::late>("late", kAny, left_out("0 s"), "Delay before the site begins each round.",
                       "10 s"),
    field<&Site::drops_out>("drops_out", kAny, left_out("never"),
                            "Time into a round at which the site is lost. The time of a round is "
                            "that of one in which the others miss it.",
                            "60 s"),
    field<&Site::stays>("stays", kAboveZero, left_out("for ever"),
                        "Mean time from joining until the site leaves, of an exponential law: "
                        "`run` then adds what a month brings.",
                        "12 h"),
    field<&Site::returns_after>("returns_after", kAboveZero, needed("required with stays"),
                                "Mean time from leaving until the site is back, of an exponential "
                                "law. It then loads the weights and the optimizer's state, and "
                                "takes part from the next round on.",
                                "2 h")
        .only({"stays", [](const Site& site, std::string_view) { return site.stays.has_value(); },
               "applies to a site that leaves; write stays, or remove it"}),
};
// These stand after [membership] in the list of keys.
constexpr Field<Site> kSiteChanges[] = {
    changes_field<Site>(
        "Changes in the rate of the site's uplink and downlink, in chronological order. "
        "`\"100 s: 0.5\"`: half the rate from 100 s on; 0 is an outage."),
    kRepeatsField<Site>,
};

std::string starved(const Site& site) {
  const Watts full = gpu_power(site.cluster);
  if (full <= Watts{}) {
    return fmt::format("the GPUs of {} have no power; set gpu.power in its file",
                       site.cluster.name);
  }
  if (*site.power_cap / full >= kIdlePower) return {};
  return fmt::format("is less than the {} that its {} GPUs draw when idle; write more",
                     to_text(full * kIdlePower), rank_count(site.cluster));
}

constexpr Rule<Site> kSiteRules[] = {{"power_cap", {"cluster", "nodes"}, starved},
                                     kRepeatsRule<Site>};

constexpr bool limits(const WideLink& link, std::string_view) { return link.bandwidth.has_value(); }

constexpr Field<WideLink> kLinkFields[] = {
    field<&WideLink::between>("between", kAny, kRequired,
                              "Names of the two `[sites]` tables that the link joins; the same "
                              "name twice joins the sites of that table to each other."),
    field<&WideLink::bandwidth>(
        "bandwidth", kAboveZero, left_out("no limit"),
        "Bandwidth per direction, shared by all pairs of sites that the link joins.", "10 Gbps"),
    field<&WideLink::latency>("latency", kAny, kRequired, "One-way latency.", "30 ms"),
    field<&WideLink::loss>("loss", from_to(0, 0.5), kRequired, "Fraction of packets lost.",
                           "0.0001"),
    field<&WideLink::background>("background", from_to(0, 0.999), kUsualValue,
                                 "Fraction of `bandwidth` taken by other traffic.", "0.1")
        .only({"bandwidth", limits,
               "is a fraction of the bandwidth, which is missing; add bandwidth"}),
    field<&WideLink::price>("price", kAny, kUsualValue, "Price of the lease.", "50 USD/h"),
    changes_field<WideLink>("Changes in the rate of the path, in chronological order. "
                            "`\"100 s: 0.5\"`: half the rate from 100 s on; 0 is an outage.")
        .only({"bandwidth", limits,
               "are fractions of the bandwidth, which is missing; add bandwidth"}),
    kRepeatsField<WideLink>,
    field<&WideLink::dead>("dead", kAny, kUsualValue,
                           "Whether the link carries nothing. Other sites then pass its traffic "
                           "on, by the fastest way."),
};

// Those of a link but for `between` and `dead`.
constexpr auto kBackboneFields = [] {
  std::array<Field<WideLink>, std::size(kLinkFields) - 2> fields{};
  std::copy_n(kLinkFields + 1, fields.size(), fields.begin());
  fields.front().meaning =
      "Combined bandwidth of both directions, shared by all pairs of sites without a link.";
  return fields;
}();

std::string not_a_pair(const WideLink& link) {
  if (link.between.size() == 2) return {};
  return fmt::format("has {} names; name two tables of sites, e.g. [\"east\", \"west\"]",
                     link.between.size());
}

constexpr Rule<WideLink> kLinkRules[] = {{"between", {}, not_a_pair}, kRepeatsRule<WideLink>};

}  // namespace

Watts gpu_power(const Cluster& cluster) { return cluster.gpu.power * rank_count(cluster); }

std::span<const Field<Site>> site_fields() { return kSiteFields; }
std::span<const Field<Site>> site_changes() { return kSiteChanges; }
std::span<const Rule<Site>> site_rules() { return kSiteRules; }
std::span<const Field<WideLink>> backbone_fields() { return kBackboneFields; }
std::span<const Field<WideLink>> link_fields() { return kLinkFields; }
std::span<const Rule<WideLink>> link_rules() { return kLinkRules; }

}  // namespace sim
