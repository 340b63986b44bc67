// SPDX-License-Identifier: Apache-2.0
// plan_round(): rounds of several sites as a schedule whose ranks are the sites.
//
//   site a  [500 inner steps]─[encode]─┐                  ┌─[decode, outer update]─[inner steps...
//   site b  [500 inner steps]─[encode]─┼─► flows over ────┤
//   site c  [500 inner steps]─[encode]─┘   the wide area  └─ after as many steps as may overlap
//
// Inner steps enter as times: each kind of site has been simulated on its own fabric. Sites may take
// unlike numbers of steps in a round: a site sends each fragment after the same share of its own, and
// what overlaps steps overlaps so many of its own. Bytes are totals over all GPUs of a site. One of the places that do the same stands for all
// (sim/sites/alike_places.hpp): the others have no operations of their own.
#pragma once

#include <optional>
#include <vector>

#include "sim/schedule/builder.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/topology/wide_area.hpp"

namespace sim {

// Copies between a site's GPUs and their hosts, for one exchange (sim/rounds/host_copies.hpp).
struct HostCopies {
  double fetch_s = 0;    // before the encoding
  double load_s = 0;     // of outer state to the GPUs, before the update
  double weights_s = 0;  // of new weights to the GPUs, after an update on the hosts
  double store_s = 0;  // of outer state to the hosts, beside later steps if exchanges overlap some
  [[nodiscard]] double total_s() const { return fetch_s + load_s + weights_s + store_s; }
  bool operator==(const HostCopies&) const = default;
};

// The work of one site. Kernel times are for one exchange: of a fragment, or of a step's gradients.
struct SiteWork {
  int inner_steps = 0;  // H of its own; 0: the round's
  double step_s = 0;    // an inner step, alone
  // Of its steps beside traffic of other sites, whatever its rate; beside parts of a payload, in
  // proportion to their rate, as large as that at this one.
  double slowdown = 1;
  double slowdown_Bps = 0;
  // Times within the sending step, ascending, at which equal parts of the payload become available,
  // as many at each site; and the time at which a blocking result is needed.
  std::vector<double> ready_s;
  double needed_s = 0;
  double encode_s = 0;
  double sum_s = 0;     // of its own part, and to encode the sum again if it travels on
  double decode_s = 0;  // of the result
  double update_s = 0;
  HostCopies copies;
  double whole_bytes = 0;  // sent whole to one receiver
  double part_bytes = 0;   // of one part, with as many parts as sites
  double start_s = 0;      // delay before each of its rounds
  bool operator==(const SiteWork&) const = default;
};

// The fate of a site in every round.
enum class Fate {
  heard,    // its share is in the round's sum
  skipped,  // it came too late: the others continued, and it takes their result
  gone      // it dropped out, or the others do not reach it
};

// How long a leader waits in each exchange for others than the quorum, after these places.
struct Grace {
  std::vector<int> quorum;
  double seconds = 0;
};

struct RoundShape {
  const Exchange* exchange = &exchanges::ring;
  int inner_steps = 1;
  int across_every = 1;  // rounds from one exchange of all sites to the next
  int fragments = 1;
  int overlap_steps = 0;
  // Waits for results only before the first exchange that is overlap_steps later or more.
  bool delayed = false;
  RingOrder ring_order = RingOrder::given;
  int fan_out = 0;
  int rounds = 1;
  int gpus = 1;                 // of all sites: the flat ring's ranks
  double syncer_sum_s = 0;      // of what all sites hand in for one exchange, by the syncer
  double flat_hop_s = 0;        // mean latency of a flat ring's hops inside sites
  std::vector<SiteWork> sites;  // by place
  // By place, of rounds in which the sites of each region exchange; none if all rounds are across.
  std::vector<SiteWork> in_region = {};
  std::vector<Fate> fates = {};  // by place; none: all are heard
  // Places that are lost after they were heard, before they have the result: nobody waits until they do.
  std::vector<int> left = {};
  // From the start of each round, when the heard sites continue without the others.
  std::optional<double> cutoff_s = {};
  std::optional<Grace> grace = {};
  // From the start of each round, when the others begin anew: the leader of their exchange is lost.
  std::optional<double> anew_s = {};
  // To see when each site is heard: none waits for what others send, or hides that they are late.
  bool apart = false;
  bool whole = false;  // every site is planned, those that do the same too (alike_places())

  [[nodiscard]] Fate fate(std::size_t place) const {
    return fates.empty() ? Fate::heard : fates[place];
  }
  // Inner steps of a place in a round.
  [[nodiscard]] int steps(std::size_t place) const {
    return sites[place].inner_steps > 0 ? sites[place].inner_steps : inner_steps;
  }
  // Rounds from one to the next of its kind: across regions, or of the same pairs.
  [[nodiscard]] int cycle() const;
  [[nodiscard]] bool is_across(int round) const { return round % across_every == 0; }
  // The first place that is heard, if it leads the exchange; -1: none does.
  [[nodiscard]] int leader() const;
  // Whether a leader takes into a later sum what a site has handed in too late for this one.
  [[nodiscard]] bool sums_later() const { return delayed && exchange->has_leader; }
  // Of each place in a round.
  [[nodiscard]] const std::vector<SiteWork>& work(int round) const {
    return is_across(round) ? sites : in_region;
  }
};

struct RoundPlan {
  Schedule schedule;
  // By round: the first of its operations. It ends when the round begins.
  std::vector<OperationId> begins;
  // By round and place: the last operation of its last step.
  std::vector<std::vector<OperationId>> ends;
  // By round and place: arrival of the round's last result; kNoOperation if none comes.
  std::vector<std::vector<OperationId>> results;
  // By place: arrivals of its last message of the first round, or of each round with another partner, at
  // each site that it sends to; or when the message is ready, if nothing is sent to a single site.
  std::vector<std::vector<OperationId>> arrivals;
  // By place: all that it sends or passes on in the same exchanges, which break if the place drops out
  // before. Its own sums and its share of a ring are among it; of what it hands in to storage or a
  // syncer, only the way there.
  std::vector<std::vector<OperationId>> sends;
};

// Throws std::logic_error unless the shape matches the area's places, and every place has a step for
// each fragment.
[[nodiscard]] RoundPlan plan_round(const WideArea& area, const RoundShape& shape);

}  // namespace sim
