// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/platform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <simgrid/kernel/ProfileBuilder.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {
namespace {

using simgrid::kernel::profile::ProfileBuilder;
using simgrid::kernel::resource::StandardLinkImpl;
using simgrid::kernel::routing::NetPoint;
using simgrid::kernel::routing::Route;

// Routes every pair over the links of the flow that is being started.
class FlowZone : public simgrid::kernel::routing::NetZoneImpl {
 public:
  FlowZone(const std::string& name, const std::vector<StandardLinkImpl*>** current)
      : NetZoneImpl(name), current_(current) {}

  void get_graph(const s_xbt_graph_t*, std::map<std::string, xbt_node_t, std::less<>>*,
                 std::map<std::string, xbt_edge_t, std::less<>>*) override {}

  void get_local_route(const NetPoint*, const NetPoint*, Route* into, double*) override {
    into->link_list_.assign((*current_)->begin(), (*current_)->end());
  }

 private:
  const std::vector<StandardLinkImpl*>** current_;
};

// The outages of one link as a SimGrid state profile: lines of "time 0|1", or none.
std::string outage_profile(const std::string& link, std::span<const Outage> outages) {
  std::string profile;
  for (const Outage& outage : outages) {
    if (outage.link != link) continue;
    profile += fmt::format("{} 0\n{} 1\n", outage.from.base(), outage.until.base());
  }
  return profile;
}

template <class Visit>
void for_each_route(const Wiring& wiring, Visit visit) {
  for (const std::vector<Crossing>& route : wiring.routes) visit(route);
  for (const Background& flow : wiring.background) visit(flow.links);
}

// SimGrid counts a link as often as a route names it. Where each flow has a multiple of so many
// shares of a link, these are the unit, so that routes stay short. By link.
std::vector<int> units_of(const Wiring& wiring) {
  std::vector<int> units(wiring.links.size());
  for_each_route(wiring, [&](const std::vector<Crossing>& route) {
    for (const auto& [link, times] : route) units[link] = std::gcd(units[link], times);
  });
  for (int& unit : units) unit = std::max(1, unit);  // unused links too
  return units;
}

// A link that only one route crosses has no say if another one of that route is never faster. Of sites
// that all send to each other, most links are the connections of a pair, and SimGrid looks at all of
// them whenever a flow begins or ends.
std::vector<bool> idle_links(const Wiring& wiring) {
  std::vector<int> routes(wiring.links.size());
  for_each_route(wiring, [&](const std::vector<Crossing>& route) {
    for (const Crossing& one : route) ++routes[one.link];
  });
  std::vector<bool> idle(wiring.links.size());
  for_each_route(wiring, [&](const std::vector<Crossing>& route) {
    double slowest = std::numeric_limits<double>::infinity();  // of a share of the flow
    for (const auto& [link, times] : route) {
      if (routes[link] > 1) slowest = std::min(slowest, highest_rate(wiring.links[link]) / times);
    }
    for (const auto& [link, times] : route) {
      const Link& wired = wiring.links[link];
      idle[link] = routes[link] == 1 && wired.changes.empty() && wired.rate_Bps / times >= slowest;
    }
  });
  return idle;
}

// Most of a large fabric is of no use to a small job, and SimGrid's links are not cheap.
std::vector<bool> used_links(const Wiring& wiring, std::span<const Outage> outages) {
  const std::vector<bool> idle = idle_links(wiring);
  std::vector<bool> used(wiring.links.size());
  for_each_route(wiring, [&](const std::vector<Crossing>& route) {
    for (const Crossing& one : route) used[one.link] = !idle[one.link];
  });
  for (std::size_t id = 0; id < used.size(); ++id) {
    const Link& link = wiring.links[id];
    const auto names_it = [&](const Outage& outage) { return outage.link == link.name; };
    if (!link.changes.empty() || std::ranges::any_of(outages, names_it)) used[id] = true;
  }
  return used;
}

double clock_s() { return simgrid::s4u::Engine::get_clock(); }

constexpr double kHappensOnce = -1;  // of a profile

}  // namespace

void configure_network_model() {
  using simgrid::s4u::Engine;
  // A flow gets its max-min share of each link: LV08's factors and CM02's TCP window stand for wide
  // area TCP, and slow a 50 GB/s link of RDMA down five times.
  Engine::set_config("network/model:CM02");
  Engine::set_config("network/TCP-gamma:0");
  // Links are given per direction; acknowledgements do not load the way back.
  Engine::set_config("network/crosstraffic:0");
}

Platform::Platform(const Wiring& wiring, std::span<const Outage> outages) {
  auto* root = simgrid::s4u::create_full_zone("root");  // the first zone becomes the root
  auto* zone = (new FlowZone("flows", &current_))->get_iface();
  zone->set_parent(root);
  source_ = zone->create_host("source", 1);
  destination_ = zone->create_host("destination", 1);
  if (outages.empty() && FairShares::suit(wiring)) {
    fair_ = std::make_shared<FairModel>(wiring);
    simgrid::s4u::Engine::get_instance()->add_model(fair_);
  } else {
    add_links(wiring, outages, *zone);
  }
  zone->seal();
  root->seal();
  for (auto* model : simgrid::s4u::Engine::get_instance()->get_all_models()) {
    if (model->get_name() == "Network_CM02") network_ = model;
  }
  require(network_ != nullptr, "the network model is CM02");
}

void Platform::add_links(const Wiring& wiring, std::span<const Outage> outages,
                         simgrid::s4u::NetZone& zone) {
  const std::vector<bool> used = used_links(wiring, outages);
  units_ = units_of(wiring);
  for (std::size_t id = 0; id < wiring.links.size(); ++id) {
    const Link& wired = wiring.links[id];
    if (!used[id]) {
      links_.push_back(nullptr);
      continue;
    }
    auto* link = zone.create_link(wired.name, wired.rate_Bps / units_[id])->set_latency(0);
    if (const std::string down = outage_profile(wired.name, outages); !down.empty()) {
      link->set_state_profile(
          ProfileBuilder::from_string(wired.name + "_down", down, kHappensOnce));
    }
    links_.push_back(link->seal());
  }
  for (const Outage& outage : outages) {
    const auto* link = simgrid::s4u::Link::by_name_or_null(outage.link);
    require(link != nullptr, "an outage names a link of the wiring");
    failing_.push_back(link);
  }
  for (std::size_t id = 0; id < wiring.links.size(); ++id) {
    const Link& wired = wiring.links[id];
    rates_.push_back(
        {.now_Bps = wired.rate_Bps / units_[id], .most_Bps = highest_rate(wired) / units_[id]});
  }
  for_each_route(wiring, [&](const std::vector<Crossing>& route) { add_route(route, wiring); });
  for (const Background& flow : wiring.background) background_channels_.push_back(flow.channels);
}

void Platform::add_route(const std::vector<Crossing>& crossings, const Wiring& wiring) {
  auto& path = routes_.emplace_back();
  auto& varying = varying_.emplace_back();
  for (const auto& [id, times] : crossings) {
    if (links_[id] == nullptr) continue;
    path.insert(path.end(), static_cast<std::size_t>(times / units_[id]), links_[id]->get_impl());
    if (!wiring.links[id].changes.empty()) varying.push_back(id);
  }
}

bool Platform::is_down(std::uint32_t route) const {
  const auto& path = routes_[route];
  return std::any_of(failing_.begin(), failing_.end(), [&](const simgrid::s4u::Link* link) {
    return !link->is_on() && std::find(path.begin(), path.end(), link->get_impl()) != path.end();
  });
}

void Platform::on_end(std::function<void(std::uintptr_t, bool)> ended) {
  if (fair_) {
    fair_->ended = [ended = std::move(ended)](std::uintptr_t tag) { ended(tag, false); };
    return;
  }
  using simgrid::s4u::Activity;
  Activity::on_completion_cb([this, ended = std::move(ended)](const Activity& activity) {
    const auto tag = reinterpret_cast<std::uintptr_t>(activity.get_data<void>());
    // A flow that was stopped may have left its tag to another one.
    if (!tags_.contains(activity.get_impl())) return;
    if (end_flow(tag)) ended(tag, activity.get_state() != Activity::State::FINISHED);
  });
}

void Platform::set_rate(LinkId link, double rate_Bps) {
  if (fair_) return fair_->shares.set_rate(link, rate_Bps);
  rates_[link].now_Bps = std::max(rate_Bps / units_[link], kStandstill_Bps);
  links_[link]->set_bandwidth(rates_[link].now_Bps);
}

simgrid::s4u::CommPtr Platform::start_over(std::uint32_t route, double bytes, double channels,
                                           std::uintptr_t tag) {
  current_ = &routes_[route];
  // SimGrid bounds a flow by its links' rates at its start, whatever becomes of them.
  for (const LinkId link : varying_[route]) links_[link]->set_bandwidth(rates_[link].most_Bps);
  auto comm = simgrid::s4u::Comm::sendto_init(source_, destination_);
  comm->set_data(reinterpret_cast<void*>(tag));
  comm->set_payload_size(static_cast<std::uint64_t>(std::llround(bytes)))->start();
  // What has started last. SimGrid divides a link in inverse proportion to penalties.
  if (channels != 1) network_->get_started_action_set()->back().set_sharing_penalty(1 / channels);
  for (const LinkId link : varying_[route]) links_[link]->set_bandwidth(rates_[link].now_Bps);
  return comm;
}

bool Platform::start_flow(std::uint32_t route, double bytes, double channels, std::uintptr_t tag) {
  if (fair_) {
    fair_->shares.start(route, std::round(bytes), channels, tag, clock_s());
    return true;
  }
  if (is_down(route)) return false;  // SimGrid would never say that such a Comm has failed
  auto comm = start_over(route, bytes, channels, tag);
  tags_.emplace(comm->get_impl(), tag);
  simgrid::kernel::resource::Action* action = &network_->get_started_action_set()->back();
  under_way_.emplace(tag, Flow{std::move(comm), action, action->get_bound()});
  return true;
}

double Platform::left_of_flow(std::uintptr_t tag) {
  if (fair_) return fair_->shares.left(tag, clock_s());
  return under_way_.at(tag).action->get_remains();
}

void Platform::change_flow(std::uintptr_t tag, double bytes, double channels) {
  if (fair_) return fair_->shares.change(tag, bytes, channels, clock_s());
  simgrid::kernel::resource::Action& action = *under_way_.at(tag).action;
  action.get_remains();  // up to now
  action.set_remains(bytes);
  action.set_sharing_penalty(1 / channels);
}

void Platform::hold_flow(std::uintptr_t tag, double rate_Bps) {
  if (!fair_) under_way_.at(tag).action->set_bound(rate_Bps);
}

void Platform::let_go(std::uintptr_t tag) {
  const auto found = under_way_.find(tag);
  if (found != under_way_.end()) found->second.action->set_bound(found->second.most_Bps);
}

void Platform::start_background() {
  auto route = static_cast<std::uint32_t>(routes_.size() - background_channels_.size());
  for (const double channels : background_channels_) {
    background_.push_back(start_over(route++, kEndlessBytes, channels, UINTPTR_MAX));
  }
}

bool Platform::end_flow(std::uintptr_t tag) {
  const auto found = under_way_.find(tag);
  if (found == under_way_.end()) return false;
  ended_ = std::move(found->second.comm);
  tags_.erase(ended_->get_impl());
  under_way_.erase(found);
  return true;
}

void Platform::stop_flow(std::uintptr_t tag) {
  if (fair_) return fair_->shares.stop(tag);
  if (!end_flow(tag)) return;
  const double now_s = clock_s();
  if (now_s > stopped_at_s_) stopped_.clear();
  stopped_at_s_ = now_s;
  stopped_.push_back(std::move(ended_));
  stopped_.back()->cancel();
}

bool Platform::is_steady() const {
  return !fair_ && failing_.empty() && background_channels_.empty() &&
         std::ranges::all_of(varying_, &std::vector<LinkId>::empty);
}

double Platform::rate_of_flow(std::uintptr_t tag) const {
  return under_way_.at(tag).action->get_rate();
}

void Platform::for_each_rate(const std::function<void(std::uintptr_t, double)>& visit) const {
  if (fair_) return fair_->shares.for_each_rate(visit);
  for (const auto& action : *network_->get_started_action_set()) {
    const auto found = tags_.find(action.get_activity());
    if (found != tags_.end()) visit(found->second, action.get_rate());
  }
}

}  // namespace sim
