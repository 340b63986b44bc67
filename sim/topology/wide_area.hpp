// SPDX-License-Identifier: Apache-2.0
// WideArea: sites that train together, each a cluster of its own, and the network between them, as
// described by a TOML file with a table [sites].
//
//   site a ─uplink─►┐                          ┌─downlink─► site b
//                   ├─ a link of the pair, or ─┤
//   site c ─uplink─►┘    the backbone          └─downlink─► site d
//
// Rates are per direction. A rate may change with time, periodically or once; at rate 0, traffic
// over a link waits until the link is back.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/setting.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/base/units.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/transport.hpp"

namespace sim {

// The share of the link's rate from `at` on; 0 for an outage.
struct ShareChange {
  Seconds at;
  double share = 1;
};

// How a link's rate varies: the full rate until the first change. Both keys are optional.
struct Variation {
  std::vector<ShareChange> changes;  // `changes = ["100 s: 0.5", "200 s: 0", "260 s: 1"]`
  std::optional<Seconds> repeats;    // then the full rate again, and the changes anew
};

// How the sites of a table train where the job does not say it for them: fields named as the job's.
struct SiteSetup {
  std::optional<int> micro_batch, accumulation;
  std::optional<int> tensor, pipeline;  // `tp`, `pp`
  std::optional<int> zero;              // stage
  std::string inner_scheme = {};        // of a shipped one; none: the job's
  std::optional<int> inner_steps;       // in a round
  bool operator==(const SiteSetup&) const = default;
};

// Of a file.
inline constexpr int kMostPlaces = 16'384;

// One table [sites.NAME]: `count` equal sites; 0 leaves them out.
struct Site {
  std::string name;
  int count = 1;
  Cluster cluster;  // the part in use: `nodes`, with GPU clocks under the power cap
  Bandwidth uplink, downlink;
  BytePrice egress;                // for sent traffic
  std::optional<Watts> power_cap;  // for all its GPUs together
  std::string region = {};         // with whom it exchanges more often; none: it is one of its own
  double speed = 1;  // of its steps, relative to its GPUs: for a peer slowed by other causes
  std::optional<Seconds> late;       // its delay at the start of a round
  std::optional<Seconds> drops_out;  // its permanent failure, from the start of the round
  // It comes and goes: means, of exponential laws, of the times from joining until it leaves and from
  // there until it is back. None: it stays.
  std::optional<Seconds> stays, returns_after;
  Variation variation;   // of uplink and downlink
  SiteSetup setup = {};  // of its own
};

// The path between pairs of sites: [links.NAME], or [backbone] for all pairs without a link.
struct WideLink {
  std::string name;
  std::vector<std::string> between = {};  // names of two tables of sites; none: the backbone
  std::optional<Bandwidth> bandwidth;  // per direction, shared by all its traffic; none: no limit
  Seconds latency;                     // one way
  double loss = 0;                     // share of packets
  double background = 0;               // share of the bandwidth taken by others
  DollarRate price;                    // of the lease
  Variation variation;
  bool dead = false;  // of a link: carries nothing; other sites pass its traffic on
};

// [store]: object storage as a relay: each site uploads once, the others download.
struct Store {
  Bandwidth upload, download;  // of one site's transfers, at the storage
  Seconds request;             // latency of a request, before the first byte
  Seconds latency;             // one way, from any site
  BytePrice egress;            // for downloads
};

// [syncer]: hosts apart from the sites that sum what they exchange, and send the sum to all.
struct Syncer {
  Bandwidth uplink, downlink;  // of all its hosts, shared by the transfers of all sites
  Seconds latency;             // one way, to any site
  BytePrice egress;            // for what it sends
  std::optional<Bandwidth> memory_bandwidth;  // of all its hosts; none: they sum in no time
};

// [membership]: one of the sites that are there writes the outer state to a storage.
struct OuterCheckpoints {
  int rounds = 0;             // from one checkpoint to the next
  Bandwidth bandwidth;        // of one site's transfers, at the storage
  bool asynchronous = false;  // written beside the rounds that follow
  bool operator==(const OuterCheckpoints&) const = default;
};

struct WideArea {
  std::string name;     // the file's stem
  std::string summary;  // one line for `list`
  Transport transport;
  std::vector<Site> sites;  // by table, in the order of their names
  std::optional<WideLink> backbone;
  std::vector<WideLink> links;
  std::optional<Store> store;
  std::optional<Seconds> detection;             // until the others notice that a site has left
  std::optional<OuterCheckpoints> checkpoints;  // none: the outer state is never lost
  std::optional<Syncer> syncer;
};

// The keys of a file of sites.
[[nodiscard]] std::span<const TomlKey> wide_area_keys();

// Whether the text describes sites rather than one cluster: one of its lines opens, or assigns to,
// a part of `sites` or `wan`. The text may have errors elsewhere.
[[nodiscard]] bool has_sites(std::string_view text);

// The file named by a site's `cluster`. Throws InputError if there is none.
using ClusterFile = std::function<std::filesystem::path(const std::string& name)>;

// Reads a file of sites after replacing the keys of `settings`. Throws an InputError that reports
// every wrong, missing and unknown key.
[[nodiscard]] WideArea parse_wide_area(std::string_view text, const std::filesystem::path& file,
                                       const ClusterFile& cluster_file,
                                       std::span<const Setting> settings = {});

// --- Derived values. A place is one site; places follow the order of the tables.

[[nodiscard]] int place_count(const WideArea& area);
[[nodiscard]] std::vector<int> all_places(const WideArea& area);         // 0, 1, ...
[[nodiscard]] int first_place(const WideArea& area, std::size_t table);  // of the table's sites
[[nodiscard]] const Site& site_of(const WideArea& area, int place);
// "east", or "peer_3" if the table stands for several sites.
[[nodiscard]] std::string place_name(const WideArea& area, int place);
// By place, the number of its region, in the order of their first places. Sites that name none are
// regions of their own.
[[nodiscard]] std::vector<int> regions_of(const WideArea& area);
// The path between two sites: an index into `links`, or -1 for the backbone.
[[nodiscard]] int link_between(const WideArea& area, int place_a, int place_b);
[[nodiscard]] const WideLink& path_between(const WideArea& area, int place_a, int place_b);
// Whether any link is dead, and whether that between two sites is.
[[nodiscard]] bool has_dead_link(const WideArea& area);
[[nodiscard]] bool is_dead_between(const WideArea& area, int place_a, int place_b);

// When a site's line goes down to stay down; and when the others lose the site for good: it drops out, or
// its line does.
[[nodiscard]] std::optional<Seconds> line_down_at(const Site& site);
[[nodiscard]] std::optional<Seconds> lost_at(const Site& site);
// With lines that stay up where they would go down to stay down: their sites drop out then instead.
[[nodiscard]] WideArea with_drop_outs(WideArea area);

// Whether any site comes and goes.
[[nodiscard]] bool has_comers(const WideArea& area);
// Share of the time in which a site of the table is there, ready or not.
[[nodiscard]] double present_share(const Site& site);

// Of one site of the table, while it is there: its GPUs and the network between them.
[[nodiscard]] DollarRate price_of(const Site& site);
// Of all leased links.
[[nodiscard]] DollarRate lease_price(const WideArea& area);

// With these numbers of sites per table, and without tables that are then empty or links that are
// then unused.
[[nodiscard]] WideArea with_counts(WideArea area, std::span<const int> counts);

// `count` sites of one GPU, limited only by their uplinks and downlinks, on a backbone without
// latency: for closed forms, and for studies with known times and bytes.
[[nodiscard]] WideArea sites_of_lines(int count, Bandwidth uplink, Bandwidth downlink);

}  // namespace sim
