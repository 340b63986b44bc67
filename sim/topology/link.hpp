// SPDX-License-Identifier: Apache-2.0
// Link: one directed link with its rate, which may change with time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

// An index into the links of a graph or a wiring.
using LinkId = std::uint32_t;

// A link's rate from `at_s` on; 0: it is down, and its traffic waits.
struct RateChange {
  double at_s = 0;
  double rate_Bps = 0;
};

// What code asks a link for. Its kind is for people.
enum class LinkRole : std::uint8_t { other, nic_out, nic_in };

struct Link {
  std::string name;  // unique: "nic_in_0"
  double rate_Bps = 0;
  std::vector<RateChange> changes = {};  // ascending, the first after 0
  double repeats_s = 0;     // period that begins with rate_Bps anew; 0: the changes happen once
  std::string kind = {};    // shared by links with the same role: "nic_in"
  std::string set_by = {};  // the key of the input file that sets the rate
  LinkRole role = LinkRole::other;
};

// Links by their ids. Those that differ by their numbers alone, as a fabric's do, are held once.
class Links {
 public:
  LinkId add(Link link);
  // `count` more like this one, named by its kind and a number from 0; returns the first one, and the
  // others follow.
  LinkId add_numbered(Link like, int count);

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Link operator[](LinkId id) const;
  // But for the name.
  [[nodiscard]] const Link& unnamed(LinkId id) const { return run_of(id).like; }
  // Of their number and kinds.
  [[nodiscard]] std::uint64_t fingerprint() const;

 private:
  struct Run {
    Link like;  // named where it is the only one
    LinkId first = 0;
  };
  [[nodiscard]] const Run& run_of(LinkId id) const;

  std::vector<Run> runs_;  // ascending
  LinkId size_ = 0;
};

// Highest rate that the link ever has.
[[nodiscard]] double highest_rate(const Link& link);
// Bytes that the link can carry until `until_s`.
[[nodiscard]] double capacity_bytes(const Link& link, double until_s);

}  // namespace sim
