// SPDX-License-Identifier: Apache-2.0
// Platform: a wiring's links as SimGrid links, and a routing zone that gives each flow its route. Very
// many routes over few links are shared by FairShares instead.
#pragma once

#include <functional>
#include <memory>
#include <simgrid/s4u.hpp>
#include <span>
#include <unordered_map>
#include <vector>

#include "sim/engine/fair_model.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

// Of a flow that SimGrid shall never end.
inline constexpr double kEndlessBytes = 1e18;

// Sets SimGrid's options. Call it once, before the Engine exists.
void configure_network_model();

// Both ends of every flow: the route depends on the flow, not on the hosts, so two hosts suffice.
class Platform {
 public:
  Platform(const Wiring& wiring, std::span<const Outage> outages);

  // Calls `ended` for each flow that ends, but is not stopped. Call it once, before anything else.
  void on_end(std::function<void(std::uintptr_t tag, bool failed)> ended);

  // Applies from now on; at 0, flows over the link wait.
  void set_rate(LinkId link, double rate_Bps);
  // Starts `bytes` over the route, with as many shares of its links as `channels`; `tag` must be
  // unique among running flows. False if a link of the route is down.
  bool start_flow(std::uint32_t route, double bytes, double channels, std::uintptr_t tag);
  // Of a flow that is under way: its bytes that are left; sets them, and its channels.
  [[nodiscard]] double left_of_flow(std::uintptr_t tag);
  void change_flow(std::uintptr_t tag, double bytes, double channels);
  // Holds a flow that is under way at a rate, until it is let go; one that has ended is let go already.
  // Nothing is held where FairShares shares the links: between sites, whose flows have no latency on
  // the way.
  void hold_flow(std::uintptr_t tag, double rate_Bps);
  void let_go(std::uintptr_t tag);
  // Starts what is always under way. Call it once, before any other flow begins.
  void start_background();
  // Whether only flows that begin and end change rates, as SimGrid shares them: no other traffic, no rate
  // that changes, and no link that fails.
  [[nodiscard]] bool is_steady() const;
  // As for_each_rate() has it.
  [[nodiscard]] double rate_of_flow(std::uintptr_t tag) const;
  // Ends a flow whatever is left of it.
  void stop_flow(std::uintptr_t tag);
  // Bytes per second of each running flow, as of SimGrid's last sharing of the links, when time
  // advanced.
  void for_each_rate(const std::function<void(std::uintptr_t tag, double rate_Bps)>& visit) const;

 private:
  void add_links(const Wiring& wiring, std::span<const Outage> outages,
                 simgrid::s4u::NetZone& zone);
  void add_route(const std::vector<Crossing>& crossings, const Wiring& wiring);
  // False if the flow was stopped, or had ended before.
  bool end_flow(std::uintptr_t tag);
  simgrid::s4u::CommPtr start_over(std::uint32_t route, double bytes, double channels,
                                   std::uintptr_t tag);
  [[nodiscard]] bool is_down(std::uint32_t route) const;

  struct Rate {  // of a unit
    double now_Bps = 0;
    double most_Bps = 0;  // highest of all its changes
  };

  std::shared_ptr<FairModel> fair_;                 // if it shares the links, instead of SimGrid
  std::vector<const simgrid::s4u::Link*> failing_;  // with outages
  std::vector<simgrid::s4u::Link*> links_;          // by LinkId; null: unused
  std::vector<Rate> rates_;                         // by LinkId
  std::vector<int> units_;                          // by LinkId: shares that routes count as one
  std::vector<std::vector<simgrid::kernel::resource::StandardLinkImpl*>> routes_;
  std::vector<std::vector<LinkId>> varying_;  // by route: its links with changing rates
  simgrid::s4u::Host* source_ = nullptr;
  simgrid::s4u::Host* destination_ = nullptr;
  const std::vector<simgrid::kernel::resource::StandardLinkImpl*>* current_ = nullptr;
  simgrid::kernel::resource::Model* network_ = nullptr;
  // SimGrid keeps no reference of its own to a Comm that nobody waits for. A completing Comm is
  // still in use by its callback, which may start others, so it lives until the next one completes.
  struct Flow {
    simgrid::s4u::CommPtr comm;
    simgrid::kernel::resource::Action* action = nullptr;
    double most_Bps = 0;  // by its links, as SimGrid knows it
  };
  std::unordered_map<std::uintptr_t, Flow> under_way_;
  simgrid::s4u::CommPtr ended_;
  std::vector<double> background_channels_;  // of the last routes
  std::vector<simgrid::s4u::CommPtr> background_;
  // SimGrid uses a cancelled Comm until simulated time advances.
  std::vector<simgrid::s4u::CommPtr> stopped_;
  double stopped_at_s_ = 0;
  std::unordered_map<const simgrid::kernel::activity::ActivityImpl*, std::uintptr_t> tags_;
};

}  // namespace sim
