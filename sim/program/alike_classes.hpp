// SPDX-License-Identifier: Apache-2.0
// AlikeClasses: which ranks, groups, flows and links of drafts are alike (sim/schedule/alike.hpp). They
// follow from what touches what, so that drafts on links of other rates have the same ones, unless links
// that were alike no longer are.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/base/latest.hpp"
#include "sim/program/collisions.hpp"
#include "sim/program/groups.hpp"
#include "sim/schedule/alike.hpp"

namespace sim {

// A class of flows, over classes of ranks and links.
struct AlikeFlow {
  std::vector<Hop> hops;  // of all ranks of their classes together
  std::vector<Crossing> links;
  std::vector<std::int32_t> senders;  // as often as a rank of the class sends
};

// Groups are in the order of the drafts, then messages; legs are in the order of their groups.
struct AlikeClasses {
  AlikeParts parts;
  std::vector<AlikeFlow> flows;  // by class of legs
  // By class of groups, the classes of ranks that take part in it, as often as a rank of theirs does.
  std::vector<std::vector<std::int32_t>> members;
  std::vector<Link> caps;  // of communicators, after the links of the topology
  bool capped = false;     // Fitted::communicator_bandwidth
  Meetings meetings;
  // Of what they are.
  std::shared_ptr<const GroupDrafts> drafts;
  std::uint64_t topology = 0;  // Topology::fingerprint()
};
// Of folded groups. Null if no ranks are alike, or if other jobs send: what they do makes links differ
// that are alike as far as the job goes.
[[nodiscard]] std::shared_ptr<const AlikeClasses> alike_classes(
    const Topology& topology, std::shared_ptr<const GroupDrafts> drafts);

// The classes that were last asked for, for steps that differ from some of them in rates and times alone,
// as those of a likely range do, and those of two schemes whose break-even is looked for. From any
// thread.
class KnownClasses {
 public:
  // As alike_classes().
  [[nodiscard]] std::shared_ptr<const AlikeClasses> of(const Topology& topology,
                                                       std::shared_ptr<const GroupDrafts> drafts);

 private:
  Latest<AlikeClasses> last_{kMostKeptRanks};
};

}  // namespace sim
