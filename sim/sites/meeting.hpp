// SPDX-License-Identifier: Apache-2.0
// Meeting: the exchanges of rounds in the making. A row of sim/schemes/exchanges.hpp adds one
// exchange to the schedule: who sends what to whom, and what that waits for. Each site's payloads are
// exchanged one after another, like collectives on a stream; parts of one payload, all at once, as far
// as lines and windows carry them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/sites/plan_round.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {

class Meeting {
 public:
  using Ids = std::vector<OperationId>;

  Meeting(const WideArea& area, const RoundShape& shape, ScheduleBuilder& builder);

  // Exchanges each site's payload in equal parts. `encoded` holds, by part and place, the operation
  // that its sending waits for. Returns, by place, when all of the result is ready to be decoded;
  // kNoOperation without a result.
  Ids run(int round, const std::vector<Ids>& encoded);
  // Of the most recent part; see RoundPlan.
  [[nodiscard]] const std::vector<Ids>& arrivals() const { return arrivals_; }
  [[nodiscard]] const std::vector<Ids>& sends() const { return sends_; }
  [[nodiscard]] Fate fate(int place) const { return shape_.fate(index(place)); }
  // Ends `seconds` after all of these.
  OperationId timer(double seconds, const Ids& after);
  // The next exchanges are those of a round that began when this had ended.
  void begin_round(OperationId begun);

  // For rows. What is exchanged, ...
  [[nodiscard]] const WideArea& area() const { return area_; }
  [[nodiscard]] const RoundShape& shape() const { return shape_; }
  [[nodiscard]] int round() const { return round_; }
  // Bytes that the place's GPUs send together: all that they have to one receiver, or the part of
  // one of as many receivers as are heard.
  [[nodiscard]] double whole_bytes(int place) const { return site(place).whole_bytes * share(); }
  [[nodiscard]] double part_bytes(int place) const {
    return site(place).part_bytes * part_growth() * share();
  }
  // How many times larger parts are than if all sites were heard: those that are share the whole.
  [[nodiscard]] double part_growth() const { return group_->all / sites(heard()); }
  [[nodiscard]] OperationId encoded(int place) const { return encoded_[index(place)]; }
  // ... by whom: places whose values are in the sum, which are two or more but for a leader; those,
  // and the places that still take the result. All ascend.
  [[nodiscard]] const std::vector<int>& heard() const { return group_->heard; }
  [[nodiscard]] const std::vector<int>& present() const { return group_->present; }
  // Places that are not gone, whoever exchanges.
  [[nodiscard]] const std::vector<int>& all_present() const { return all_.present; }
  // The place's number of a region.
  [[nodiscard]] int region(int place) const { return regions_[index(place)]; }
  [[nodiscard]] bool is_heard(int place) const { return fate(place) == Fate::heard; }
  [[nodiscard]] bool is_present(int place) const { return fate(place) != Fate::gone; }

  // Places stand for all that are alike (sim/sites/alike_places.hpp): how many sites that is, and how
  // many a site of the one has to send to at the other, which may be the same place.
  [[nodiscard]] int sites(int place) const;
  [[nodiscard]] int sites(const std::vector<int>& places) const;
  [[nodiscard]] int others(int place, int at) const { return sites(at) - (place == at ? 1 : 0); }
  // The hops of one from a site to another: several where their link is dead.
  [[nodiscard]] std::vector<Hop> hops(const Hop& direct) const;
  // All sites that are heard, in the order of the ring: where regions exchange, region by region
  // instead of as given.
  [[nodiscard]] const std::vector<int>& ring();
  // All places, whatever their fate, in an order that does not depend on their names
  // (sim/sites/pairings.hpp).
  [[nodiscard]] const std::vector<int>& by_kind();
  // The place that stands for a site.
  [[nodiscard]] int stands_for(int site) const { return stands_for_[index(site)]; }

  // What a message of the place follows: its earlier exchanges, and the operation.
  [[nodiscard]] Ids ready(int place, OperationId waits_for) const;
  // Sends bytes from each site of a place to each other one of another; `peers` concurrent messages
  // share what sending takes from the source's GPUs.
  OperationId send(int source, int destination, double bytes, int peers, const Ids& after);
  // Sends all that each site of a place has to the site or the syncer that sums it. It follows what
  // the place has handed in before, while the results of that may still be on their way.
  OperationId hand_in(int place, int leader);
  // What each site of the source has stored, by each other one of the receiver.
  OperationId download(int source, int receiver, double bytes, const Ids& after);
  // One flow over all hops of a route at once, sent by the places that are heard.
  OperationId flow(Route route, std::string_view label, double latency_s, double bytes,
                   const Ids& after);
  // At the place, what waits for an operation of its own and for what it receives.
  OperationId member(int place, std::string_view label, OperationId waits_for, const Ids& received);
  // The place sums what has arrived for others, so many times.
  OperationId sum(int place, OperationId arrived, double times = 1);
  // The syncer does, one exchange after another.
  OperationId sum_apart(OperationId arrived);
  OperationId all_of(const Ids& ids) { return builder_.barrier(ids); }
  // When nobody waits for another site any more; kNoOperation: they wait forever.
  OperationId cutoff();
  // The same, where some are not heard.
  void add_cutoff(Ids& waits);
  // The message ends then, whatever of it has arrived.
  void give_up(OperationId message, OperationId when) { builder_.give_up(message, when); }
  // When a leader no longer waits for them, after what the quorum has handed in, by place.
  void add_grace(const Ids& handed_in, Ids& waits);

  // The place's values have arrived at a site that it sends to; its result is there.
  void arrive(int place, OperationId at) { arrivals_[index(place)].push_back(at); }
  void finish(int place, OperationId at) { results_[index(place)] = at; }
  // Every place has its result once it has received all of these, by place, and after the cutoff.
  void finish_all(std::vector<Ids> received, std::string_view label);

 private:
  static std::size_t index(int place) { return static_cast<std::size_t>(place); }
  [[nodiscard]] const SiteWork& site(int place) const { return shape_.work(round_)[index(place)]; }
  // Places that exchange among themselves.
  struct Group {
    std::vector<int> places;  // whatever their fate
    std::vector<int> heard, present;
    double all = 0;                  // sites of all places
    std::vector<int> ring, by_kind;  // once they were asked for
  };
  void add(Group& group, int place) const;
  Ids run_part(const Ids& encoded);
  void run_in(Group& group);
  // The exchange is over once all that are heard have its result. What those that are not heard still
  // send or receive is given up then, unless a leader sums it later.
  void give_up_the_rest();
  // What places that have left still receive is given up when they are lost.
  void give_up_for_the_left();
  void wait_alone();
  void wait_until_anew();
  // Of so many of the flows that make up a place's traffic.
  std::uint32_t occupancy(std::span<const int> places, int flows, int all);
  // Of the payload, that a part is.
  [[nodiscard]] double share() const { return 1 / static_cast<double>(parts_); }
  OperationId whole_member(int place, std::string_view label, OperationId waits_for,
                           const Ids& received);
  std::uint32_t beside_parts(std::span<const int> places, int flows, double slowdown);
  OperationId flow_over(Route route, std::uint32_t occupancy, std::string_view label,
                        double latency_s, double bytes, const Ids& after);
  OperationId message(Hop hop, std::uint32_t occupancy, double bytes, const Ids& after);

  const WideArea& area_;
  const RoundShape& shape_;
  ScheduleBuilder& builder_;
  std::optional<WideTopology> topology_;  // where some link is dead
  std::vector<int> regions_;              // by place
  std::vector<int> stands_for_;           // by site: the place that does
  Group all_;
  std::vector<Group> in_region_;  // by region
  Group* group_ = nullptr;        // of the exchange in the making
  int round_ = 0;
  std::size_t parts_ = 1;  // of the payload
  // By place, if the payload has several parts: the last exchange before it, and the ends of its parts.
  Ids before_;
  std::vector<Ids> ended_;
  Ids encoded_, results_;
  Ids handed_in_;                            // by place: most recently
  OperationId summed_apart_ = kNoOperation;  // most recently
  std::vector<Ids> arrivals_, sends_;
  // Of the exchange in the making: its messages, and the places that receive those to one of them.
  Ids messages_;
  std::vector<std::pair<OperationId, int>> received_;
  OperationId begun_ = kNoOperation;                         // see begin_round()
  OperationId cutoff_ = kNoOperation, anew_ = kNoOperation;  // of the round
  std::map<std::vector<int>, std::uint32_t> occupancies_;    // by places, then flows and all
};

}  // namespace sim
