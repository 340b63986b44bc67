// The space that a plan searches: every cluster that can be had, with every way to run a job on it.
//
// It is laid out frame by frame, as a search asks for it: a frame whose kernels alone take too long
// is passed over with all its layouts.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "apps/job/job.hpp"
#include "apps/plan/layouts.hpp"

namespace apps {

// A layout on one of the offers, or all layouts of a frame there.
struct Candidate {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t offer = 0;
  std::size_t frame = 0;
  std::size_t layout = kAll;
  [[nodiscard]] bool is_group() const { return layout == kAll; }
};

// Of the offers `first_offer` and so on, which have the same number of nodes.
struct SizedFrame {
  sim::Parallelism parallelism;
  std::size_t first_offer = 0, offers = 1;
};

// A frame's layouts that fit in a GPU's memory, as a part of Space::layouts.
struct Opened {
  std::size_t first = 0, count = 0;
};

struct Space {
  // Jobs on each number of nodes and speed of NICs. One node has no use for a network: it comes
  // with the slowest NICs alone.
  std::vector<Job> offers;
  std::vector<std::string> link_speeds;  // by offer, as given; empty: the file's
  Job given;                             // as the flags say, on all nodes
  std::vector<sim::Scheme> schemes;
  std::vector<std::string> scheme_names;  // as given
  std::vector<SizedFrame> frames;
  std::vector<Candidate> groups;  // each frame on each of its offers
  std::int64_t setups = 0;        // layouts on each of their offers, fit or not
  std::int64_t not_held = 0;      // cluster sizes and splits with more micro-batches than a
                                  // simulation holds
  // What is laid out so far:
  std::map<std::size_t, Opened> opened;  // by frame
  std::vector<Layout> layouts;
  std::int64_t too_large = 0;      // layouts on an offer, that do not fit
  std::optional<Layout> smallest;  // fit or not: what needs the least memory
  std::size_t smallest_offer = 0;

  [[nodiscard]] Setup setup(const Layout& layout) const {
    return {schemes[layout.scheme], layout.parallelism};
  }
  [[nodiscard]] Setup setup(const Candidate& candidate) const {
    return setup(layouts[candidate.layout]);
  }
  [[nodiscard]] const Job& job(const Candidate& candidate) const { return offers[candidate.offer]; }
};

// Of each offer all frames_of() it, none of them laid out. Throws InputError.
[[nodiscard]] Space space_of(const PlanOptions& options);

// Lays out the frame of a group, if it is not, and returns those of its layouts that fit.
std::vector<Candidate> open(Space& space, const Candidate& group);

// Tokens of a step.
[[nodiscard]] double step_tokens(const Space& space, const Candidate& candidate);

}  // namespace apps
