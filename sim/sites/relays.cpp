// SPDX-License-Identifier: Apache-2.0
// all_gather over sites that pass on what they receive: once into each region, or along trees. All
// sites receive as much as from each other directly. Sites are taken in their order in the area, as NCCL's
// trees take nodes in the order of their ranks.
#include <algorithm>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/meeting.hpp"

namespace sim {
namespace {

// Values on their way to all places that are present.
class Relays {
 public:
  explicit Relays(Meeting& meeting)
      : meeting_(meeting),
        peers_(static_cast<int>(meeting.present().size()) - 1),
        incoming_(static_cast<std::size_t>(place_count(meeting.area()))) {}

  // The value of `source`, which `from` has once `held` is over. Returns its arrival.
  OperationId pass_on(int source, int from, int to, OperationId held) {
    const OperationId sent =
        meeting_.send(from, to, meeting_.whole_bytes(source), peers_, meeting_.ready(from, held));
    meeting_.arrive(source, sent);
    if (meeting_.is_heard(source)) incoming_[static_cast<std::size_t>(to)].push_back(sent);
    return sent;
  }

  void finish() { meeting_.finish_all(std::move(incoming_), "all_gather"); }

 private:
  Meeting& meeting_;
  int peers_;
  std::vector<Meeting::Ids> incoming_;
};

// Those that are present, by region.
std::vector<std::vector<int>> regions_present(const Meeting& meeting) {
  std::vector<std::vector<int>> regions;
  std::vector<int> numbers;
  for (const int place : meeting.present()) {
    const auto found = std::ranges::find(numbers, meeting.region(place));
    const auto i = static_cast<std::size_t>(found - numbers.begin());
    if (found == numbers.end()) {
      numbers.push_back(meeting.region(place));
      regions.emplace_back();
    }
    regions[i].push_back(place);
  }
  return regions;
}

// Sites of a region take turns to receive others' values for it, so that none does for all.
void run_grouped_gather(Meeting& meeting) {
  Relays relays(meeting);
  const auto regions = regions_present(meeting);
  for (const std::vector<int>& own : regions) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      const int source = own[i];
      for (const std::vector<int>& region : regions) {
        const bool home = &region == &own;
        const int relay = home ? source : region[i % region.size()];
        const OperationId held =
            home ? meeting.encoded(source)
                 : relays.pass_on(source, source, relay, meeting.encoded(source));
        for (const int place : region) {
          if (place != relay) relays.pass_on(source, relay, place, held);
        }
      }
    }
  }
  relays.finish();
}

// Each value travels along a tree of its own, whose root is its site and whose other places are the
// sites that follow. The one at position p passes it on to positions f p + 1 to f p + f.
void run_tree_gather(Meeting& meeting) {
  require(meeting.shape().fan_out > 0, "a tree fans out");
  Relays relays(meeting);
  const std::vector<int>& sites = meeting.present();
  const auto fan_out = static_cast<std::size_t>(meeting.shape().fan_out);
  for (std::size_t root = 0; root < sites.size(); ++root) {
    const auto at = [&](std::size_t position) { return sites[(root + position) % sites.size()]; };
    Meeting::Ids held{meeting.encoded(at(0))};
    for (std::size_t position = 1; position < sites.size(); ++position) {
      const std::size_t parent = (position - 1) / fan_out;
      held.push_back(relays.pass_on(at(0), at(parent), at(position), held[parent]));
    }
  }
  relays.finish();
}

}  // namespace

constinit const Exchange exchanges::grouped_gather{.name = "grouped_gather",
                                                   .joins_all = true,
                                                   .add_kernels = add_sum_of_all,
                                                   .run = run_grouped_gather};
constinit const Exchange exchanges::tree_gather{.name = "tree_gather",
                                                .joins_all = true,
                                                .fans_out = true,
                                                .works_in_regions = true,
                                                .add_kernels = add_sum_of_all,
                                                .run = run_tree_gather};

}  // namespace sim
