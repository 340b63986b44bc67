// SPDX-License-Identifier: Apache-2.0
// Which ranks, groups, flows and links of a schedule are alike, before there is one. Alike ranks do the
// same at the same time, alike flows have the same rate and alike links the same load, so one of each
// class tells of all.
//
// What touches what is a graph, and the classes are its coarsest equitable partition, found by colour
// refinement (the one-dimensional Weisfeiler-Leman algorithm): what is of one kind stays in one class
// until something that it touches tells it from the others. Max-min sharing has one solution, which
// then is the same within each class; and what begins together and is as long ends together.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/lists.hpp"
#include "sim/base/mix.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

// Numbers that tell one kind from another.
using Kind = std::uint64_t;
[[nodiscard]] Kind mix(Kind kind, double more);

// Of ranks that begin something together: a collective, or a message.
struct Member {
  std::uint32_t rank = 0;
  std::uint32_t role = 0;
};

// Groups of ranks, and their legs: the flows of each.
struct Incidence {
  std::vector<Kind> groups;  // all that their times depend on but members and legs
  Lists<Member> members;     // by group

  struct Leg {
    Kind kind = 0;  // its share of the group's bytes, what it takes from its senders
    std::uint32_t group = 0;
  };
  std::vector<Leg> legs;
  Lists<Crossing> links;        // by leg; each link once
  Lists<std::int32_t> senders;  // by leg: whose memory it takes
};

// Of a kind of parts: the class of each, and the first part of each class. Classes are numbered in the
// order of their first parts.
struct Classes {
  std::vector<std::uint32_t> of;
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> sizes;

  // Whether the part stands for its class.
  template <class Part>
  [[nodiscard]] bool is_first(Part part) const {
    return first[of[static_cast<std::size_t>(part)]] == static_cast<std::uint32_t>(part);
  }
  [[nodiscard]] std::int32_t at(std::int32_t part) const {
    return static_cast<std::int32_t>(of[static_cast<std::size_t>(part)]);
  }
};

struct AlikeParts {
  Classes ranks, links, groups, legs;
};
// With the kind of each rank and of each link.
[[nodiscard]] AlikeParts alike_parts(const Incidence& incidence, std::vector<Kind> ranks,
                                     std::vector<Kind> links);

}  // namespace sim
