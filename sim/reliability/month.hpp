// SPDX-License-Identifier: Apache-2.0
// A month as it went: what a job that fails, or rounds of members that come and go, did when.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sim {

// From one event to the next. Of the whole job or of all rounds; or of one member of a kind.
//
//   rounds          nobody leaves or comes back: `count` of them, one after another
//   steps           of a round in which somebody does, whose members end it; and then
//   waiting         for one that has left: until the others notice, or go on without it
//   broken exchange until a member left
//   exchange
//   lost round      that too few are left to end
//   too few sites   no round begins
//   checkpoint      of the outer state, for which all wait
//   there, loading, away   of a member
//
//   kept            training that is saved, in `count` intervals, and the checkpoints after them
//   trained again   what a failure undoes
//   detection, repair, restart
struct Span {
  static constexpr int kNone = -1;
  double start_s = 0, end_s = 0;
  int kind = kNone;  // of a member
  int member = 0;    // of the kind
  const char* what = "";
  std::int64_t count = 0;
  int members = 0;  // that take part in a round to its end
};
using Month = std::vector<Span>;

// A header and a line a span, those that go on as one: first those of the whole, then member by member.
// `names` are the members' by kind; `whole` is what the others are of.
[[nodiscard]] std::string to_csv(const Month& month, const std::string& whole,
                                 const std::vector<std::vector<std::string>>& names = {});

}  // namespace sim
