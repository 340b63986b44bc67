// SPDX-License-Identifier: Apache-2.0
// The space that a plan searches: every available cluster, with every way to run a job on it.
//
// It is laid out frame by frame, on demand: a frame whose kernels alone take too long is skipped
// with all its layouts.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

#include "sim/study/job.hpp"
#include "sim/study/plan/layouts.hpp"
#include "sim/study/plan/plan_question.hpp"

namespace sim::study {

// A layout on one of the offers, or all layouts of a frame there.
struct Candidate {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  std::size_t offer = 0;
  std::size_t frame = 0;
  std::size_t layout = kAll;
  [[nodiscard]] bool is_group() const { return layout == kAll; }
};

// For the offers from `first_offer` on with the same number of nodes.
struct SizedFrame {
  Parallelism parallelism;
  std::size_t first_offer = 0, offers = 1;
};

// The layouts of a frame that fit in a GPU's memory, as a part of Space::layouts.
struct Opened {
  std::size_t first = 0, count = 0;
};

struct Space {
  // Jobs on each number of nodes and NIC speed. One node does not need a network: it only comes
  // with the slowest NICs.
  std::vector<Job> offers;
  // By offer, of PlanQuestion::nic_bandwidths; none: the job's.
  std::vector<std::optional<std::size_t>> nic_bandwidths;
  Job given;                   // as given, on all nodes
  double memory_headroom = 0;  // PlanQuestion::memory_headroom
  std::vector<Scheme> schemes;
  std::vector<SizedFrame> frames;
  std::vector<Candidate> groups;  // each frame on each of its offers
  std::int64_t setups = 0;        // layouts on each of their offers, fitting or not
  std::int64_t not_held = 0;      // cluster sizes and splits with more micro-batches than a
                                  // simulation holds
  // Laid out so far:
  std::map<std::size_t, Opened> opened;  // by frame
  std::vector<Layout> layouts;
  std::int64_t too_large = 0;      // layouts on an offer that do not fit
  std::optional<Chosen> smallest;  // fitting or not: the one that needs the least memory
  double least_memory = 0;         // bytes per GPU of it

  [[nodiscard]] Setup setup(const Layout& layout) const {
    return {schemes[layout.scheme], layout.parallelism};
  }
  [[nodiscard]] Setup setup(const Candidate& candidate) const {
    return setup(layouts[candidate.layout]);
  }
  [[nodiscard]] Chosen chosen(const Layout& layout, std::size_t offer) const {
    return {.scheme = layout.scheme,
            .parallelism = layout.parallelism,
            .nodes = offers[offer].cluster().nodes,
            .nic_bandwidth = nic_bandwidths[offer]};
  }
  [[nodiscard]] const Job& job(const Candidate& candidate) const { return offers[candidate.offer]; }
};

// All frames_of() each offer, none of them laid out. Throws InputError.
[[nodiscard]] Space space_of(const PlanQuestion& question);

// Lays out the frame of a group, unless done before, and returns its fitting layouts.
std::vector<Candidate> open(Space& space, const Candidate& group);

// Tokens per step.
[[nodiscard]] double step_tokens(const Space& space, const Candidate& candidate);

}  // namespace sim::study
