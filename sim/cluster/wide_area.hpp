// WideArea: sites that train together, each a cluster of its own, and the network between them, as
// a TOML file with a table [sites] describes them.
//
//   site a ─uplink─►┐                          ┌─downlink─► site b
//                   ├─ a link of the pair, or ─┤
//   site c ─uplink─►┘    the backbone          └─downlink─► site d
//
// Rates are per direction. A rate may change with time, periodically or once; at rate 0 what
// crosses a link waits until it is back.
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
#include "sim/cluster/cluster.hpp"
#include "sim/cluster/transport.hpp"

namespace sim {

// From `at` on: this share of the link's rate, 0 for an outage.
struct ShareChange {
  Seconds at;
  double share = 1;
};

// How a link's rate varies: all of it until the first change. Both keys are optional.
struct Variation {
  std::vector<ShareChange> changes;  // `changes = ["100 s: 0.5", "200 s: 0", "260 s: 1"]`
  std::optional<Seconds> repeats;    // from then on all of it again, and the changes anew
};

// One table of [sites.NAME]: `count` equal sites; 0 leaves them out.
struct Site {
  std::string name;
  int count = 1;
  Cluster cluster;  // what is used of it: `nodes`, with its GPUs' clocks under the power cap
  Bandwidth uplink, downlink;
  BytePrice egress;                // of what it sends
  std::optional<Watts> power_cap;  // of all its GPUs together
  double speed = 1;  // of its steps, against what its GPUs do: a peer that is slowed otherwise
  std::optional<Seconds> late;       // after the others it begins the round
  std::optional<Seconds> drops_out;  // into the round, for good
  Variation variation;               // of uplink and downlink
};

// The path of pairs of sites: [backbone] for all that have none of their own, or [links.NAME].
struct WideLink {
  std::string name;
  std::vector<std::string> between = {};  // names of two tables of sites; none: the backbone
  std::optional<Bandwidth> bandwidth;     // per direction, of all that takes it; none: no limit
  Seconds latency;                        // one way
  double loss = 0;                        // share of packets
  double background = 0;                  // share of the bandwidth that others use
  DollarRate price;                       // of leasing it
  Variation variation;
};

// [store]: object storage that relays: each site uploads once, the others download.
struct Store {
  Bandwidth upload, download;  // of one site's transfers, as the storage serves them
  Seconds request;             // latency of a request, before the first byte
  Seconds latency;             // one way, from any site
  BytePrice egress;            // of what is downloaded
};

struct WideArea {
  std::string name;     // the file's stem
  std::string summary;  // one line for `list`
  Transport transport;
  std::vector<Site> sites;  // by table, in the order of their names
  std::optional<WideLink> backbone;
  std::vector<WideLink> links;
  std::optional<Store> store;
};

// What a file of sites may hold.
[[nodiscard]] std::span<const TomlKey> wide_area_keys();

// Whether the text is of sites rather than of one cluster: a line of it opens, or assigns to, what
// belongs to `sites` or `wan`. The text need not be right otherwise.
[[nodiscard]] bool has_sites(std::string_view text);

// The file that a site's `cluster` names. Throws InputError where there is none.
using ClusterFile = std::function<std::filesystem::path(const std::string& name)>;

// Reads a file of sites after replacing the keys of `settings`. Throws InputError naming every
// wrong, missing and unknown key at once.
[[nodiscard]] WideArea parse_wide_area(std::string_view text, const std::filesystem::path& file,
                                       const ClusterFile& cluster_file,
                                       std::span<const Setting> settings = {});

// --- What follows from it. A place is one site: those of the first table first.

[[nodiscard]] int place_count(const WideArea& area);
[[nodiscard]] const Site& site_of(const WideArea& area, int place);
// "east", or "peer_3" where the table stands for several.
[[nodiscard]] std::string place_name(const WideArea& area, int place);
// The path between two sites: an index into `links`, or -1 for the backbone.
[[nodiscard]] int link_between(const WideArea& area, int place_a, int place_b);
[[nodiscard]] const WideLink& path_between(const WideArea& area, int place_a, int place_b);

// With so many sites of each table, and without what nobody is left of or sends over.
[[nodiscard]] WideArea with_counts(WideArea area, std::span<const int> counts);

// `count` sites of one GPU whose lines alone limit anything, on a backbone without latency: for
// closed forms, and for studies that know times and bytes already.
[[nodiscard]] WideArea sites_of_lines(int count, Bandwidth uplink, Bandwidth downlink);

// The GPU under a power cap of `share` of its power. Dynamic power goes with the cube of the clock
// (C V^2 f, and V with f: Hennessy and Patterson, "Computer Architecture", 1.5), so the arithmetic
// rates fall with the cube root; the memory's clock is its own.
[[nodiscard]] Gpu power_capped(Gpu gpu, double share);

}  // namespace sim
